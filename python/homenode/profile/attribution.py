"""Finds the object of each sample: by mappings. Pure."""

import numpy as np

from homenode.profile.objects import NO_OBJECT, Attribution, Instance, Kind, Object
from homenode.profile.recording import Document, Recording

KINDS = (
    ("[heap]", Kind.HEAP),
    ("[stack", Kind.STACK),
    ("[v", Kind.KERNEL),
    ("/dev/shm", Kind.SHARED),
    ("/SYSV", Kind.SHARED),
    ("/anon_hugepage", Kind.HUGE_PAGES),
    ("/", Kind.FILE),
)


def kind_of(path: str) -> Kind:
    """What a mapping is, by what /proc/PID/maps says behind its addresses."""
    return next((kind for start, kind in KINDS if path.startswith(start)), Kind.ANONYMOUS)


def _object(pid: int, mapping: Document) -> Object:
    begin, end, path = int(mapping["begin"]), int(mapping["end"]), str(mapping.get("path", ""))
    kind = kind_of(path)
    name = path or f"{kind} at {begin:#x}"
    return Object(name, kind, (Instance(begin, end),), pid=pid)


def attribute(recording: Recording) -> Attribution:
    """Each sample's object: the mapping that holds it, as the last list that has it says."""
    found: dict[tuple[int, int, int, str], Object] = {}
    for document in recording.of("mappings"):
        for mapping in document["mappings"]:
            pid = int(document["pid"])
            key = (pid, int(mapping["begin"]), int(mapping["end"]), str(mapping.get("path", "")))
            found[key] = _object(pid, mapping)
    objects = tuple(found.values())
    samples = recording.samples
    of = np.full(len(samples), NO_OBJECT, np.int64)
    offsets = np.zeros(len(samples), np.int64)
    for index, item in enumerate(objects):
        part = item.instances[0]
        inside = (samples["address"] >= part.begin) & (samples["address"] < part.end)
        inside &= samples["pid"] == item.pid
        of[inside] = index
        offsets[inside] = (samples["address"][inside] - np.uint64(part.begin)).astype(np.int64)
    return Attribution(objects, of, offsets)
