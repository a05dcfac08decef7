"""The verbs are one table: what must repeat its names for other tools agrees with it."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from homenode import command, man
from homenode.verbs import BUILT_IN, PYTHON, VERBS

ROOT = Path(__file__).resolve().parents[3]


def test_every_verb_is_written_in_a_language_that_is_known() -> None:
    assert set(BUILT_IN) | set(PYTHON) == set(VERBS)
    assert {"run", "topology"} <= set(BUILT_IN)
    assert "lab" in PYTHON


def test_the_package_has_a_script_for_each_python_verb() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts == {f"homenode-{name}": f"homenode.command:{name}" for name in PYTHON}
    for name in PYTHON:
        assert callable(getattr(command, name))
        assert (ROOT / "python" / "homenode" / name / "cli.py").is_file()
    with pytest.raises(AttributeError):
        command.__getattr__("nosuch")


def test_each_python_verb_has_a_man_page() -> None:
    assert set(man.VERBS) == set(PYTHON)


def test_the_command_lists_the_table_in_its_order() -> None:
    homenode = shutil.which("homenode")
    if homenode is None:
        pytest.skip("homenode is not on PATH; run the tests through ./dev test")
    said = subprocess.run([homenode, "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.findall(r"^  (\w+) +(\S.*)$", said, re.MULTILINE)
    assert listed == [(verb.name, verb.summary) for verb in VERBS.values()]


def test_no_build_file_lists_verbs_of_its_own() -> None:
    for path in (*(ROOT / "cmake").glob("*"), ROOT / "CMakeLists.txt"):
        listed = re.findall(r"foreach\(verb (?!IN LISTS)", path.read_text())
        assert listed == [], path.name
