"""Where homenode's own files are: in the installed package, or in the source tree and its build."""

import os
from collections.abc import Iterator
from pathlib import Path

LIBEXEC = "HOMENODE_LIBEXEC"  # Folders of what was built; set by the build tree's start script.

_PACKAGE = Path(__file__).resolve().parent
SOURCE = _PACKAGE.parents[1]  # The source tree, or where machines and studies are installed.
BUILD = SOURCE / "build" / "release"


def folders_in(variable: str) -> list[Path]:
    """The folders that an environment variable lists, separated by colons."""
    return [Path(item) for item in os.environ.get(variable, "").split(":") if item]


def packaged(kind: str) -> Path:
    """The installed package's folder of `kind`: machines, studies, libexec."""
    return _PACKAGE / "data" / kind


def shipped(kind: str) -> list[Path]:
    """The folders that may hold files of `kind` that come with homenode: machines, studies."""
    return [packaged(kind), SOURCE / kind]


def built() -> Iterator[Path]:
    """The folders of what was built: HOMENODE_LIBEXEC's, the installation's, the build tree's."""
    yield from folders_in(LIBEXEC)
    yield from (packaged("libexec"), packaged("lib"))
    if SOURCE.parts[-2:] == ("share", "homenode"):
        yield from (SOURCE.parents[1] / kind / "homenode" for kind in ("lib", "libexec"))
    yield from (BUILD / "lib", BUILD / "bin")


def find_built(name: str) -> Path | None:
    """The path of what was built by that name, if it is there."""
    found = (folder / name for folder in built())
    return next((path.resolve() for path in found if path.is_file()), None)
