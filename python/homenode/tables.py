"""Tables that C++ and Python share: files of rows that C++ includes as initialisers.

A row begins with a brace in the first column and ends with a brace and a comma at a line's end.
Between them are numbers and strings, which may go over several lines, as both languages join them.
"""

import ast
import re
from pathlib import Path

COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
BEGIN = re.compile(r"^\{", re.MULTILINE)
END = re.compile(r"\},$", re.MULTILINE)

Row = tuple[int | str, ...]


def rows(path: Path) -> tuple[Row, ...]:
    """The rows of a table. Raises ValueError or SyntaxError for what is none."""
    text = COMMENT.sub("", path.read_text(encoding="utf-8"))
    value = ast.literal_eval(f"({END.sub('),', BEGIN.sub('(', text))})")
    return tuple(value)
