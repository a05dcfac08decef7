"""By which names `homenode run --place` finds what a program uses: its static data, and the
functions that allocate. The command looks in the program's file and in the libraries that the
dynamic linker lists for it, so what a library does that the program loads later has no name
there."""

import re
from collections.abc import Iterable
from pathlib import PurePath

from homenode.profile.images import read_image
from homenode.profile.symbols import Place, bare, demangle

# With the arguments of templates; where these have a sign of patterns in them (double*), and where
# the name of an operator has a bracket of theirs, the linker's name is plainer.
READABLE = re.compile(r"(?!.*\boperator\b)[A-Za-z_][\w:<>, ~]*")
LINKERS = re.compile(r"[\w.$@]+")
NEW = re.compile(r"_Zn[wa]")  # operator new, which is not what `from=` means by a caller.


def pattern(symbol: str) -> str:
    """What finds a symbol: its name in the source where that is plain, else the linker's name; ""
    where neither is a pattern that stands for itself."""
    written = demangle(symbol)
    name = bare(written)
    if written != symbol and READABLE.fullmatch(name):
        return name
    return symbol if LINKERS.fullmatch(symbol) else ""


def _called(path: str) -> str:
    return read_image(path).links.name or PurePath(path).name


def _with_libraries(program: str, files: list[str]) -> frozenset[str]:
    """The program's file and those of the libraries that it needs, among the files that were
    loaded."""
    named = {_called(path): path for path in files}
    found, left = {program}, [program]
    while left:
        for needed in read_image(left.pop()).links.needed:
            path = named.get(needed)
            if path is not None and path not in found:
                found.add(path)
                left.append(path)
    return frozenset(found)


class PlaceNames:
    """The names of one process, by the files that it had loaded."""

    def __init__(self, files: Iterable[str]) -> None:
        loaded = list(dict.fromkeys(files))
        programs = [path for path in loaded if read_image(path).links.is_program]
        self._parts = {program: _with_libraries(program, loaded) for program in programs}

    def program(self, path: str) -> str:
        """The program that a loaded file belongs to; "" where `run` would not look in it."""
        return next((name for name, parts in self._parts.items() if path in parts), "")

    def data(self, path: str, symbol: str) -> str:
        """The condition for static data; "" where `run` would not find it or not place it."""
        if not self.program(path) or symbol in read_image(path).constants:
            return ""
        name = pattern(symbol)
        return f"name={name}" if name else ""

    def caller(self, calls: Iterable[Place | None]) -> tuple[str, str]:
        """Of the calls that led to an allocation, innermost first: the condition for what the
        function that asked for it allocates, and its file; "" where `run` would not find it."""
        for call in calls:
            symbol = read_image(call.path).functions.at(call.address) if call is not None else ""
            if NEW.match(symbol):
                continue
            name = pattern(symbol) if call is not None and self.program(call.path) else ""
            return (f"from={name}", call.path) if name and call is not None else ("", "")
        return "", ""
