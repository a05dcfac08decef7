"""The small command stays small: what it loads at its start is what makes starting slow."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest


def needed(binary: Path) -> set[str]:
    """The shared libraries that a binary asks for."""
    text = subprocess.run(
        ["readelf", "-d", str(binary)], capture_output=True, text=True, check=True
    ).stdout
    return set(re.findall(r"\(NEEDED\).*\[([^]]+)\]", text))


@pytest.fixture
def command() -> Path:
    found = shutil.which("homenode")
    if found is None:
        pytest.skip("homenode is not on PATH; run the tests through ./dev test")
    return Path(found).resolve()


def test_the_small_command_needs_no_library(command: Path) -> None:
    assert needed(command) == set()


def test_the_other_verbs_live_beside_it(command: Path) -> None:
    native = command.with_name("homenode-native")
    assert any(name.startswith("libhwloc") for name in needed(native))
    small, full = (
        subprocess.run([str(path), "--help"], capture_output=True, text=True, check=True).stdout
        for path in (command, native)
    )
    assert small == full
    assert "topology" in small


@pytest.mark.parametrize("words", [["topology"], ["run", "--threads", "S0:0", "true"], []])
def test_a_missing_other_command_is_one_line_and_a_failure(
    command: Path, words: list[str], tmp_path: Path
) -> None:
    alone = shutil.copy2(command, tmp_path)
    for reason in ("No such file or directory", "Permission denied"):
        done = subprocess.run(
            [alone, *words], capture_output=True, text=True, env={"PATH": "/nowhere"}, check=False
        )
        assert (done.returncode, done.stdout) == (125 if "true" in words else 1, ""), reason
        assert done.stderr.startswith("homenode: cannot start ")
        assert done.stderr.endswith(
            f"homenode-native: {reason}; it is a part of homenode; reinstall homenode\n"
        )
        (tmp_path / "homenode-native").touch(0o644)
