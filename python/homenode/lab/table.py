"""Text in columns, for what the lab's command prints. Pure."""

from collections.abc import Sequence


def table(rows: Sequence[Sequence[object]]) -> str:
    """Right-aligned columns, two spaces apart."""
    text = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*text, strict=True)]
    lines = (
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in text
    )
    return "\n".join(lines)
