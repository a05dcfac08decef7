"""Finds the object of each sample: arrays that the program named, what it allocated, static data,
and then whatever mapping holds it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from homenode.profile.allocations import Allocations
from homenode.profile.errors import ProfileError
from homenode.profile.images import read_image
from homenode.profile.mappings import Mapping, as_ranges, kind_of, over_time, region_of
from homenode.profile.objects import NO_OBJECT, Attribution, Instance, Kind, Object
from homenode.profile.place_names import PlaceNames
from homenode.profile.ranges import FOREVER, NOTHING, Ranges, find, join, ranges
from homenode.profile.recording import Recording
from homenode.profile.sites import Site, Sites
from homenode.profile.symbols import demangle, origin

# A key tells objects of one process apart.
Key = tuple[object, ...]
Describe = Callable[[int], tuple[Key, "_Words"]]

__all__ = ["attribute", "kind_of"]


@dataclass(frozen=True)
class _Words:
    """What an object is called."""

    name: str
    kind: Kind
    source: tuple[str, ...] = ()
    place_by: str = ""
    program: str = ""


@dataclass
class _Process:
    """The samples of one process, of which some have found their object. `rows` are their places
    among all samples."""

    pid: int
    rows: NDArray[np.int64]
    addresses: NDArray[np.uint64]
    times: NDArray[np.uint64]
    object_of: NDArray[np.int64] = field(init=False)
    offset_of: NDArray[np.int64] = field(init=False)
    keys: dict[Key, int] = field(default_factory=dict)
    words: list[_Words] = field(default_factory=list)
    instances: list[list[Instance]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.object_of = np.full(len(self.rows), NO_OBJECT, np.int64)
        self.offset_of = np.zeros(len(self.rows), np.int64)

    def left(self) -> NDArray[np.int64]:
        """Those without an object yet."""
        return np.flatnonzero(self.object_of == NO_OBJECT)

    def hits(self, where: Ranges) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Of those: which lie in one of the ranges, and in which."""
        left = self.left()
        times = self.times[left]
        if not self.times.any():
            # The source does not see when: what was there last holds the address.
            where = replace(where, ended_ns=np.full(len(where), FOREVER, np.uint64))
            times = np.full(len(left), FOREVER - 1, np.uint64)
        found = find(where, self.addresses[left], times)
        inside = found != NOTHING
        return left[inside], found[inside]

    def take(self, where: Ranges, describe: Describe) -> None:
        """Gives those that lie in a range to its object."""
        self.give(where, *self.hits(where), describe)

    def give(
        self,
        where: Ranges,
        samples: NDArray[np.int64],
        found: NDArray[np.int64],
        describe: Describe,
    ) -> None:
        """The same, of what hits() has found."""
        used, which = np.unique(found, return_inverse=True)
        objects = np.array([self._object(where, int(at), describe) for at in used], np.int64)
        if len(used):
            self.object_of[samples] = objects[which]
            offsets = self.addresses[samples] - where.begin[found]
            self.offset_of[samples] = offsets.astype(np.int64)

    def _object(self, where: Ranges, at: int, describe: Describe) -> int:
        key, words = describe(int(where.owners[at]))
        index = self.keys.setdefault(key, len(self.words))
        if index == len(self.words):
            self.words.append(words)
            self.instances.append([])
        ended = int(where.ended_ns[at])
        self.instances[index].append(
            Instance(
                int(where.begin[at]),
                int(where.end[at]),
                int(where.began_ns[at]),
                None if ended == FOREVER else ended,
            )
        )
        return index


def _regions(
    recording: Recording, family: list[int], forked_ns: int, given: Ranges
) -> tuple[Ranges, list[str]]:
    """What the program named through the library, as long as the memory is there that was `given`
    to it. What its parents named before it was forked counts where it still has that memory."""
    rows: list[tuple[int, int, int, int, int]] = []
    names: list[str] = []
    for document in recording.of("regions"):
        pid, time_ns = int(document["pid"]), int(document.get("time_ns", 0))
        inherited = pid != family[0]
        if pid not in family or (inherited and time_ns > forked_ns):
            continue
        began_ns, ended_ns = (forked_ns, 0) if inherited else (time_ns, FOREVER)
        for region in document["regions"]:
            begin, end = int(region["begin"]), int(region["end"])
            rows.append((begin, end, began_ns, ended_ns, len(names)))
            names.append(str(region["name"]))
    named = ranges(rows)
    held = find(given, named.begin, named.began_ns)
    known = held != NOTHING
    named.began_ns[known] = given.began_ns[held[known]]
    named.ended_ns[known] = given.ended_ns[held[known]]
    return named, names


