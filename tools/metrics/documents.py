"""Paths that documents and comments name, and that are not there."""

import re
from collections.abc import Collection
from pathlib import PurePath, PurePosixPath

from metrics.tree import SOURCES, Measure, Tree

ENDING = r"\.(?:h|hpp|c|cpp|py|md|toml|txt|cmake|json|xml|svg|f90|map|sh)"
SPAN = re.compile(r"`([\w./-]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
FILE = re.compile(rf"(?<![\w./<*>-])[\w.-]+(?:/[\w.-]+)*/[\w.-]+{ENDING}(?![\w/*<-])")
COMMENT = {
    ".py": re.compile(r"(?<!['\"\w])#[^\n]*|\"\"\".*?\"\"\"", re.DOTALL),
    ".c": re.compile(r"(?<!:)//[^\n]*|/\*.*?\*/", re.DOTALL),
}
SOURCE_NAME = re.compile(r"[\w-]+\.(?:h|hpp|c|cpp|py|cmake)")
# What a reader takes for the start of a path: the folders in which names are looked for.
BASES = ("", "src", "include", "python", "python/homenode", "tests", "tests/python")


class Names:
    """The files and folders of a tree, as documents may name them."""

    def __init__(self, tree: Tree) -> None:
        """Of all files, and of all the folders that hold them."""
        self.known = set(tree.files)
        for file in tree.files:
            self.known |= {str(parent) for parent in PurePath(file).parents}
        self.last = {PurePath(name).name for name in tree.files}
        self.folders = {PurePath(name).name for name in self.known - set(tree.files)}
        self.top = {name.split("/")[0] for name in self.known - {"."}}

    def exists(self, path: str, beside: str) -> bool:
        """Whether `path` is there: below a base, or beside or above the file that names it."""
        if "/" not in path and path in self.last:
            return True
        bases = [PurePosixPath(base) for base in BASES]
        bases += list(PurePosixPath(beside).parents)
        return any(self._normal(base / path) in self.known for base in bases)

    @staticmethod
    def _normal(path: PurePosixPath) -> str:
        parts: list[str] = []
        for part in path.parts:
            if part == "..":
                parts = parts[:-1]
            else:
                parts.append(part)
        return "/".join(parts)

    def is_own(self, path: str) -> bool:
        """Whether a path can only mean something of this tree."""
        return "/" in path and not path.startswith("/") and path.split("/")[0] in self.folders


def named_in_markdown(text: str, names: Names) -> list[str]:
    """Links to files, and spans of code that are paths."""
    every = SPAN.findall(text)
    spans = [s.rstrip("/") for s in every if "/" in s and s.split("/")[0] in names.top]
    spans += [span for span in every if SOURCE_NAME.fullmatch(span)]
    links = [link for link in LINK.findall(text) if "://" not in link and ":" not in link]
    files = [f for f in FILE.findall(text) if names.is_own(f)]
    return sorted({*spans, *links, *files})


def named_in_comments(text: str, ending: str, names: Names) -> list[str]:
    """Paths of files in a source's comments."""
    comments = COMMENT[".py" if ending == ".py" else ".c"].findall(text)
    return sorted({f for c in comments for f in FILE.findall(c) if names.is_own(f)})


def measure_documents(tree: Tree, foreign: Collection[str]) -> list[Measure]:
    """Every path that is named and does not exist, but for `foreign` ones."""
    names = Names(tree)
    missing = []

    def is_missing(path: str, file: str) -> bool:
        return path not in foreign and not names.exists(path, file)

    for file in tree.files:
        if file == "CHANGELOG.md" or not file.endswith((".md", *SOURCES)):
            continue
        if file.endswith(".md"):
            named = named_in_markdown(tree.text(file), names)
        else:
            named = named_in_comments(tree.text(file), PurePath(file).suffix, names)
        missing += [f"{file} names {path}" for path in named if is_missing(path, file)]
    return [Measure("paths_named_but_missing", len(missing), missing)]
