"""The files of the source tree: what git tracks or would track, read once."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

NATIVE = (".h", ".hpp", ".c", ".cpp")
SOURCES = (*NATIVE, ".py")


@dataclass(frozen=True)
class Measure:
    """One figure of the tree and the places that it consists of."""

    name: str
    value: int
    places: list[str]


@dataclass
class Tree:
    """A folder and the paths of its files, relative to it, in order."""

    root: Path
    files: list[str]
    _texts: dict[str, str] = field(default_factory=dict)

    def text(self, file: str) -> str:
        """A file's text; "" for what is not text."""
        if file not in self._texts:
            self._texts[file] = (self.root / file).read_text(errors="replace")
        return self._texts[file]

    def lines(self, file: str) -> int:
        """How many lines a file has."""
        return len(self.text(file).splitlines())

    def under(self, folders: tuple[str, ...], endings: tuple[str, ...]) -> list[str]:
        """The files below some folders that end in one of `endings`."""
        heads = tuple(f"{folder}/" for folder in folders)
        return [f for f in self.files if f.startswith(heads) and f.endswith(endings)]


def read_tree(root: Path) -> Tree:
    """The tree at `root`; without git, every file but those of build folders."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        names = {name for name in done.stdout.split("\0") if name}
    else:
        hidden = {"build", "results"}
        paths = (p.relative_to(root) for p in root.rglob("*"))
        names = {str(p) for p in paths if p.parts[0] not in hidden and p.parts[0][0] != "."}
    return Tree(root, sorted(name for name in names if (root / name).is_file()))
