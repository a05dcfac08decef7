"""What clang-tidy sees only in a file of its own: ./dev lint gives it several files as one."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SOURCES = sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in {".c", ".cpp"})
INCLUDED_SOURCE = re.compile(r'^\s*#\s*include\s+["<]([^">]+\.(?:c|cpp))[">]', re.MULTILINE)
NAME = re.compile(r"^\s*(?:using [\w:]*::(\w+)|namespace (\w+) = [\w:]+);", re.MULTILINE)


def faults(text: str) -> list[str]:
    """Sources that a source includes, and names that it takes over and never uses."""
    names = [using or alias for using, alias in NAME.findall(text)]
    rest = NAME.sub("", text)
    unused = [name for name in names if not re.search(rf"\b{name}\b", rest)]
    return INCLUDED_SOURCE.findall(text) + unused


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_source_includes_headers_and_uses_the_names_that_it_takes(path: Path) -> None:
    assert faults(path.read_text()) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("using machine::Node;\nNode node;\n", []),
        ("using machine::Node;\nNodes nodes;\n", ["Node"]),
        ("namespace map = workloads::map;\n", ["map"]),
        ('#include "cli/where.cpp"\n', ["cli/where.cpp"]),
    ],
)
def test_faults_are_seen(text: str, wrong: list[str]) -> None:
    assert faults(text) == wrong
