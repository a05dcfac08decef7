"""Every verb's man page: it says all that the help says, and roff takes it without a warning."""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from homenode import man
from homenode.verbs import BUILT_IN

SECTIONS = ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO")
NOT_SUPPORTED = 3  # The exit code where there is no lab, or no NUMA.
OPTION = re.compile(r"(?<![\w=-])--?[A-Za-z][\w-]*")


# What roff prints for what is written there.
ESCAPED = {r"\(rs": "\\", r"\-": "-", r"\(aq": "'", r"\(ti": "~"}


def homenode(*words: str, given: str = "") -> str:
    """What the built command prints."""
    command = shutil.which("homenode")
    if command is None:
        pytest.skip("homenode is not on PATH; run the tests through ./dev test")
    return subprocess.run(
        [command, *words], input=given, check=True, capture_output=True, text=True
    ).stdout


def roff_of(page: str) -> str:
    if page in man.VERBS:
        return homenode("--man-page", "-", given=json.dumps(man.description(man.VERBS[page])))
    return homenode("--man-page", page)


def plain(roff: str) -> str:
    """The text of a page as a reader sees it, on lines that never break."""
    text = re.sub(r"\\f[BIR]|\\&", "", roff)
    for escaped, character in ESCAPED.items():
        text = text.replace(escaped, character)
    return text


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    """The options that the help of a parser, and of all below it, lists."""
    names = re.findall(r"^  (-.*?)(?:  |$)", parser.format_help(), re.MULTILINE)
    listed = {option for group in names for option in OPTION.findall(group)}
    for child in man.subparsers(parser).values():
        listed |= options_of(child)
    return listed


def described(roff: str) -> set[str]:
    """The options that have an entry of their own in a page."""
    terms = re.findall(r"^\.TP\n(.*)$", roff, re.MULTILINE)
    return {option for term in terms for option in OPTION.findall(plain(term))}


@pytest.mark.parametrize("verb", man.VERBS)
def test_a_python_verbs_page_describes_every_option_of_its_help(verb: str) -> None:
    listed = options_of(man.VERBS[verb].parser())
    assert {"--help", "--output" if verb == "draw" else "--json"} <= listed
    assert listed <= described(roff_of(verb))


@pytest.mark.parametrize(
    "words", [("topology",), ("run",), ("where",), ("bench",), ("bench", "map")]
)
def test_a_built_in_verbs_page_describes_every_option_of_its_help(words: tuple[str, ...]) -> None:
    lines = homenode(*words, "--help").splitlines()
    names = [line.split()[0] for line in lines if line.startswith("  -")]
    listed = {name for group in names for name in group.split(",")}
    assert "--help" in listed
    assert listed <= described(roff_of(words[0]))


@pytest.mark.parametrize("page", ["homenode", *BUILT_IN, *man.VERBS])
def test_a_page_has_every_section_and_works_in_every_locale(page: str) -> None:
    roff = roff_of(page)
    headings = re.findall(r"^\.SH (.*)$", roff, re.MULTILINE)
    assert set(SECTIONS) <= set(headings)
    assert roff.isascii()


@pytest.mark.parametrize("page", ["homenode", *BUILT_IN, *man.VERBS])
def test_roff_takes_a_page_without_a_warning(page: str) -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    roff = roff_of(page)
    done = subprocess.run(
        [groff, "-man", "-ww", "-z"], input=roff, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


def test_the_summaries_are_those_of_the_overview() -> None:
    overview, top = homenode("--help"), plain(roff_of("homenode"))
    for verb in man.VERBS.values():
        assert re.search(rf"^  {verb.name} +{re.escape(verb.summary)}$", overview, re.MULTILINE)
        assert verb.summary[1:] in top


def examples(page: str) -> list[str]:
    return re.findall(r"^\.nf\n(.*)\n\.fi$", plain(roff_of(page)), re.MULTILINE)


@pytest.mark.lab
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.long) if page in ("bench", "measure") else page
        for page in ["homenode", *BUILT_IN, "lab"]
    ],
)
def test_the_examples_work(page: str, tmp_path: Path) -> None:
    commands = examples(page)
    assert len(commands) >= 2
    for command in commands:
        done = subprocess.run(
            shlex.split(command), cwd=tmp_path, capture_output=True, text=True, timeout=300
        )
        if done.returncode == NOT_SUPPORTED and not os.environ.get("HOMENODE_LAB_REQUIRED"):
            pytest.skip(done.stderr)
        assert done.returncode == 0, f"{command}: {done.stderr}"


@pytest.mark.parametrize("verb", man.VERBS)
def test_a_python_verbs_examples_are_understood_by_its_parser(verb: str) -> None:
    for command, _ in man.VERBS[verb].examples:
        words = shlex.split(command)
        assert words[:2] == ["homenode", verb]
        man.VERBS[verb].parser().parse_args(words[2:])
