"""Names for code addresses, by elfutils: "solve() at solver.c:41", or "libfoo.so+0x1234" where
nothing tells; and C++'s names as people write them."""

import ctypes
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePath

TOOL = "eu-addr2line"
LONGEST_S = 60
INLINED = re.compile(r" inlined at .* in .*$")
DISCRIMINATOR = re.compile(r" \(.*\)$")
# What gfortran makes of the variables and procedures of modules, and of procedures.
FORTRAN_MODULE = re.compile(r"^__(\w+?)_MOD_(\w+)$")
FORTRAN_FILE = re.compile(r"\.(f|for|ftn|f77|f90|f95|f03|f08)$", re.IGNORECASE)
# Of the C library and its like: not what a person would point at.
LIBRARIES = re.compile(
    r"^(libc|libm|ld-linux[\w-]*|libpthread|libstdc\+\+|libc\+\+|libc\+\+abi|libgcc_s|libgfortran"
    r"|libjemalloc|libtcmalloc\w*|libmimalloc|libhomenode)[.-]"
)
FUNCTIONS = re.compile(
    r"^(?:(?:std|__gnu_cxx|__gnu_debug|boost::container|boost::alignment)::|operator new"
    r"|_*[a-z]{0,6}_?(?:m|c|re|v)alloc\w*$|\w*(?:memalign|aligned_alloc)\w*$)"
)


@dataclass(frozen=True)
class Place:
    """A code address of a file, by the linker's count."""

    path: str
    address: int


@dataclass(frozen=True)
class Frame:
    """One function of a call stack; an inlined one is a frame of its own."""

    text: str
    module: str
    own: bool  #: Neither of the C library, nor of an allocator, nor of a standard one inlined.


def _module(path: str) -> str:
    return PurePath(path).name


def _unknown(place: Place) -> Frame:
    module = _module(place.path)
    return Frame(f"{module}+{place.address:#x}", module, not LIBRARIES.match(module))


def bare(function: str) -> str:
    """A function's name with its scopes, without what it gives (templates have that) and takes."""
    depth, words, ends = 0, [0], len(function)
    for at, character in enumerate(function):
        if character == "(" and depth == 0:
            ends = at
        depth += (character in "(<[{") - (character in ")>]}")
        if character == " " and depth == 0:
            words.append(at + 1)
    operator = function.find("operator")
    if operator >= 0:
        ends = min(ends, operator)
        return function[max(at for at in words if at <= ends) :].split("(")[0]
    return function[max(at for at in words if at <= ends) : ends]


def _frame(place: Place, function: str, location: str) -> Frame:
    function = INLINED.sub("", function)
    module = _module(place.path)
    location = DISCRIMINATOR.sub("", location)
    file, _, line = location.rpartition(":") if location.count(":") < 2 else _of(location)
    if FORTRAN_FILE.search(file):
        function = demangle(function).removesuffix("_")
    name = function if function.endswith(")") or "(" in function else f"{function}()"
    where = f" at {PurePath(file).name}:{line}" if file not in ("", "??") else f" in {module}"
    own = not LIBRARIES.match(module) and not FUNCTIONS.match(bare(function))
    return Frame(name + where, module, own)


def _of(location: str) -> tuple[str, str, str]:
    """FILE:LINE:COLUMN, of which the column is left out."""
    file, line, _ = location.rsplit(":", 2)
    return file, ":", line


def _parse(path: str, text: str) -> dict[int, tuple[Frame, ...]]:
    """What the tool prints: each address, then a line for each function and one for its place."""
    found: dict[int, tuple[Frame, ...]] = {}
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        place = Place(path, int(lines[at], 16))
        at += 1
        frames = []
        while at + 1 < len(lines) and not re.fullmatch(r"0x[0-9a-f]+", lines[at]):
            if lines[at] != "??":
                frames.append(_frame(place, lines[at], lines[at + 1]))
            at += 2
        found[place.address] = tuple(frames) or (_unknown(place),)
    return found


def _ask(path: str, addresses: list[int]) -> dict[int, tuple[Frame, ...]]:
    """Nothing where the tool is missing, takes too long, or cannot read the file."""
    command = [TOOL, "-e", path, "-f", "-i", "-C", "-a"]
    # It would fetch symbols over the network.
    environment = {name: value for name, value in os.environ.items() if name != "DEBUGINFOD_URLS"}
    try:
        done = subprocess.run(
            command,
            input="".join(f"{address:#x}\n" for address in addresses),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LONGEST_S,
            env=environment,
        )
        return _parse(path, done.stdout) if done.returncode == 0 else {}
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return {}


@dataclass
class Symbolizer:
    """Asks for many places of a file at once, and for each only once."""

    known: dict[Place, tuple[Frame, ...]] = field(default_factory=dict)

    def learn(self, places: Iterable[Place]) -> None:
        """Looks up those that are not known yet."""
        wanted: dict[str, set[int]] = defaultdict(set)
        for place in places:
            if place not in self.known:
                wanted[place.path].add(place.address)
        for path, addresses in wanted.items():
            found = _ask(path, sorted(addresses)) if path.startswith("/") else {}
            for address in addresses:
                place = Place(path, address)
                self.known[place] = found.get(address) or (_unknown(place),)

    def frames(self, place: Place) -> tuple[Frame, ...]:
        """The function at a place, and before it those inlined into it."""
        self.learn([place])
        return self.known[place]


def origin(frames: list[Frame]) -> str:
    """The frame that names what the stack allocated: the first of the program's own."""
    return next((frame.text for frame in frames if frame.own), frames[0].text if frames else "")


@lru_cache(maxsize=1)
def _cxxabi() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL("libstdc++.so.6")
    except OSError:
        return None
    library.__cxa_demangle.restype = ctypes.c_void_p
    return library


@lru_cache(maxsize=65536)
def demangle(name: str) -> str:
    """A name of C++ or of a Fortran module as it is written; any other as it is."""
    if module := FORTRAN_MODULE.match(name):
        return "::".join(module.groups())
    library = _cxxabi() if name.startswith("_Z") else None
    if library is None:
        return name
    status = ctypes.c_int()
    text = library.__cxa_demangle(name.encode(), None, None, ctypes.byref(status))
    if not text:
        return name
    try:
        return ctypes.string_at(text).decode(errors="replace")
    finally:
        free = ctypes.CDLL(None).free
        free.argtypes = [ctypes.c_void_p]
        free(text)
