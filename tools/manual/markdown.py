"""A document of docs/ as the body of a man page: what Markdown these documents use. Pure."""

import re
from collections.abc import Iterator
from itertools import groupby

from manual import roff

ITEM = re.compile(r"^(?:[-*]|\d+\.) +")
CELL = re.compile(r"(?<!\\)\|")


def body(text: str) -> str:
    """The roff of a document; its title and what stands below it become DESCRIPTION."""
    lines = text.splitlines()
    if lines and lines[0].startswith("# "):
        lines[0] = "## Description"
    return "".join(_parts(lines))


def _kind(line: str) -> str:
    if line.startswith("#"):
        return "heading"
    if line.startswith("|"):
        return "table"
    return "text" if line.strip() else "empty"


def _parts(lines: list[str]) -> Iterator[str]:
    fences = [at for at, line in enumerate(lines) if line.startswith("```")]
    begin = 0
    for opened, closed in zip(fences[::2], fences[1::2], strict=True):
        yield from _prose(lines[begin:opened])
        yield roff.block(lines[opened + 1 : closed])
        begin = closed + 1
    yield from _prose(lines[begin:])


def _prose(lines: list[str]) -> Iterator[str]:
    for kind, group in groupby(lines, _kind):
        run = list(group)
        if kind == "heading":
            yield from map(_heading, run)
        elif kind == "table":
            yield _table(run)
        elif kind == "text":
            yield from map(_paragraph, _items(run))


def _heading(line: str) -> str:
    marks, _, title = line.partition(" ")
    if len(marks) <= len("##"):
        return f".SH {roff.escape(title.upper().replace('`', ''))}\n"
    return f".SS {roff.escape(title.replace('`', ''))}\n"


def _items(lines: list[str]) -> Iterator[str]:
    """Paragraphs and items of lists, each on one line."""
    collected: list[str] = []
    for line in lines:
        if ITEM.match(line) and collected:
            yield " ".join(collected)
            collected = []
        collected.append(line.strip())
    yield " ".join(collected)


def _paragraph(text: str) -> str:
    if text.startswith("!["):
        return ""
    item = ITEM.match(text)
    if item:
        return f".IP \\(bu 2\n{roff.inline(text[item.end() :])}\n"
    return f".PP\n{roff.inline(text)}\n"


def _table(lines: list[str]) -> str:
    """A row is an entry: its first cell, and the others by the names of their columns."""
    rows = [
        [cell.strip().replace("\\|", "|") for cell in CELL.split(line.strip("|"))]
        for line in lines
        if not roff.TABLE_RULE.match(line)
    ]
    names, entries = rows[0], rows[1:]
    return "".join(roff.entry(_term(row[0]), _cells(names[1:], row[1:])) for row in entries)


def _term(cell: str) -> str:
    return roff.inline(cell) if "`" in cell else roff.bold(cell)


def _cells(names: list[str], cells: list[str]) -> str:
    if len(cells) == 1:
        return roff.inline(cells[0])
    said = [f"{name}: {cell}" for name, cell in zip(names, cells, strict=True) if cell]
    return "\n.br\n".join(map(roff.inline, said)) or r"\&"