def _take_regions(
    process: _Process, regions: tuple[Ranges, list[str]], mappings: list[Mapping]
) -> None:
    """What the agent has heard of, and what the kernel calls so."""

    def of(name: str) -> tuple[Key, _Words]:
        return ("region", name), _Words(name, Kind.REGION)

    where, names = regions
    process.take(where, lambda at: of(names[at]))
    called = [mapping for mapping in mappings if region_of(mapping.path)]
    process.take(as_ranges(called), lambda at: of(region_of(called[at].path)))


def _take_sites(process: _Process, where: Ranges, sites: Sites, called: PlaceNames) -> None:
    """What the program allocated."""
    pid = process.pid
    samples, found = process.hits(where)
    used = np.unique(where.owners[found])
    known = {int(site): sites.find(pid, int(site)) for site in used}
    sites.learn([(pid, site) for site in known.values() if site is not None])

    def describe(number: int) -> tuple[Key, _Words]:
        site = known[number]
        if site is None:
            return ("unknown site",), _Words("allocations of unknown origin", Kind.ALLOCATION)
        return ("site", site.function, site.frames), _of_site(sites, pid, site, called)

    process.give(where, samples, found, describe)


def _of_site(sites: Sites, pid: int, site: Site, called: PlaceNames) -> _Words:
    frames = sites.frames(pid, site)
    name = origin(frames) or f"allocated by {site.function}"
    source = tuple(frame.text for frame in frames)
    condition, path = called.caller(sites.calls(pid, site))
    return _Words(name, Kind.ALLOCATION, source, condition, called.program(path))


def _images(process: _Process, mappings: list[Mapping]) -> dict[tuple[str, int], tuple[int, int]]:
    """The ELF files in whose memory samples are left: from when to when they are loaded, by path
    and by what to add to the linker's addresses."""
    used = np.unique(process.hits(as_ranges(mappings))[1])
    wanted = {mappings[at].extends or mappings[at].path for at in used} - {""}
    found: dict[tuple[str, int], tuple[int, int]] = {}
    for mapping in mappings:
        if mapping.path in wanted and kind_of(mapping.path) == Kind.FILE:
            bias = read_image(mapping.path).bias(mapping.begin, mapping.offset)
            if bias is not None:
                key = (mapping.path, bias)
                began_ns, ended_ns = found.get(key, (FOREVER, 0))
                found[key] = min(began_ns, mapping.began_ns), max(ended_ns, mapping.ended_ns)
    return found


def _take_static(process: _Process, mappings: list[Mapping], called: PlaceNames) -> None:
    """Data that symbols name, and what is left of the data of the same files."""
    parts: list[Ranges] = []
    owners: list[tuple[str, str]] = []
    rest: list[tuple[int, int, int, int, int]] = []
    images = _images(process, mappings)
    for (path, bias), (began_ns, ended_ns) in images.items():
        image = read_image(path)
        data = image.data(bias, began_ns)
        begin, end = image.writable()
        rest.append((begin + bias, end + bias, began_ns, ended_ns, len(rest)))
        parts.append(
            Ranges(
                data.begin,
                data.end,
                data.began_ns,
                np.minimum(data.ended_ns, np.uint64(ended_ns)),
                data.owners + len(owners),
            )
        )
        owners += [(path, name) for name in image.names]
    paths = [path for path, _ in images]

    def of_symbol(at: int) -> tuple[Key, _Words]:
        path, name = owners[at]
        condition, program = called.data(path, name), called.program(path)
        words = _Words(demangle(name), Kind.STATIC, (path,), condition, program)
        return ("symbol", path, name), words

    def of_file(at: int) -> tuple[Key, _Words]:
        name = f"static data of {paths[at].rpartition('/')[2]}"
        return ("data", paths[at]), _Words(name, Kind.STATIC, (paths[at],))

    process.take(join(parts), of_symbol)
    process.take(ranges(rest), of_file)


