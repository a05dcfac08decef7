"""How a placement of an object is written: for `homenode run`, or for the library. Pure."""

import shlex
from pathlib import PurePath

from homenode.id_list import join
from homenode.profile.objects import Kind, Object
from homenode.profile.values import ObjectUse, Profile

UNITS = ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K"))
SMALLEST = 128 << 10  # What an allocation must have to be placed by its size or origin alone.
LONGEST_PROGRAM = 60


def _at_least(size: int) -> str:
    """A size that the object has, in the words of --place: "64M"."""
    return next((f"{size // unit}{name}" for unit, name in UNITS if size >= unit), str(size))


def condition(item: Object) -> str | None:
    """How --place picks the object: by the name that it finds in the program, else by its size;
    None where it cannot."""
    if item.kind == Kind.STATIC:
        return item.place_by or None
    if item.kind not in (Kind.ALLOCATION, Kind.ANONYMOUS, Kind.HEAP) or item.bytes < SMALLEST:
        return None
    if item.place_by and item.kind == Kind.ALLOCATION:
        return item.place_by
    return f"size>={_at_least(item.bytes)}" if item.kind != Kind.HEAP else None


def program(profile: Profile, options: str, named_in: str = "") -> str:
    """`homenode run` with the profiled program behind it, or the program in which --place finds
    `named_in`'s names, where a script or launcher started it."""
    command = profile.taken.command
    if named_in and command and PurePath(command[0]).name != PurePath(named_in).name:
        return f"homenode run{options} -- {shlex.quote(named_in)} ARGUMENTS"
    words = shlex.join(command)
    shown = words if 0 < len(words) <= LONGEST_PROGRAM else "PROGRAM"
    return f"homenode run{options} -- {shown}"


def place(profile: Profile, use: ObjectUse, rule: str, *, bound: bool = False) -> str:
    """What gives the object a memory rule; `bound`: the rule needs threads that stay."""
    item = use.object
    cpus = thread_map(profile) if bound else ""
    threads = f" --threads {cpus}" if cpus else ""
    note = ", with threads that stay (--threads)" if bound and not cpus else ""
    if item.kind == Kind.REGION:
        return f'hn_region_place({item.name}, "{rule}", &error){note}'
    picked = condition(item)
    if picked is not None:
        named_in = item.program if picked == item.place_by else ""
        options = f" --place {shlex.quote(f'{picked}: {rule}')}{threads}"
        return program(profile, options, named_in) + note
    if item.kind in (Kind.HEAP, Kind.ALLOCATION, Kind.ANONYMOUS) and rule == "interleave":
        return program(profile, " --heap interleave")
    if item.kind in (Kind.HEAP, Kind.ALLOCATION) and rule.startswith("bind@"):
        return program(profile, f" --malloc bind{threads}") + note
    if rule == "interleave":
        return program(profile, " --interleave=all")
    return f'hn_region_adopt() and hn_region_place(region, "{rule}", &error) in the program{note}'


def thread_map(profile: Profile) -> str:
    """CPUs for the threads of the profile by the order of the nodes: equal parts of the threads on
    each; "" where the machine is not known or too small."""
    machine = profile.machine
    if machine is None:
        return ""
    nodes = [sorted(int(cpu) for cpu in node["cpus"]) for node in machine["nodes"]]
    nodes = [cpus for cpus in nodes if cpus]
    count = len(profile.threads)
    if not nodes or count < 2 or count % len(nodes) or count // len(nodes) > len(nodes[0]):
        return ""
    chosen = [cpu for cpus in nodes for cpu in cpus[: count // len(nodes)]]
    return join(chosen) if chosen == sorted(chosen) else ",".join(map(str, chosen))
