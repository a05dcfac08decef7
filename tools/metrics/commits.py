"""Subjects of commits: `room: imperative` or `room, room: imperative`, at most 72 characters."""

import re
import subprocess
from pathlib import Path

from metrics.tree import Measure

SUBJECT = re.compile(r"[a-z0-9][a-z0-9/_.+-]*(?:, [a-z0-9/_.+-]+)*: [A-Za-z`'\"-][^\n]*[^\s.]")
MOST = 72


def is_subject(text: str) -> bool:
    """Whether a subject has the form that CONTRIBUTING.md asks for."""
    return len(text) <= MOST and SUBJECT.fullmatch(text) is not None


def subjects(root: Path, base: str) -> list[tuple[str, str]]:
    """(commit, subject) since `base`; in a clone too shallow to know it, of all that there are."""

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
        )

    known = git("cat-file", "-e", f"{base}^{{commit}}").returncode == 0
    span = f"{base}..HEAD" if known else "HEAD"
    rows = git("log", "--no-merges", "--format=%h%x09%s", span).stdout.splitlines()
    return [(commit, subject) for commit, subject in (row.split("\t", 1) for row in rows)]


def measure_commits(root: Path, base: str) -> list[Measure]:
    """The commits since `base` whose subject has another form; none where git knows of none."""
    wrong = [f"{commit} {text}" for commit, text in subjects(root, base) if not is_subject(text)]
    return [Measure("commit_subjects_of_another_form", len(wrong), wrong)]
