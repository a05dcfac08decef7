"""The configuration file of `homenode balance`, read again at SIGHUP, and what systemd hears."""

import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
DOCUMENT = ROOT / "docs" / "balance-file.md"
LONGEST_S = 60


def words(folder: Path) -> list[str]:
    mine = ["--pid", str(os.getpid()), "--dry-run", "--state", str(folder / "state")]
    return ["homenode", "balance", *mine, "--config", str(folder / "config")]


def once(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "config").write_text(text)
    command = [*words(folder), "--once", "--interval", "0.1"]
    return subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)


def status(folder: Path) -> Any:
    command = ["homenode", "balance", "status", "--json", "--state", str(folder / "state")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def documented() -> dict[str, str]:
    """The settings that have a default in the document."""
    rows = re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \| .* \|$", DOCUMENT.read_text(), re.MULTILINE)
    return dict(rows)


def number(text: str) -> float:
    """As the file has it, or as C++ has it."""
    if text.endswith("M"):
        return float(text[:-1]) * 2**20
    if text.endswith("_MiB"):
        return float(text[:-4]) * 2**20
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def test_the_document_names_every_setting_with_its_default() -> None:
    code = (ROOT / "src/balancer/config.cpp").read_text()
    limits = (ROOT / "src/balance/limits.h").read_text()
    lists = set(re.findall(r'NameList\{"([a-z-]+)"', code))
    assert lists == set(
        re.findall(r"^\| `((?:only|never)-[a-z]+)`", DOCUMENT.read_text(), re.MULTILINE)
    )
    settings = dict(re.findall(r'Setting\{"([a-z-]+)", &(?:Limits|Config)::(\w+)', code))
    assert set(settings) == set(documented())
    defaults = dict(re.findall(r"^  (?:double|int|Bytes) (\w+) = ([\w.]+);", limits, re.MULTILINE))
    assert {settings[name] for name in settings} - set(defaults) == {
        "interval_s",
        "burst_s",
        "overhead",
    }
    for name, shown in documented().items():
        if settings[name] in defaults:
            assert number(shown) == pytest.approx(number(defaults[settings[name]])), name


def test_the_defaults_of_the_document_are_accepted(tmp_path: Path) -> None:
    text = "".join(f"{name} = {value}\n" for name, value in documented().items())
    done = once(tmp_path, text)
    assert done.returncode == 0, done.stderr


def test_a_mistake_is_named_with_its_line(tmp_path: Path) -> None:
    done = once(tmp_path, "# settings\nwindws = 3\n")
    assert done.returncode == 1
    assert f"{tmp_path}/config, line 2: there is no setting 'windws'; did you mean" in done.stderr
    done = once(tmp_path, "only-user = nobody-of-this-name\n")
    assert done.returncode == 1
    assert "who is no user" in done.stderr


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("never-user = 0\nnever-cgroup = /", "the configuration never balances it"),
        ("only-program = another", "the configuration balances only others"),
    ],
)
def test_processes_are_left_alone_as_the_file_says(
    tmp_path: Path, setting: str, reason: str
) -> None:
    done = once(tmp_path, f"least-cpus = 0\n{setting}\n")
    assert done.returncode == 0, done.stderr
    assert f"nothing: {reason}" in done.stdout


def test_a_hangup_reads_the_file_again_and_a_bad_one_changes_nothing(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("interval = 0.1\n")
    with subprocess.Popen(
        words(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as balancer:
        assert balancer.stderr is not None
        until(lambda: (found := status(tmp_path)) is not None and bool(found["processes"]))
        assert status(tmp_path)["interval_s"] == pytest.approx(0.1)
        config.write_text("interval = 0.2\n")
        balancer.send_signal(signal.SIGHUP)
        until(lambda: status(tmp_path)["interval_s"] == pytest.approx(0.2))
        assert status(tmp_path)["processes"]
        config.write_text("interval = soon\n")
        balancer.send_signal(signal.SIGHUP)
        said = ""
        while "it goes on" not in said:
            said += balancer.stderr.readline()
        assert "config, line 1: 'soon' is no value of interval" in said
        assert status(tmp_path)["interval_s"] == pytest.approx(0.2)
        balancer.terminate()
    assert balancer.returncode == 0


def test_a_hangup_without_a_configuration_is_an_end(tmp_path: Path) -> None:
    command = words(tmp_path)[:-2]
    environment = {name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"}
    with subprocess.Popen(
        [*command, "--interval", "0.1"], stdout=subprocess.DEVNULL, env=environment
    ) as balancer:
        until(lambda: status(tmp_path) is not None)
        balancer.send_signal(signal.SIGHUP)
    assert balancer.returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_the_service_manager_hears_that_it_is_ready_lives_and_stops(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("interval = 0.1\n")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(LONGEST_S)
        settings = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "100000"}
        with subprocess.Popen(
            words(tmp_path), stdout=subprocess.DEVNULL, env={**os.environ, **settings}
        ) as balancer:
            heard = [manager.recv(4096).decode()]
            assert heard == ["READY=1"]
            while not {
                "WATCHDOG=1",
                "STATUS=looks at 1 processes; 0 threads are bound and 0 pages moved",
            } <= set(heard):
                heard.append(manager.recv(4096).decode())
            balancer.send_signal(signal.SIGHUP)
            while not (again := heard[-1]).startswith("RELOADING=1\nMONOTONIC_USEC="):
                heard.append(manager.recv(4096).decode())
            assert int(again.rpartition("=")[2]) > 0
            assert manager.recv(4096) == b"READY=1"
            balancer.terminate()
            while heard[-1] != "STOPPING=1":
                heard.append(manager.recv(4096).decode())
        assert balancer.returncode == 0
