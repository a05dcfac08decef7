"""The ratchet: metrics.toml says what is allowed, and its values may only fall."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from metrics.commits import measure_commits
from metrics.complexity import measure_complexity
from metrics.documents import measure_documents
from metrics.duplicates import measure_duplicates
from metrics.homes import measure_homes
from metrics.kernel import kernel_headers, measure_kernel
from metrics.sizes import measure_sizes
from metrics.tree import Measure, Tree

FILE = "metrics.toml"


@dataclass(frozen=True)
class Ratchet:
    """What metrics.toml says."""

    allowed: dict[str, int]
    kernel_headers: dict[str, list[str]]  # By room; all are allowed in os.
    shared_headers: dict[str, str]  # Headers that declare what others define -> why.
    paths_of_others: list[str]  # Documents may name them though they are not in this tree.
    base: str  # The commit after which subjects are looked at.


def parse_ratchet(text: str) -> Ratchet:
    """The text of metrics.toml as a value."""
    data = tomllib.loads(text)
    return Ratchet(
        data["allowed"],
        data["kernel_headers"],
        data["shared_headers"],
        data["paths_of_others"],
        data["base"],
    )


def measure_all(tree: Tree, ratchet: Ratchet) -> list[Measure]:
    """Every measure, in the order in which they are shown."""
    return [
        *measure_complexity(tree),
        *measure_sizes(tree),
        *measure_duplicates(tree),
        *measure_homes(tree, ratchet.shared_headers),
        *measure_kernel(tree, ratchet.kernel_headers),
        *measure_documents(tree, ratchet.paths_of_others),
        *measure_commits(tree.root, ratchet.base),
    ]


def risen(measures: list[Measure], ratchet: Ratchet) -> list[Measure]:
    """What is above its allowed value; a measure without one is allowed 0."""
    return [m for m in measures if m.value > ratchet.allowed.get(m.name, 0)]


def fallen(measures: list[Measure], ratchet: Ratchet) -> list[Measure]:
    """What is below its allowed value."""
    return [m for m in measures if m.value < ratchet.allowed.get(m.name, 0)]


def lowered(text: str, measures: list[Measure], used: dict[str, list[str]]) -> str:
    """metrics.toml with each value that has fallen, and each header unused in its room left out."""
    for measure in fallen(measures, parse_ratchet(text)):
        text = re.sub(
            rf"^{measure.name} = \d+$",
            f"{measure.name} = {measure.value}",
            text,
            flags=re.MULTILINE,
        )
    head, mark, rooms = text.partition("[kernel_headers]\n")
    table, end, rest = rooms.partition("\n[")
    rows = (row_of_used(row, used) for row in table.split("\n"))
    return head + mark + "\n".join(row for row in rows if row is not None) + end + rest


def row_of_used(row: str, used: dict[str, list[str]]) -> str | None:
    """A room's row with only the headers that it uses; nothing where none is left."""
    room, _, listed = row.partition(" = ")
    if not listed:
        return row
    kept = [f'"{h}"' for h in re.findall(r'"([^"]+)"', listed) if h in used.get(room, [])]
    return f"{room} = [{', '.join(kept)}]" if kept else None


def lower(root: Path, tree: Tree, measures: list[Measure]) -> None:
    """Writes the lower values into metrics.toml."""
    used = {room: list(headers) for room, headers in kernel_headers(tree).items()}
    file = root / FILE
    file.write_text(lowered(file.read_text(), measures, used))
