"""What a launcher and a service need of `homenode balance`: advice, metrics, and the unit."""

import configparser
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
UNIT = ROOT / "packaging" / "systemd" / "homenode-balance.service"


def balance(*words: str) -> subprocess.CompletedProcess[str]:
    command = ["homenode", "balance", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_advice_is_a_list_of_nodes_or_says_what_there_is() -> None:
    small = balance("--advise", "1:1")
    assert re.fullmatch(r"[0-9,-]+\n", small.stdout)
    huge = balance("--advise", "60000:1")
    assert huge.returncode == 1
    assert "CPUs are idle" in huge.stderr


@pytest.mark.parametrize("words", [("--advise", "4:x"), ("--advise", "1", "--all")])
def test_a_demand_that_makes_no_sense_is_refused(words: tuple[str, ...]) -> None:
    done = balance(*words)
    assert done.returncode == 2
    assert "--advise" in done.stderr


def test_the_metrics_are_whole_families(tmp_path: Path) -> None:
    file = tmp_path / "metrics"
    state = str(tmp_path / "state")
    words = ["--pid", str(os.getpid()), "--dry-run", "--once", "--interval", "0.1"]
    done = balance(*words, "--state", state, "--metrics", str(file))
    assert done.returncode == 0, done.stderr
    text = file.read_text()
    declared = set(re.findall(r"^# TYPE (\w+) (?:counter|gauge)$", text, re.MULTILINE))
    samples = [line for line in text.splitlines() if not line.startswith("#")]
    assert {re.split(r"[{ ]", line)[0] for line in samples} <= declared
    assert "homenode_balance_processes 1" in samples
    assert list(tmp_path.iterdir()) == [file]


def test_the_unit_calls_options_that_there_are_and_restores_the_state_that_it_keeps() -> None:
    unit = configparser.ConfigParser(strict=True, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(UNIT)
    service = unit["Service"]
    known = balance("--help").stdout
    states = []
    for key in ("ExecStart", "ExecStopPost"):
        words = service[key].split()
        assert words[:2] == ["homenode", "balance"]
        assert all(word in known for word in words if word.startswith("--"))
        states.append(words[words.index("--state") + 1])
    assert "--restore" in service["ExecStopPost"]
    assert states == [f"/run/{service['RuntimeDirectory']}/state"] * 2
