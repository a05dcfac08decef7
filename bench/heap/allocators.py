"""The allocators that are compared, where they are found, and the packages that bring them."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

OURS = "homenode"
BASE = "glibc"


@dataclass(frozen=True)
class Allocator:
    """A library to preload; glibc's own too, for programs that are linked to another."""

    name: str
    library: str
    package: str
    version: str = ""


# Name, the library's soname, the Debian package.
PEERS = (
    (BASE, "libc.so.6", "libc6"),
    ("jemalloc", "libjemalloc.so.2", "libjemalloc2"),
    ("mimalloc", "libmimalloc.so.2", "libmimalloc2.0"),
    ("tcmalloc", "libtcmalloc_minimal.so.4", "libtcmalloc-minimal4"),
    ("tbbmalloc", "libtbbmalloc_proxy.so.2", "libtbbmalloc2"),
)


def libraries(cache: str) -> dict[str, str]:
    """What `ldconfig -p` lists: the path of each soname, this machine's word size first."""
    found: dict[str, str] = {}
    for line in cache.splitlines():
        words = line.split()
        if "=>" in words:
            found.setdefault(words[0], words[-1])
    return found


def output(*command: str) -> str:
    """What a command prints; an empty text where there is no such command."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def commit() -> str:
    """The commit of the working tree, and whether anything in it differs."""
    folder = str(Path(__file__).parent)
    return output("git", "-C", folder, "describe", "--always", "--dirty").strip()


def of_packages() -> tuple[list[Allocator], list[str]]:
    """The peers that Debian's packages bring, and the packages of those that are not here."""
    known = libraries(output("/sbin/ldconfig", "-p"))
    here, missing = [], []
    for name, soname, package in PEERS:
        if soname in known:
            version = output("dpkg-query", "-W", "-f", "${Version}", package)
            library = str(Path(known[soname]).resolve())
            here.append(Allocator(name, library, package, version))
        else:
            missing.append(package)
    return here, missing


def of_folder(folder: Path) -> list[Allocator]:
    """The libraries in a folder, each by its name there, such as those that peers.py builds."""
    files = sorted(folder.glob("*.so"))
    if not files:
        raise ValueError(f"{folder} has no library of a peer (*.so); see --build-peers")
    return [Allocator(path.stem, str(path.resolve()), "") for path in files]


def find(ours: Path, folder: Path | None = None) -> tuple[list[Allocator], list[str]]:
    """The allocators that are here, and the packages of those that are not: with a folder glibc's,
    the folder's and ours."""
    here, missing = of_packages()
    if folder is not None:
        base = [one for one in here if one.name == BASE]
        here, missing = [*base, *of_folder(folder)], []
    if ours.exists():
        here.append(Allocator(OURS, str(ours.resolve()), ""))
    return here, missing
