"""Files of src that share code: runs of lines that are the same, or the same but for names."""

import re
from collections import defaultdict
from collections.abc import Callable
from itertools import combinations

from metrics.tree import NATIVE, Measure, Tree

RUN = 6
# Lines of fewer different shapes are a list: members of a structure, names, cases.
SHAPES = 3
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
IGNORED = re.compile(r"#\s*(include|pragma)\b|using\b|namespace\b|[{}();,\s]*$")
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
NUMBER = re.compile(r"\b\d[\w.']*")
NAME = re.compile(r"\b[A-Za-z_]\w*")
KEYWORDS = re.compile(
    "auto|bool|break|case|class|const|constexpr|continue|double|else|enum|false|for|if|int"
    "|nullptr|return|static|std|struct|switch|true|unsigned|void|while"
)


def code_lines(text: str) -> list[str]:
    """The lines that say something, without comments and spaces."""
    bare = (re.sub(r"\s+", " ", line).strip() for line in COMMENT.sub("", text).splitlines())
    return [line for line in bare if not IGNORED.match(line)]


def shape_lines(text: str) -> list[str]:
    """The same with every text, number and name of one's own replaced by a sign."""

    def shape(line: str) -> str:
        line = NUMBER.sub("0", TEXT.sub('""', line))
        return NAME.sub(lambda m: m[0] if KEYWORDS.fullmatch(m[0]) else "n", line)

    return [shape(line) for line in code_lines(text)]


def pairs(tree: Tree, lines_of: Callable[[str], list[str]], different: int) -> list[str]:
    """Pairs of files with RUN lines and more in common, so many of them different; most first."""
    holders: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for file in tree.under(("src",), NATIVE):
        lines = lines_of(tree.text(file))
        for start in range(len(lines) - RUN + 1):
            run = tuple(lines[start : start + RUN])
            if len(set(run)) >= different:
                holders[run].add(file)
    runs: dict[tuple[str, str], int] = defaultdict(int)
    for files in holders.values():
        for pair in combinations(sorted(files), 2):
            runs[pair] += 1
    ranked = sorted(runs.items(), key=lambda item: (-item[1], item[0]))
    return [f"{a} and {b} share {count + RUN - 1} lines" for (a, b), count in ranked]


def measure_duplicates(tree: Tree) -> list[Measure]:
    """Pairs of files that share lines, and pairs that share the shape of lines."""
    same, alike = pairs(tree, code_lines, 1), pairs(tree, shape_lines, SHAPES)
    return [
        Measure("pairs_of_files_with_same_lines", len(same), same),
        Measure("pairs_of_files_with_alike_lines", len(alike), alike),
    ]
