"""The version: CMakeLists.txt has it, and other files that must name it agree.

The Python package reads CMakeLists.txt (pyproject.toml), and so do the packages of packaging/.
"""

import re
from pathlib import Path

CMAKE = "CMakeLists.txt"
CITATION = "CITATION.cff"
CHANGELOG = "CHANGELOG.md"
UNRELEASED = "Unreleased"

PROJECT = re.compile(r"^(project\(homenode VERSION )(\d+\.\d+\.\d+)", re.MULTILINE)
CITED = re.compile(r"^(version: )(\d+\.\d+\.\d+)$", re.MULTILINE)
CITED_DATE = re.compile(r"^(date-released: ).*$", re.MULTILINE)
SECTION = re.compile(r"^## (\S+)(?: \((\d{4}-\d{2}-\d{2})\))?$", re.MULTILINE)


def _found(pattern: re.Pattern[str], root: Path, file: str) -> str:
    found = pattern.search((root / file).read_text())
    if found is None:
        raise ValueError(f"{file} names no version")
    return found[2]


def version(root: Path) -> str:
    """The version of the source tree."""
    return _found(PROJECT, root, CMAKE)


def section(changelog: str, name: str) -> str | None:
    """What a section of the changelog says; None where there is no such section."""
    heads = list(SECTION.finditer(changelog))
    for at, head in enumerate(heads):
        if head[1] == name:
            end = heads[at + 1].start() if at + 1 < len(heads) else len(changelog)
            return changelog[head.end() : end].strip()
    return None


def disagreements(root: Path) -> list[str]:
    """What names another version than CMakeLists.txt, a line each."""
    wanted = version(root)
    said = []
    if (cited := _found(CITED, root, CITATION)) != wanted:
        said.append(f"{CITATION} names version {cited}, and {CMAKE} {wanted}")
    newest = SECTION.search((root / CHANGELOG).read_text())
    if newest is None or newest[1] not in (UNRELEASED, wanted):
        name = newest[1] if newest else "nothing"
        said.append(f"{CHANGELOG} begins with {name}, not with {UNRELEASED} or {wanted}")
    return said


def hindrances(root: Path) -> list[str]:
    """Why the source tree is no release yet, a line each with what to do."""
    wanted = version(root)
    said = disagreements(root)
    changelog = (root / CHANGELOG).read_text()
    if section(changelog, UNRELEASED):
        said.append(
            f"{CHANGELOG} has unreleased changes; './dev release --prepare {wanted}' makes them "
            f"those of {wanted}"
        )
    if not section(changelog, wanted):
        said.append(f"{CHANGELOG} has no section '## {wanted} (DATE)' that says what is new")
    return said


def prepare(root: Path, wanted: str, date: str) -> None:
    """Writes a version and its date into every file that names them."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", wanted):
        raise ValueError(f"'{wanted}' is not a version; write one such as 1.2.3")
    for file, pattern, text in (
        (CMAKE, PROJECT, rf"\g<1>{wanted}"),
        (CITATION, CITED, rf"\g<1>{wanted}"),
        (CITATION, CITED_DATE, rf"\g<1>{date}"),
        (CHANGELOG, re.compile(rf"^## {UNRELEASED}$", re.MULTILINE), f"## {wanted} ({date})"),
    ):
        path = root / file
        path.write_text(pattern.sub(text, path.read_text(), count=1))
