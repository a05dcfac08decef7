"""The walks of ARCHITECTURE.md, what a reader opens to follow a command, hold and stay short."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "ARCHITECTURE.md").read_text()
MOST_FILES = {"run": 28, "where": 25, "bench": 30}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
WALK = re.compile(
    r"^\*\*`(\w+)[^`]*`\*\* \((\d+) files\): (.+?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL
)


def files_of(walk: str) -> list[Path]:
    """The files of a walk: names are below the folder that was named last."""
    folder, files = "", []
    for name in re.findall(r"`([^`]+)`", walk):
        if name.endswith("/"):
            folder = name
        else:
            files.append(ROOT / (name if name.startswith("src/") else folder + name))
    return files


def walks(text: str) -> dict[str, tuple[int, list[Path]]]:
    section = text.split("## Three walks\n", 1)[1].split("\n## ", 1)[0]
    return {name: (int(count), files_of(walk)) for name, count, walk in WALK.findall(section)}


def header(path: Path) -> Path:
    """Where the names of a source are declared: x.h for x.cpp, or for x_part.cpp."""
    stem = path.stem
    while not (found := path.with_name(f"{stem}.h")).exists() and "_" in stem:
        stem = stem.rpartition("_")[0]
    return found


def declared_in_a_table(path: Path, seen: set[Path]) -> bool:
    """A source that implements a factory of a table.h, which it includes."""
    own = INCLUDE.findall(path.read_text()) if path.exists() else []
    return any(name.endswith("/table.h") and ROOT / "src" / name in seen for name in own)


def unreachable(files: list[Path]) -> list[Path]:
    """Files that no earlier one includes, be it through the earlier one's header."""
    seen: set[Path] = {files[0]}
    alone = []
    for path in files:
        if not (path in seen or header(path) in seen or declared_in_a_table(path, seen)):
            alone.append(path)
        for opened in (path, header(path)):
            if opened.exists():
                seen |= {ROOT / "src" / name for name in INCLUDE.findall(opened.read_text())}
    return alone


WALKS = walks(TEXT)


def test_the_walks_are_there() -> None:
    assert {"run", "where"} <= set(WALKS) <= set(MOST_FILES)


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_is_as_long_as_it_says_and_no_longer_than_it_may(name: str) -> None:
    count, files = WALKS[name]
    assert len(set(files)) == len(files) == count <= MOST_FILES[name]


@pytest.mark.parametrize("name", WALKS)
def test_each_file_of_a_walk_follows_from_those_before(name: str) -> None:
    files = WALKS[name][1]
    assert [str(path) for path in files if not path.exists()] == []
    assert unreachable(files) == []


def test_the_rule_can_fail() -> None:
    source = ROOT / "src"
    files = [source / "cli/main.cpp", source / "cli/invoke.cpp", source / "lab/timing/core.h"]
    assert unreachable(files) == [files[2]]
    assert walks("## Three walks\n\n**`run x`** (2 files): `src/a/` `b.h`,\n`c/d.cpp`.\n") == {
        "run": (2, [source / "a/b.h", source / "a/c/d.cpp"])
    }
