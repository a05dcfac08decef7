"""The programs that ./dev bench balance runs, what is known of each, and what may be beside it."""

from dataclasses import dataclass, field
from enum import Enum

from homenode.lab.machine import Machine
from homenode.study.description import describe

BESIDE = (
    *("nothing", "balance", "balance-pkeys", "balance-hints", "balance-lab"),
    *("kernel", "numad", "interleave", "placed"),
)
# homenode's: by what the guest can see as it is, by protection keys from within a program that it
# has started, by the kernel's hint faults, and by the lab.
BALANCERS = ("balance", "balance-pkeys", "balance-hints", "balance-lab")


class Goal(Enum):
    """What the balancer has to show with a program."""

    NOTHING = "0 page moves and 0 affinity changes"
    ONCE = "at most 1.05 moves per misplaced page"
    SHARED = "0.95 of the best local share, with at most half of the kernel's moves"
    IDLE = "moves of at most 1 % of the pages where they bring nothing"
    BEST = "0.95 of the best local share"
    NO_SLOWER = "not slower than with nothing beside it"


class Unit(Enum):
    """Of a program's work, with its name in a run's record: the time that threads run for a miss,
    and the time that passes for an instruction of any thread."""

    MISS = "busy_ns_per_miss"
    INSTRUCTION = "ns_per_instruction"


@dataclass(frozen=True)
class Case:
    """`words` follow `homenode-native bench`, or `own`, a program of the folder above. The best
    placement that does not change is known, as the local share that it gives, or it is run:
    `placed`. `used` is the part of the memory that any thread uses; `programs` run at once. Its
    work is told by its `unit`: not by its misses where caches keep much of what it uses, nor by how
    long its threads run where they wait for each other, and run one after the other on one CPU."""

    name: str
    words: tuple[str, ...]
    goal: Goal
    best: float | None = None
    placed: tuple[str, ...] = ()
    used: float = 1
    env: dict[str, str] = field(default_factory=dict)
    own: str = ""
    programs: int = 1
    unit: Unit = Unit.MISS
    windows: float = 1  # As long is what is counted: of a program with phases, more than one.


# Of the lab's machine, whose caches and memory are a sixteenth: small problems miss the caches as
# large ones do.
SCALE = 16
NODE_MEMORY_MIB = 512
PASSIVE = {"OMP_WAIT_POLICY": "passive"}
QUICK = ("perfect", "pinned", "policy", "stress 1", "stress 2", "map divided")
# A few seconds under emulation, and more: it is to run until it has been counted.
NPB = {"cg": "A", "mg": "A", "sp": "W"}


def stress(name: str, block_mib: int, *words: str) -> tuple[str, ...]:
    """Threads are let go as soon as their memory is there."""
    return (
        *("stress", "--pattern", name, "--op", "write", "--seconds", "3600", "--interval", "3600"),
        *("--block", f"{block_mib}M", *(words or ("--hold", "0.1"))),
    )


def stress_cases(nodes: int, block_mib: int) -> list[Case]:
    """The daemon stress test, and what a balancer has to leave alone."""
    own = ("--map", ",".join(f"{node}:{node}" for node in range(nodes)))
    half = ("--threads-per-node", "1", "--hold", "0.1")
    free = ("--hold", "0.1")
    return [
        Case("perfect", stress("1", block_mib, *own, *half), Goal.NOTHING, 1),
        # With no CPU to spare the scheduler takes threads away from their memory by itself.
        Case("own memory", stress("1", block_mib, *own, *free), Goal.BEST, 1),
        Case("pinned", stress("1", block_mib, "--hold", "forever"), Goal.NOTHING, 0),
        Case("policy", stress("1", block_mib, *free, "--first-touch", "bound"), Goal.NOTHING, None),
        Case("stress 1", stress("1", block_mib), Goal.ONCE, 1),
        Case("stress 1, half the threads", stress("1", block_mib, *half), Goal.ONCE, 1),
        # Two nodes' threads use the memory of a third, which has CPUs for half of them.
        Case("stress 2", stress("2", block_mib), Goal.SHARED, 0.5, used=0.5),
        Case("stress 2, half the threads", stress("2", block_mib, *half), Goal.SHARED, 1, used=0.5),
        Case("stress random", stress("random", block_mib), Goal.IDLE, 1),
        Case(
            "stress 1, huge pages", stress("1", block_mib, *free, "--pages", "huge"), Goal.ONCE, 1
        ),
    ]


def special_cases(block_mib: int) -> list[Case]:
    """What changes, or does not fit, or is not alone."""
    free = ("--hold", "0.1", "--threads-per-node", "1")
    large = NODE_MEMORY_MIB * 5 // 16  # Four threads' is a quarter more than a node has.
    pair = ("pair", "2", str(4 * block_mib), "0")
    phases = ("phases", "4", str(2 * block_mib), "10")
    # A line of each page: so that a look sees all of it, under emulation as well.
    filled = ("--first-touch", "main", "--stride", "4096")
    return [
        # By the time that the threads are where their memory is, they use other memory. After four
        # phases each has used all of it: a window of one would show a quarter of what happens.
        Case("phases", phases, Goal.NO_SLOWER, own="walkers", windows=14),
        Case("ping-pong pair", pair, Goal.BEST, 1, own="walkers"),
        Case("larger than a node", stress("1", large, *free, *filled), Goal.BEST, 1),
        Case("two programs", stress("1", block_mib, *free), Goal.ONCE, 1, programs=2),
    ]


def far_cases(threads: int, block_mib: int, node: int) -> list[Case]:
    """Memory of a node that has no CPUs, and no policy that keeps it there."""
    words = ("node", str(threads), str(block_mib), str(node))
    return [Case("memory without CPUs", words, Goal.ONCE, 1, own="walkers")]


def map_cases(threads: int) -> list[Case]:
    """Every pattern whose threads the system places, with memory where it is touched first."""
    base = ("--threads", str(threads), "--op", "readwrite", "--size", "64M", "--passes", "1000000")
    found = []
    for name in (choice.name for choice in describe("map").choices("pattern")):
        if name == "multi-patterns":
            continue
        words = ("map", "--pattern", name, *base, "--pages", "small")
        placed = (*words, "--method", "api")
        found.append(Case(f"map {name}", (*words, "--bind", "none"), Goal.BEST, placed=placed))
    return found


def program_case(name: str, words: tuple[str, ...], placed: tuple[str, ...]) -> Case:
    """A program that computes."""
    return Case(
        name, words, Goal.BEST, placed=placed, env=PASSIVE, unit=Unit.INSTRUCTION, windows=3
    )


def program_cases(threads: int) -> list[Case]:
    """Kernels of NPB, and waves in the ground."""
    found = []
    for kernel, size in NPB.items():
        words = ("npb", kernel, "--class", size, "--threads", str(threads), "--runs", "1000")
        placed = (*words, "--strategy", "memory-bind")
        found.append(program_case(f"npb {kernel}", words, placed))
    words = ("seismic", "--size", "96", "--steps", "1000000", "--threads", str(threads))
    placed = (*words, "--strategy", "memory-bind")
    found.append(program_case("seismic", words, placed))
    return found


def cases(machine: Machine, block_mib: int) -> list[Case]:
    """All programs that there are for a machine."""
    threads, nodes = len(machine.node_of_vcpu), len(machine.node_ids)
    far = set(range(nodes)) - set(machine.node_of_vcpu)
    return [
        *stress_cases(nodes, block_mib),
        *special_cases(block_mib),
        *(case for node in sorted(far) for case in far_cases(threads, block_mib, node)),
        *map_cases(threads),
        *program_cases(threads),
    ]
