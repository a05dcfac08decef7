"""A running balancer answers who asks it: `balance status`, `balance explain`, and its socket."""

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from json_documents import breaches, errors


def ask(*words: str) -> subprocess.CompletedProcess[str]:
    command = ["homenode", "balance", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def start(state: Path) -> "subprocess.Popen[str]":
    """A balancer of this process that only looks; returns once it has decided something."""
    words = ["--pid", str(os.getpid()), "--dry-run", "--interval", "0.1", "--state", str(state)]
    balancer = subprocess.Popen(
        ["homenode", "balance", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert balancer.stdout is not None
    assert f"{os.getpid()} (" in balancer.stdout.readline()
    return balancer


def end(balancer: "subprocess.Popen[str]") -> None:
    balancer.terminate()
    _, said = balancer.communicate(timeout=60)
    assert balancer.returncode == 0, said


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The state file of a balancer that runs."""
    path = tmp_path_factory.mktemp("control") / "state"
    balancer = start(path)
    yield path
    end(balancer)
    assert list(path.parent.iterdir()) == []


def document(state: Path, *words: str) -> Any:
    done = ask(*words, "--json", "--state", str(state))
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert errors(made, f"homenode.balance.{words[0]}") == []
    assert list(breaches(made)) == []
    return made


def test_the_status_names_each_process_and_its_latest_decision(state: Path) -> None:
    status = document(state, "status")
    assert status["dry_run"] is True
    assert status["interval_s"] == pytest.approx(0.1)
    assert [process["pid"] for process in status["processes"]] == [os.getpid()]
    text = ask("status", f"--socket={state}.socket").stdout
    assert text.startswith(f"balancer {status['pid']}: ")
    assert f"\n{os.getpid():>8} " in text


def test_a_process_is_explained_by_its_decisions(state: Path) -> None:
    explanation = document(state, "explain", str(os.getpid()))
    latest = explanation["decisions"][-1]["latest"]
    assert latest["decision"]["pid"] == os.getpid()
    assert (
        latest["decision"]["reason"]
        in ask("--state", str(state), "explain", str(os.getpid())).stdout
    )


def test_a_process_that_it_does_not_look_at_is_not_explained(state: Path) -> None:
    done = ask("explain", "1", "--state", str(state))
    assert done.returncode == 1
    assert "knows nothing of process 1; 'homenode balance status' lists" in done.stderr


@pytest.mark.parametrize("line", [b"stop\n", b"\xff\x00\n", b"x" * 10000, b"{}\n", b"\n"])
def test_garbage_is_refused_and_a_silent_client_holds_nobody_up(state: Path, line: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as silent, socket.socket(socket.AF_UNIX) as asking:
        silent.connect(f"{state}.socket")
        asking.connect(f"{state}.socket")
        asking.sendall(line)
        with asking.makefile(encoding="utf-8") as answers:
            answer = json.loads(answers.readline())
    assert errors(answer, "homenode.balance.error") == []
    assert "status" in answer["next"]


def test_the_socket_is_its_users_alone(state: Path) -> None:
    assert Path(f"{state}.socket").stat().st_mode & 0o777 == 0o600


def test_a_second_balancer_leaves_the_first_its_socket(state: Path) -> None:
    words = ["--pid", str(os.getpid()), "--dry-run", "--once", "--interval", "0.1"]
    done = ask(*words, "--socket", f"{state}.socket")
    assert done.returncode == 1
    assert "another balancer listens" in done.stderr
    assert len(document(state, "status")["processes"]) == 1


def test_the_socket_of_a_killed_balancer_is_replaced(tmp_path: Path) -> None:
    killed = start(tmp_path / "state")
    killed.kill()
    killed.communicate(timeout=60)
    left = ask("status", "--state", str(tmp_path / "state"))
    assert left.returncode == 1
    assert "no balancer listens" in left.stderr
    balancer = start(tmp_path / "state")
    assert document(tmp_path / "state", "status")["pid"] == balancer.pid
    end(balancer)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["status", "1"], "'status' is about all processes"),
        (["explain"], "needs the number of a process"),
        (["explain", "me"], "no number of a process"),
        (["status", "--jsn"], "--jsn"),
        (["status", "--help"], "'homenode balance --help' explains them"),
        (["--all", "status"], "asks a balancer that runs"),
        (["--json", "--pid", "1"], "--json is for status and explain"),
    ],
)
def test_a_line_that_makes_no_sense_is_bad_usage(words: list[str], said: str) -> None:
    done = ask(*words)
    assert done.returncode == 2
    assert said in done.stderr