def _take_mappings(process: _Process, mappings: list[Mapping]) -> None:
    def describe(at: int) -> tuple[Key, _Words]:
        mapping = mappings[at]
        kind = mapping.kind
        if mapping.path:
            return ("path", mapping.path), _Words(mapping.path, kind)
        if kind == Kind.HEAP:
            return ("heap of threads",), _Words("heap of threads", kind)
        name = f"{kind} at {mapping.begin:#x}"
        return ("mapping", kind, mapping.begin), _Words(name, kind)

    process.take(as_ranges(mappings), describe)


def _name_stacks(process: _Process, tids: NDArray[np.uint32], threads: dict[int, str]) -> None:
    """A stack belongs to the thread that uses it most."""
    stacks = [at for at, words in enumerate(process.words) if words.kind == Kind.STACK]
    within = np.flatnonzero(np.isin(process.object_of, stacks))
    for index in stacks:
        words = process.words[index]
        users = tids[process.rows[within[process.object_of[within] == index]]]
        known, counts = np.unique(users, return_counts=True)
        tid = int(known[counts.argmax()])
        name = threads.get(tid, "")
        called = f"stack of thread {tid}" + (f" ({name})" if name else "")
        if words.name == "[stack]":
            called = "stack of the main thread"
        process.words[index] = _Words(called, Kind.STACK)


def _threads(recording: Recording) -> dict[int, str]:
    """The last name of each thread."""
    return {
        int(thread["tid"]): str(thread.get("name", ""))
        for document in recording.of("threads")
        for thread in document["threads"]
    }


def _mappings(recording: Recording, family: list[int]) -> list[Mapping]:
    """Of a process, or of the one that it was forked from, where nobody has looked at it."""
    for pid in family:
        documents = [item for item in recording.of("mappings") if int(item["pid"]) == pid]
        if documents:
            return over_time(documents)
    return []


def attribute(recording: Recording) -> Attribution:
    """Each sample's object: what the program named, allocated, or declared, else the mapping that
    holds it. Objects that no sample belongs to are left out. Raises ProfileError where documents
    of the file are not of the form that they should be."""
    try:
        return _attribute(recording)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ProfileError(
            f"the sample file holds a document of another form ({type(error).__name__}: {error}); "
            "record it again"
        ) from error


def _attribute(recording: Recording) -> Attribution:
    samples = recording.samples
    allocations, sites, threads = Allocations(recording), Sites(recording), _threads(recording)
    of = np.full(len(samples), NO_OBJECT, np.int64)
    offsets = np.zeros(len(samples), np.int64)
    objects: list[Object] = []
    for pid in np.unique(samples["pid"]):
        rows = np.flatnonzero(samples["pid"] == pid)
        process = _Process(int(pid), rows, samples["address"][rows], samples["time_ns"][rows])
        family = sites.family(process.pid)
        mappings = _mappings(recording, family)
        sites.add_mappings(process.pid, mappings)
        called = PlaceNames(sites.files(process.pid))
        blocks, mapped = allocations.blocks(process.pid), allocations.mappings(process.pid)
        forked_ns = allocations.forked_ns(process.pid)
        regions = _regions(recording, family, forked_ns, join([blocks, mapped]))
        _take_regions(process, regions, mappings)
        _take_sites(process, blocks, sites, called)
        _take_sites(process, mapped, sites, called)
        _take_static(process, mappings, called)
        _take_mappings(process, mappings)
        _name_stacks(process, samples["tid"], threads)
        known = process.object_of != NO_OBJECT
        of[rows[known]] = process.object_of[known] + len(objects)
        offsets[rows[known]] = process.offset_of[known]
        objects += [
            Object(
                words.name,
                words.kind,
                tuple(instances),
                words.source,
                process.pid,
                words.place_by,
                words.program,
            )
            for words, instances in zip(process.words, process.instances, strict=True)
        ]
    return Attribution(tuple(objects), of, offsets)
