"""Shells offer each verb, each command of one and each option, from one description."""

import json
import re
import shlex
import shutil
import subprocess
from functools import cache

import pytest

from homenode import completion, man
from homenode.verbs import BUILT_IN, VERBS

OPTION = re.compile(r"(?<![\w=-])--?[A-Za-z0-9][\w-]*")
COMMAND = shutil.which("homenode")
pytestmark = pytest.mark.skipif(COMMAND is None, reason="homenode is not on PATH")


def printed(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


@cache
def script(shell: str) -> str:
    described = [json.loads(printed("homenode", "--describe-verb", verb)) for verb in BUILT_IN]
    described += [man.description(verb) for verb in man.VERBS.values()]
    return completion.SHELLS[shell](completion.places(described))


def bash(*words: str) -> list[str]:
    """What bash offers for the last of the words."""
    asked = " ".join(shlex.quote(word) for word in ("homenode", *words))
    run = f"COMP_WORDS=({asked}); COMP_CWORD={len(words)}; _homenode; "
    return printed("bash", "-c", script("bash") + run + 'printf "%s\\n" "${COMPREPLY[@]}"').split()


def options_in_help(*words: str) -> set[str]:
    """Those that the help lists; an option in a description is none."""
    lines = printed("homenode", *words, "--help").splitlines()
    names = [re.split(r" {2,}", line[2:])[0] for line in lines if re.match(r"  --?\w", line)]
    return {option for name in names for option in OPTION.findall(name)}


def paths() -> list[str]:
    commands = {"bench": ["map", "npb", "stream"], "lab": ["run", "list"], "profile": ["diff"]}
    return [*VERBS, *(f"{verb} {word}" for verb, words in commands.items() for word in words)]


def test_bash_offers_every_verb() -> None:
    assert set(VERBS) <= set(bash(""))
    assert bash("to") == ["topology"]


@pytest.mark.parametrize("path", paths())
def test_bash_offers_every_option_of_the_help(path: str) -> None:
    offered = set(bash(*path.split(), "-"))
    assert "--help" in offered
    assert options_in_help(*path.split()) <= offered


def test_bash_offers_the_commands_of_a_verb() -> None:
    assert {"map", "npb", "stream"} <= set(bash("bench", ""))
    assert {"run", "enter", "list"} <= set(bash("lab", ""))


@pytest.mark.parametrize("words", [("--order", "s"), ("--order", "=", "s")])
def test_bash_offers_the_values_of_an_option(words: tuple[str, ...]) -> None:
    assert bash("bench", "map", *words) == ["sequential"]


def test_bash_offers_the_machines_of_the_catalogue() -> None:
    assert bash("bench", "--machine", "quad") == ["quad-4x2"]
    assert bash("bench", "map", "--machine", "quad") == ["quad-4x2"]
    assert bash("lab", "run", "--machine", "quad") == ["quad-4x2"]


@pytest.mark.parametrize("words", [("lab", "run", "--"), ("run",), ("run", "-l", "--")])
def test_bash_offers_programs_where_one_is_started(words: tuple[str, ...]) -> None:
    assert "bash" in bash(*words, "bas")


def test_options_of_a_program_are_not_homenodes() -> None:
    assert bash("run", "--", "ls", "-") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_takes_its_script(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n"], input=script(shell), check=True, text=True)


@pytest.mark.parametrize("path", ["run", "bench map", "lab run"])
def test_fish_offers_every_long_option_of_the_help(path: str) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    asked = f"complete -C 'homenode {path} --'"
    said = printed("fish", "--no-config", "-c", f"{script('fish')}\n{asked}")
    offered = {line.split("\t")[0] for line in said.splitlines()}
    assert {name for name in options_in_help(*path.split()) if name.startswith("--")} <= offered


# The functions that zsh's own completion has, which print what they are asked to offer.
ZSH = """
_arguments() { [ "$1" = -C ] && { state=verb; shift; }; print -rl -- "$@"; }
words=(@FIRST@)
homenode_completion() {
@SCRIPT@
}
homenode_completion
words=(@SECOND@)
_homenode_command bench
"""


def test_zsh_offers_every_verb_command_and_option() -> None:
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    text = ZSH.replace("@FIRST@", "bench map").replace("@SECOND@", "map")
    said = printed("zsh", "-f", "-c", text.replace("@SCRIPT@", script("zsh")))
    assert all(f"{verb}\\:" in said for verb in VERBS)
    assert "npb\\:" in said
    for option in options_in_help("bench", "map"):
        assert re.search(rf"^{option}[=\[]", said, re.MULTILINE), option
    assert "--order=[" in said and ":value:(sequential random)" in said
