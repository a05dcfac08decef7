"""Reads a sample file (docs/sample-file.md) up to its end, or to where it was cut."""

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homenode.profile.errors import ProfileError
from homenode.profile.record import RECORD, Flag

MAGIC, VERSION = b"HNSAMPLE", 1
HEADER = struct.Struct("<8sII")
BLOCK = struct.Struct("<4sI")
PROCESS = struct.Struct("<Q")

# What happened to an allocation or mapping: src/agent/sites/events.h, behind the pid of its block.
EVENT = np.dtype(
    [("time_ns", "<u8"), ("address", "<u8"), ("bytes", "<u8"), ("site", "<u4"), ("event", "<u4")]
)
EVENTS = np.dtype([*EVENT.descr, ("pid", "<u4")])

# How a file begins.
HEAD = HEADER.pack(MAGIC, VERSION, RECORD.itemsize)
DEFAULT_PAGE_SHIFT = 12

Document = dict[str, Any]
Samples = NDArray[np.void]


def number_in(document: Mapping[str, Any], key: str) -> float | None:
    """A number of a document; None where it has none."""
    value = document.get(key)
    return float(value) if isinstance(value, int | float) else None


def is_closing(samples: Samples) -> NDArray[np.bool_]:
    """Which samples are no access."""
    return np.asarray((samples["flags"] & Flag.CLOSING) != 0)


def page_shifts(samples: Samples) -> NDArray[np.uint64]:
    """How large each sample's unit is: 1 << shift bytes, a page where it does not say."""
    shifts = samples["page_shift"].astype(np.uint64)
    return np.where(shifts == 0, np.uint64(DEFAULT_PAGE_SHIFT), shifts)


class Event(IntEnum):
    """The kinds of events."""

    ALLOCATED = 1
    FREED = 2
    MAPPED = 3
    UNMAPPED = 4


@dataclass(frozen=True)
class Recording:
    """What a sample file holds. `cut`: it ends before its end; why, in words."""

    samples: Samples
    begin: Document
    documents: dict[str, list[Document]] = field(default_factory=dict)
    cut: str = ""
    events: NDArray[np.void] = field(default_factory=lambda: np.empty(0, EVENTS))

    def of(self, kind: str) -> list[Document]:
        """The documents of one kind, in order."""
        return self.documents.get(kind, [])

    @property
    def end(self) -> Document | None:
        """How it ended; None where the sampler was killed or still runs."""
        ends = self.of("end")
        return ends[-1] if ends else None

    @property
    def source(self) -> str:
        """The name of the source of the samples."""
        return str(self.begin["source"]["name"])


def _blocks(content: bytes) -> Iterator[tuple[bytes, memoryview]]:
    """The whole blocks; raises EOFError where the last one is not whole."""
    position, view = HEADER.size, memoryview(content)
    while position < len(content):
        if position + BLOCK.size > len(content):
            raise EOFError
        kind, size = BLOCK.unpack_from(content, position)
        position += BLOCK.size
        if position + size > len(content):
            raise EOFError
        yield kind, view[position : position + size]
        position += size


def _events(payload: memoryview) -> NDArray[np.void]:
    if len(payload) < PROCESS.size:
        raise ValueError("a block of allocations names no process")
    count = (len(payload) - PROCESS.size) // EVENT.itemsize
    found = np.empty(count, EVENTS)
    raw = np.frombuffer(payload, EVENT, count, offset=PROCESS.size)
    for name in EVENT.names or ():
        found[name] = raw[name]
    found["pid"] = PROCESS.unpack_from(payload)[0]
    return found


def _document(payload: memoryview) -> Document:
    document = json.loads(bytes(payload))
    if not isinstance(document, dict) or not isinstance(document.get("kind"), str):
        raise ValueError("a document is no object with a kind")
    return document


def parse(content: bytes, name: str = "the sample file") -> Recording:
    """The content of a sample file. Raises ProfileError where it is none, or holds nothing yet."""
    if len(content) < HEADER.size or content[:8] != MAGIC:
        raise ProfileError(f"{name} is no sample file; 'homenode sample --output FILE' writes one")
    _, version, size = HEADER.unpack_from(content)
    if version != VERSION or size != RECORD.itemsize:
        raise ProfileError(
            f"{name} is a sample file of version {version}, and this homenode reads version "
            f"{VERSION}; read it with the homenode that wrote it"
        )
    samples: list[Samples] = []
    events: list[NDArray[np.void]] = []
    documents: dict[str, list[Document]] = {}
    cut = ""
    try:
        for kind, payload in _blocks(content):
            if kind == b"SMPL":
                samples.append(np.frombuffer(payload, RECORD, len(payload) // RECORD.itemsize))
            elif kind == b"ALOC":
                events.append(_events(payload))
            elif kind == b"JSON":
                document = _document(payload)
                documents.setdefault(document["kind"], []).append(document)
    except EOFError:
        cut = "it ends within a block: its writer was killed, still writes, or the disk was full"
    except (ValueError, ArithmeticError, RecursionError) as error:
        cut = f"what follows is damaged ({error})"
    begin = documents.get("begin", [None])[0]
    if begin is None or not isinstance(begin.get("source"), dict) or "name" not in begin["source"]:
        raise ProfileError(f"{name} holds nothing: it was cut at its beginning; record it again")
    # numpy wants something to join.
    found = np.concatenate([np.empty(0, RECORD), *samples])
    happened = np.concatenate([np.empty(0, EVENTS), *events])
    return Recording(found, begin, documents, cut, happened)


def read_recording(path: Path) -> Recording:
    """Reads a sample file. Raises ProfileError where it cannot be read or is none."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ProfileError(f"cannot read {path}: {error.strerror}; check the path") from error
    return parse(content, str(path))


def _block(kind: bytes, payload: bytes) -> bytes:
    return BLOCK.pack(kind, len(payload)) + payload


def _allocations(events: NDArray[np.void]) -> Iterator[bytes]:
    """A block for each process."""
    for pid in np.unique(events["pid"]):
        mine = events[events["pid"] == pid]
        plain = np.empty(len(mine), EVENT)
        for name in EVENT.names or ():
            plain[name] = mine[name]
        yield _block(b"ALOC", PROCESS.pack(int(pid)) + plain.tobytes())


def write_recording(
    path: Path,
    samples: Samples,
    documents: list[Document],
    events: NDArray[np.void] | None = None,
) -> None:
    """Writes a sample file: the first document, samples, allocations, the other documents."""
    first, *others = (_block(b"JSON", json.dumps(document).encode()) for document in documents)
    allocated = [] if events is None else _allocations(events)
    blocks = [HEAD, first, _block(b"SMPL", samples.tobytes()), *allocated, *others]
    path.write_bytes(b"".join(blocks))
