"""What /proc/PID/maps said of a process, and when: files, stacks, heaps, and memory without a name.
Pure."""

from dataclasses import dataclass

from homenode.profile.objects import Kind
from homenode.profile.ranges import FOREVER, Ranges, ranges
from homenode.profile.recording import Document

# What the library puts before a region's name, as src/base/sample.h has it.
REGION = "[anon:homenode region "
KINDS = (
    ("[heap]", Kind.HEAP),
    ("[stack", Kind.STACK),
    ("[v", Kind.KERNEL),
    (REGION, Kind.REGION),
    ("[anon:homenode ", Kind.HEAP),
    ("/dev/shm", Kind.SHARED),
    ("/memfd:", Kind.SHARED),
    ("/SYSV", Kind.SHARED),
    ("/dev/zero", Kind.SHARED),
    ("/anon_hugepage", Kind.HUGE_PAGES),
    ("/dev/hugepages", Kind.HUGE_PAGES),
    ("/", Kind.FILE),
)
# glibc's: each thread's heap is a part of a range of this size, which begins at a multiple of it.
ARENA_BYTES = 64 << 20
# Before a thread's stack there is inaccessible memory, as large as the thread's attributes say.
MOST_GUARD_BYTES = 64 << 10
# And after it as much of the stack as threads have by default: where the kernel keeps a stack and
# other memory in one mapping, nothing else tells them apart.
STACK_BYTES = 8 << 20


def kind_of(path: str) -> Kind:
    """What a mapping is, by what /proc/PID/maps says behind its addresses."""
    return next((kind for start, kind in KINDS if path.startswith(start)), Kind.ANONYMOUS)


def region_of(path: str) -> str:
    """The name that the program gave a mapping through the library; "" for any other."""
    return path[len(REGION) : -1] if path.startswith(REGION) and path.endswith("]") else ""


@dataclass(frozen=True)
class Mapping:
    """One line, and from when to when it was there; at most as long as can be known."""

    begin: int
    end: int
    permissions: str
    offset: int
    path: str
    began_ns: int = 0
    ended_ns: int = FOREVER
    #: What it is where the path does not say: a stack, an arena of the heap, a program's .bss.
    kind: Kind = Kind.ANONYMOUS
    #: The file whose data it goes on with.
    extends: str = ""


def _lines(document: Document) -> list[Mapping]:
    """The lines of one list, in order, each by itself and beside its neighbours."""
    lines = sorted(
        (
            int(line["begin"]),
            int(line["end"]),
            str(line.get("permissions", "")),
            int(line.get("offset", 0)),
            str(line.get("path", "")),
        )
        for line in document["mappings"]
    )
    found: list[Mapping] = []
    for before, line, after in zip([None, *lines], lines, [*lines[1:], None], strict=False):
        kind, extends = kind_of(line[4]), ""
        if not line[4] and "w" in line[2]:
            kind = _kind_of_nameless(before, line, after)
            if found and found[-1].end == line[0] and "w" in found[-1].permissions:
                extends = found[-1].extends or (
                    found[-1].path if kind_of(found[-1].path) == Kind.FILE else ""
                )
        stack_end = line[0] + STACK_BYTES
        if kind == Kind.STACK and not line[4] and stack_end < line[1]:
            found.append(Mapping(line[0], stack_end, *line[2:], kind=kind))
            line, kind = (stack_end, *line[1:]), Kind.ANONYMOUS
        found.append(Mapping(*line, kind=kind, extends=extends))
    return found


Line = tuple[int, int, str, int, str]


def _kind_of_nameless(before: Line | None, line: Line, after: Line | None) -> Kind:
    """Of private memory that can be written and has no name."""
    begin, end = line[:2]
    if before is not None and before[1] == begin and "r" not in before[2] and not before[4]:
        guard = before[1] - before[0]
        if guard <= MOST_GUARD_BYTES:
            return Kind.STACK
    if begin % ARENA_BYTES == 0:
        rest = after[1] if after is not None and after[0] == end and "r" not in after[2] else end
        if rest - begin == ARENA_BYTES:
            return Kind.HEAP
    return Kind.ANONYMOUS


def over_time(documents: list[Document]) -> list[Mapping]:
    """The mappings of one process, from its lists: each from the list before the first that has it,
    to the first that has it no longer."""
    live: dict[tuple[int, int, str, int, str], Mapping] = {}
    found: list[Mapping] = []
    documents = sorted(documents, key=lambda document: int(document.get("time_ns", 0)))
    times = [int(document.get("time_ns", 0)) for document in documents]
    for before_ns, now_ns, document in zip([0, *times], times, documents, strict=False):
        lines = {
            (line.begin, line.end, line.permissions, line.offset, line.path): line
            for line in _lines(document)
        }
        for key in live.keys() - lines.keys():
            found.append(_since(live.pop(key), live_until=now_ns))
        for key in lines.keys() - live.keys():
            live[key] = _since(lines[key], began_ns=before_ns)
    found += live.values()
    return sorted(found, key=lambda mapping: (mapping.begin, mapping.began_ns))


def _since(line: Mapping, began_ns: int | None = None, live_until: int = FOREVER) -> Mapping:
    began = line.began_ns if began_ns is None else began_ns
    return Mapping(
        line.begin, line.end, line.permissions, line.offset, line.path, began, live_until,
        line.kind, line.extends,
    )  # fmt: skip


def as_ranges(mappings: list[Mapping]) -> Ranges:
    """Owners are indexes in the list."""
    return ranges([(m.begin, m.end, m.began_ns, m.ended_ns, i) for i, m in enumerate(mappings)])
