"""Every environment variable that homenode reads or sets is in its table, and no other."""

import re
from pathlib import Path

import pytest

from homenode import environment
from homenode.environment import variables

ROOT = Path(__file__).resolve().parents[3]
SUFFIXES = {".h", ".c", ".cpp", ".in", ".py"}
SOURCES = sorted(
    path
    for folder in ("src", "python", "cmake")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in SUFFIXES
)
TABLE = {variable.name for variable in variables()}
# A name that is given at once, in C, C++ or Python.
CALL = re.compile(
    r"""\b(?:getenv|setenv|unsetenv|putenv|folders_in|environ\.get|environ\.pop|environ\.setdefault)
        \(\s*"([^"]+)" | \benviron\[\s*"([^"]+)" | "([A-Z_]+)"\s+(?:not\s+)?in\s+os\.environ""",
    re.VERBOSE,
)
# One that is passed on, put together, or in a table: it looks like no other text.
LOOK = re.compile(r'"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)=?"')
ELF = {"DT_NEEDED", "DT_SONAME", "PT_GNU_RELRO", "PT_INTERP", "PT_LOAD"}
NO_VARIABLES = {"CAP_SYS_NICE", "NO_NODE", *ELF}


def names(text: str) -> set[str]:
    """The variables that a source names."""
    called = {name for groups in CALL.findall(text) for name in groups if name}
    return called | (set(LOOK.findall(text)) - NO_VARIABLES)


def test_every_variable_is_in_the_table() -> None:
    missing = {str(path.relative_to(ROOT)): names(path.read_text()) - TABLE for path in SOURCES}
    assert {path: found for path, found in missing.items() if found} == {}


def test_the_table_has_no_other() -> None:
    words = {word for path in SOURCES for word in re.findall(r"\w+", path.read_text())}
    assert TABLE - words == set()
    assert len(TABLE) == len(variables())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('std::getenv("EDITOR")', {"EDITOR"}),
        ('os.environ["LANG"]', {"LANG"}),
        ('os.environ.get("LANG", "C")', {"LANG"}),
        ('x = "DEBUG" not in os.environ', {"DEBUG"}),
        ('getenv(\n    "PAGER")', {"PAGER"}),
        ('constexpr auto name = "HOMENODE_NEW";', {"HOMENODE_NEW"}),
        ('env["PATH"], "FILE", "CAP_SYS_NICE"', set()),
    ],
)
def test_names_are_found(text: str, found: set[str]) -> None:
    assert names(text) == found


def test_the_page_of_the_documentation_is_the_tables() -> None:
    page = (ROOT / "docs" / "environment.md").read_text()
    assert page == environment.page(), "python3 -m homenode.environment > docs/environment.md"


def test_every_row_says_who_uses_it_and_how() -> None:
    for variable in variables():
        assert set(variable.parts.split(", ")) <= {"command", "agent", "malloc", "lab", "study"}
        assert variable.use in {"reads", "sets", "reads, sets"}
        assert variable.meaning.endswith(".")
