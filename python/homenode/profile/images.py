"""The ELF files that a process has in memory: where each was loaded, the data and functions that
its symbols name, and the libraries that it is linked to."""

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from numpy.typing import NDArray

from homenode.profile.ranges import FOREVER, Ranges

SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"),
     ("size", "<u8")]
)  # fmt: skip
DATA, FUNCTION = 1, 2
FIRST_RESERVED_SECTION = 0xFF00
WRITABLE = 2
SECTION_IS_WRITABLE = 1


@dataclass(frozen=True)
class Segment:
    """A part of the file that is loaded: at which offset of the file, and where by the linker."""

    offset: int
    address: int
    bytes: int
    writable: bool


@dataclass(frozen=True)
class Functions:
    """The functions that symbols name, by address."""

    begin: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    bytes: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    names: tuple[str, ...] = ()

    def at(self, address: int) -> str:
        """The function whose code holds the address; "" where no symbol names it."""
        at = int(np.searchsorted(self.begin, np.uint64(address), side="right")) - 1
        if at < 0 or address >= int(self.begin[at]) + int(self.bytes[at]):
            return ""
        return self.names[at]


@dataclass(frozen=True)
class Links:
    """What the dynamic linker reads of an ELF file."""

    is_program: bool = False  #: It names a dynamic linker, and no name for itself.
    name: str = ""  #: By which others need it; "" where it has none of its own.
    needed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Image:
    """What an ELF file says of its data and code. Addresses are the linker's."""

    segments: tuple[Segment, ...] = ()
    begin: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    bytes: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    names: tuple[str, ...] = ()
    constants: frozenset[str] = frozenset()  #: Those that are read-only once the program runs.
    functions: Functions = field(default_factory=Functions)
    links: Links = field(default_factory=Links)

    def bias(self, begin: int, offset: int) -> int | None:
        """What to add to the linker's addresses, where a page at `begin` shows the file from
        `offset` on; None where nothing is loaded from there."""
        for segment in self.segments:
            page = segment.offset & ~0xFFF
            if page <= offset < segment.offset + max(segment.bytes, 1):
                return begin - (offset + segment.address - segment.offset)
        return None

    def writable(self) -> tuple[int, int]:
        """From where to where its data is, with what the file only reserves (.bss)."""
        of = [segment for segment in self.segments if segment.writable]
        if not of:
            return 0, 0
        return min(item.address for item in of), max(item.address + item.bytes for item in of)

    def data(self, bias: int, began_ns: int) -> Ranges:
        """The named data, where it is loaded; owners are indexes in `names`."""
        count = len(self.begin)
        # Modulo 2**64, as the dynamic linker adds: a program may lie below where it was linked.
        begin = self.begin + np.uint64(bias % (1 << 64))
        return Ranges(
            begin,
            begin + self.bytes,
            np.full(count, began_ns, np.uint64),
            np.full(count, FOREVER, np.uint64),
            np.arange(count),
        )


def _symbols(elf: Any) -> tuple[NDArray[np.void], bytes]:
    """All symbols, or what other files may refer to where those are stripped; and their names."""
    for name in (".symtab", ".dynsym"):
        section = elf.get_section_by_name(name)
        if section is not None:
            raw = section.data()
            table = np.frombuffer(raw, SYMBOL, len(raw) // SYMBOL.itemsize)
            return table, elf.get_section(section["sh_link"]).data()
    return np.empty(0, SYMBOL), b""


def _text(strings: bytes, at: int) -> str:
    return strings[at : strings.find(b"\0", at)].decode(errors="replace")


def _of_kind(table: NDArray[np.void], kind: int) -> NDArray[np.void]:
    """By address; of several names of one place the first, a global one where there is one."""
    table = table[((table["info"] & 15) == kind) & (table["size"] > 0) & (table["section"] != 0)]
    table = table[np.lexsort((-(table["info"] >> 4).astype(int), table["value"]))]
    return table[np.unique(table["value"], return_index=True)[1]]


def _links(elf: Any) -> Links:
    dynamic = elf.get_section_by_name(".dynamic")
    tags = list(dynamic.iter_tags()) if dynamic is not None else []
    names = [tag.soname for tag in tags if tag.entry.d_tag == "DT_SONAME"]
    needed = tuple(tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED")
    starts = any(part["p_type"] == "PT_INTERP" for part in elf.iter_segments())
    return Links(starts and not names, names[0] if names else "", needed)


def _is_constant(elf: Any, table: NDArray[np.void]) -> NDArray[np.bool_]:
    """Which data is in no section that can be written, or is made read-only by the dynamic
    linker."""
    flags = np.array([section["sh_flags"] for section in elf.iter_sections()] or [0], np.uint64)
    known = table["section"] < min(len(flags), FIRST_RESERVED_SECTION)
    section = np.where(known, table["section"], 0)
    constant = ~known | ((flags[section] & np.uint64(SECTION_IS_WRITABLE)) == 0)
    for part in elf.iter_segments():
        if part["p_type"] == "PT_GNU_RELRO":
            constant |= (table["value"] - np.uint64(part["p_vaddr"])) < np.uint64(part["p_memsz"])
    return np.asarray(constant)


@lru_cache(maxsize=256)
def read_image(path: str) -> Image:
    """What the file says; nothing where it is no ELF file of 64 bits that can be read."""
    try:
        if not Path(path).is_file():  # A device may do anything when it is opened.
            return Image()
        with Path(path).open("rb") as stream:
            elf: Any = ELFFile(stream)
            if elf.elfclass != 64:
                return Image()
            segments = tuple(
                Segment(
                    part["p_offset"],
                    part["p_vaddr"],
                    part["p_memsz"],
                    bool(part["p_flags"] & WRITABLE),
                )
                for part in elf.iter_segments()
                if part["p_type"] == "PT_LOAD"
            )
            table, strings = _symbols(elf)
            links = _links(elf)
            data, code = _of_kind(table, DATA), _of_kind(table, FUNCTION)
            constant = _is_constant(elf, data)
    except (OSError, ELFError, ValueError, KeyError, AttributeError):
        return Image()
    names, called = (tuple(_text(strings, int(at)) for at in part["name"]) for part in (data, code))
    constants = frozenset(name for name, is_one in zip(names, constant, strict=True) if is_one)
    functions = Functions(code["value"].copy(), code["size"].copy(), called)
    begin, size = data["value"].copy(), data["size"].copy()
    return Image(segments, begin, size, names, constants, functions, links)
