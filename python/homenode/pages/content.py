"""What stands on a page, as values: sections of tables, matrices, facts and sentences. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from homenode.report.words import percent
from homenode.sizes import size_text


@dataclass(frozen=True)
class Cell:
    """A cell of a table. With a share, from 0 to 1, it has a bar of that length behind it."""

    text: str
    share: float | None = None
    is_number: bool = True


@dataclass(frozen=True)
class Table:
    """Rows below a head; the first cell of each is its name."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""


@dataclass(frozen=True)
class Matrix:
    """Amounts from the nodes of the rows to those of the columns."""

    title: str
    nodes: Sequence[int]
    rows: Sequence[Sequence[float]]
    noun: str


@dataclass(frozen=True)
class Drawing:
    """An SVG that is made already."""

    svg: str
    note: str = ""


@dataclass(frozen=True)
class Facts:
    """Names and what they are."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    words: str


@dataclass(frozen=True)
class Code:
    """Lines as they stand, such as a command."""

    lines: str


Element = Table | Matrix | Drawing | Facts | Text | Code


@dataclass(frozen=True)
class Section:
    """A heading and what is below it."""

    title: str
    elements: Sequence[Element]


@dataclass(frozen=True)
class Page:
    """A page: a line above its title, the title, sentences, sections."""

    over: str
    title: str
    lead: Sequence[str] = ()
    notes: Sequence[str] = ()
    sections: Sequence[Section] = field(default_factory=tuple)


def name(text: object) -> Cell:
    """A cell of words."""
    return Cell(str(text), is_number=False)


def amounts(by_node: Mapping[str, int], nodes: Sequence[int], whole: int) -> list[Cell]:
    """A cell for each node, in bytes, with a bar of its share of `whole`; then their sum."""
    values = [by_node.get(str(node), 0) for node in nodes]
    cells = [Cell(size(value), value / whole if whole else 0.0) for value in values]
    return [*cells, Cell(size(sum(values)))]


def size(count: int) -> str:
    """An amount of memory; a dash for none."""
    return size_text(count) if count else "–"


def share(value: float | None) -> str:
    """A share in percent; a question mark for what is not known."""
    return "?" if value is None else percent(value)
