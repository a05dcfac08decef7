"""`where` separates a thread's stack from an array in the same mapping, on a real kernel."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from homenode.lab import Lab

MIB = 1 << 20


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("program") / "stack_beside_array"
    source = Path(__file__).with_name("stack_beside_array.c")
    subprocess.run(["cc", "-O1", "-pthread", source, "-o", path], check=True)
    return path


@pytest.mark.parametrize("kib", [256, 8192, 32768, 0], ids=lambda kib: f"{kib} KiB")
def test_a_stack_of_any_size_is_apart_from_an_array(
    quad: Lab, command: str, program: Path, kib: int
) -> None:
    where = f"{shlex.quote(command)} where $pid"
    script = (
        f"mkfifo /tmp/pid; {program} {kib} >/tmp/pid & "
        "read pid array </tmp/pid; rm /tmp/pid; "
        "until grep -q '^34 ' /proc/$pid/task/*/syscall; do :; done; "  # pause()
        f"{where} --json; {where} --repair bind@2 --at $array --json; kill $pid"
    )
    result = quad.run(["sh", "-c", script], timeout_s=300)
    answer, repair = map(json.loads, result.stdout.decode().splitlines())
    bytes_of = {group: sum(nodes.values()) for group, nodes in answer["groups"].items()}
    assert bytes_of["stacks"] < 4 * MIB
    assert bytes_of["anonymous"] >= 14 * MIB
    assert repair["pages"]["looked_at_bytes"] >= 14 * MIB
