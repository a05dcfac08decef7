"""What X.h declares, X.cpp defines: functions whose definition is in another source."""

import subprocess
from collections import defaultdict
from collections.abc import Collection
from pathlib import PurePath
from typing import NamedTuple

from metrics.tree import NATIVE, Measure, Tree

FORMAT = "%K\t%F\t%n\t%{scopeKind}\t%s\t%N"


class Tag(NamedTuple):
    """A function or prototype as Universal Ctags sees it."""

    kind: str  # function or prototype
    file: str
    line: str
    scope_kind: str  # namespace, class, struct, or empty
    scope: str
    name: str

    @property
    def full_name(self) -> str:
        """The name with its scope."""
        return f"{self.scope}::{self.name}".lstrip(":")

    @property
    def stem(self) -> str:
        """The file without its ending."""
        return str(PurePath(self.file).with_suffix(""))


def tags(tree: Tree, files: list[str]) -> list[Tag]:
    """The functions and prototypes of C and C++ files."""
    text = subprocess.run(
        [
            "ctags",
            "-x",
            "--language-force=C++",
            "--kinds-C++=fp",
            f"--_xformat={FORMAT}",
            "-L",
            "-",
        ],
        cwd=tree.root,
        input="\n".join(files),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [Tag(*row.split("\t")) for row in text.splitlines()]


def is_home(tag: Tag, stem: str) -> bool:
    """Whether `tag`, declared in X.h, may be defined in `stem`: X.cpp or its part X_part.cpp."""
    return stem == tag.stem or stem.startswith(f"{tag.stem}_")


def measure_homes(tree: Tree, excepted: Collection[str]) -> list[Measure]:
    """Functions that a header of src declares and a source of another name defines."""
    defined: dict[str, set[str]] = defaultdict(set)
    declared = []
    for tag in tags(tree, tree.under(("src",), NATIVE)):
        if tag.kind == "function":
            defined[tag.full_name].add(tag.stem)
        elif tag.file.endswith((".h", ".hpp")) and "__anon" not in tag.scope:
            declared.append(tag)
    away = []
    for tag in declared:
        homes = defined.get(tag.full_name, set())
        if homes and tag.file not in excepted and not any(is_home(tag, home) for home in homes):
            away.append(f"{tag.file}:{tag.line}: {tag.full_name} is defined in {min(homes)}")
    return [Measure("functions_away_from_their_header", len(away), away)]
