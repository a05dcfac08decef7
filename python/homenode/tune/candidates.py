"""The placements that are worth judging, for a machine and what is known of a program. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from homenode.model import Program
from homenode.profile.objects import Kind, Object
from homenode.tune.candidate import Candidate
from homenode.tune.program import Seen
from homenode.tune.thread_maps import ThreadMap, cpus_by_node, thread_maps
from homenode.tune.weights import interleave_weights, weighted

AS_IT_IS = Candidate("as it is", ())
DISTRIBUTIONS = {
    "block": "each node has the part of an array that its threads use",
    "cyclic": "its pages lie on all nodes in turn, present from the start",
    "interleave": "its pages lie on all nodes in turn",
    "skew": "its pages lie on all nodes in turn, shifted each round",
}
# Objects beyond these are placed by the rule for all, where that selects them.
MOST_OBJECTS = 3
ALL_HOT = "all hot objects"
LARGE = 128 << 10
# What no model can judge yet: where blocks of a heap lie, and what the kernel moves.
NOT_MODELLED = ("--malloc", "--heap", "--balancing")
# glibc takes at most 32 MiB as the size from which allocations are mappings of their own.
LARGEST_THRESHOLD = 32 << 20
PAGE = 4096
# Data of what records allocations within the program, which no other run has.
AGENT = "homenode::agent::"


@dataclass(frozen=True)
class Allowed:
    """What placements may do: move `threads`, put a library into the program (`preload`), and have
    the kernel move pages (`balancing`)."""

    threads: bool = True
    preload: bool = True
    balancing: bool = False


ANY = Allowed()


@dataclass(frozen=True)
class Hot:
    """An object that is worth a placement of its own. `condition` selects it in `run --place` by
    its name; without one it is selected by its size, from `least` bytes on."""

    name: str
    pages: int
    pattern: str = ""
    condition: str = ""
    least: int = 0

    @property
    def from_size(self) -> int:
        """Bytes from which allocations are selected with it, where it has no condition."""
        return self.least or min(max(self.pages - 1, 1) * PAGE, LARGEST_THRESHOLD)

    @property
    def up_to(self) -> int:
        """The most bytes that it may have."""
        return max(self.pages * PAGE, self.from_size)

    @property
    def chosen_by(self) -> str:
        """What `run --place` has before the colon."""
        return self.condition or f"size>={self.from_size}"


def hot_objects(seen: Seen) -> list[Hot]:
    """Those of a program that `run --place` can select, the most used first."""
    pairs = zip(seen.program.objects, seen.objects, strict=True)
    return [
        Hot(
            used.name,
            used.pages,
            condition=_condition(source),
            # A mapping may hold several allocations, of sizes that nobody recorded.
            least=LARGE if source.kind == Kind.ANONYMOUS else 0,
        )
        for used, source in pairs
        if source is not None
        and source.kind in (Kind.ALLOCATION, Kind.STATIC, Kind.ANONYMOUS, Kind.REGION)
        and used.pages > 1
        and not source.name.startswith(AGENT)
    ]


def _condition(source: Object) -> str:
    named = source.kind == Kind.STATIC and not source.name.startswith("static data of ")
    return f"name={source.name}" if named else ""


@dataclass(frozen=True)
class _Memory:
    """What a memory rule is, for the command and for the model."""

    name: str
    options: tuple[str, ...]
    rules: tuple[tuple[str | None, str], ...]
    why: str


MALLOC = _Memory(
    "malloc bind", ("--malloc", "bind"), (), "each core allocates from a heap of its own"
)


def memory_nodes(machine: Mapping[str, Any]) -> list[int]:
    """The nodes that have memory."""
    return [int(node["id"]) for node in machine["nodes"] if node["memory_bytes"]]


def candidates(
    machine: Mapping[str, Any],
    threads: int | None,
    objects: Sequence[Hot] = (),
    allowed: Allowed = ANY,
    *,
    program: Program | None = None,
    skip: Sequence[int] = (),
) -> list[Candidate]:
    """All that are allowed, "as it is" first. `threads` of the program, one for each CPU where
    nobody knows; `skip` are those that do nothing, by number in the order of creation."""
    maps: list[ThreadMap | None] = [None]
    cpus = sum(map(len, cpus_by_node(machine).values()))
    if allowed.preload and allowed.threads:
        maps += thread_maps(machine, threads or cpus, program)
    found = [AS_IT_IS]
    for chosen in maps:
        for memory in _memories(machine, objects, chosen, allowed):
            if chosen is None and not memory.options:
                continue
            found.append(_joined(chosen, memory, skip))
    if allowed.threads:
        found += _nodes_alone(machine, threads)
    return found


def _nodes_alone(machine: Mapping[str, Any], threads: int | None) -> list[Candidate]:
    """Threads and memory together on one node, where all threads find a CPU there."""
    groups = cpus_by_node(machine)
    with_memory = memory_nodes(machine)
    if len(with_memory) < 2:
        return []
    return [
        Candidate(
            f"node {node} alone",
            (f"--cpunodebind={node}", "--localalloc"),
            ",".join(map(str, cpus)),
            ((None, f"preferred@{node}"),),
            "threads and memory are on one node",
        )
        for node, cpus in groups.items()
        if node in with_memory and threads is not None and threads <= len(cpus)
    ]


def _joined(chosen: ThreadMap | None, memory: _Memory, skip: Sequence[int]) -> Candidate:
    names, options, whys = [], [], []
    if chosen is not None:
        names.append(f"threads {chosen.name}")
        options += ["--threads", chosen.text]
        if skip:
            options += ["--skip-threads", ",".join(map(str, skip))]
        whys.append(chosen.why)
    if memory.options:
        names.append(memory.name)
        options += memory.options
        whys.append(memory.why)
    text = None if chosen is None else chosen.text
    return Candidate(", ".join(names), tuple(options), text, memory.rules, "; ".join(whys))


def _memories(
    machine: Mapping[str, Any],
    objects: Sequence[Hot],
    chosen: ThreadMap | None,
    allowed: Allowed,
) -> list[_Memory]:
    nodes = memory_nodes(machine)
    found = [_Memory("", (), (), "")]
    if len(nodes) < 2:
        return [*found, MALLOC] if allowed.preload else found
    found.append(
        _Memory(
            "interleave all", ("--interleave=all",), ((None, "interleave"),), "memory on all nodes"
        )
    )
    near = [node for node in cpus_by_node(machine) if node in nodes]
    if 1 < len(near) < len(nodes):
        text = ",".join(map(str, near))
        rule = ((None, f"interleave@{text}"),)
        why = "memory on all nodes with CPUs"
        found.append(_Memory(f"interleave {text}", (f"--interleave={text}",), rule, why))
    for node in nodes:
        rule = ((None, f"preferred@{node}"),)
        why = "all memory on one node"
        found.append(_Memory(f"preferred {node}", (f"--preferred={node}",), rule, why))
    if allowed.balancing:
        text = f"--membind={','.join(map(str, nodes))}"
        why = "the kernel moves pages to who uses them"
        found.append(_Memory("balancing", ("--balancing", text), (), why))
    if not allowed.preload:
        return found
    found.append(MALLOC)
    why = "what the program allocates is on all nodes"
    found.append(_Memory("heap interleave", ("--heap", "interleave"), (), why))
    return found + _placed(machine, objects, chosen)


def _placed(
    machine: Mapping[str, Any], objects: Sequence[Hot], chosen: ThreadMap | None
) -> list[_Memory]:
    """Rules for the hot objects: one for all of them, and one for each with the others as the
    program places them."""
    firsts: dict[str, Hot] = {}
    for one in objects:
        firsts.setdefault(one.chosen_by, one)
    hot = list(firsts.values())[:MOST_OBJECTS]
    groups = [(one.name, [one]) for one in hot]
    if len(hot) > 1:
        groups.insert(0, (ALL_HOT, hot))
    rules = dict(DISTRIBUTIONS)
    weights = _weights(machine, chosen)
    if weights is not None:
        rules[weights] = "pages in proportion to the nodes' bandwidths"
    found = []
    for name, of in groups:
        conditions, reached = _selected(of, objects)
        for rule, why in rules.items():
            options = [word for one in conditions for word in ("--place", f"{one}: {rule}")]
            model = tuple((one, rule) for one in reached)
            found.append(_Memory(f"place {name}: {rule}", tuple(options), model, f"{name}: {why}"))
    return found


def _selected(of: Sequence[Hot], objects: Sequence[Hot]) -> tuple[list[str], list[str]]:
    """The conditions that select these, and the names of all objects that they reach: one on the
    size holds for all allocations that are as large."""
    conditions = [one.condition for one in of if one.condition]
    least = min((one.from_size for one in of if not one.condition), default=None)
    reached = [one.name for one in objects if one.condition and one.condition in conditions]
    if least is not None:
        conditions.append(f"size>={least}")
        large = (one for one in objects if not one.condition and one.up_to >= least)
        reached += [one.name for one in large]
    return conditions, reached


def _weights(machine: Mapping[str, Any], chosen: ThreadMap | None) -> str | None:
    """None where all weights are alike: then it is interleaving."""
    by_node: dict[int, int] | None = None
    if chosen is not None:
        node_of = {cpu: node for node, cpus in cpus_by_node(machine).items() for cpu in cpus}
        by_node = {}
        for cpu in chosen.cpus:
            by_node[node_of[cpu]] = by_node.get(node_of[cpu], 0) + 1
    try:
        weights = interleave_weights(machine, by_node)
    except ValueError:
        return None
    return None if len(set(weights.values())) == 1 else weighted(weights)
