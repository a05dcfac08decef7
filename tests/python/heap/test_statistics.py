"""What the allocator says of itself when it is asked to: at the end, and after a signal."""

import json
import sys
from typing import Any

import pytest
from heap_programs import program, run

# Blocks of every kind, then the signal, then a block that needs a page; and it goes on.
SIGNALLED = """
import os, signal
kept = [bytes(1000), bytes(100_000), bytes(40 << 20)]
os.kill(os.getpid(), signal.SIGUSR2)
more = [bytes(100_000) for _ in range(10)]
print(sum(map(len, more)))
"""
ADDED_UP = [
    "live_bytes",
    "committed_bytes",
    "remote_frees",
    "peak_bytes",
    "refused_policies",
    "lent_blocks",
]
OF_HEAPS = ["live_bytes", "remote_frees", "mappings", "policy_calls"]


def said(text: str) -> dict[str, Any]:
    """The only line."""
    value: dict[str, Any] = json.loads(text)
    assert value["schema"] == "homenode.malloc/2"
    return value


def test_nothing_is_said_unasked() -> None:
    assert run([program("operators")]).stderr == ""


@pytest.mark.parametrize("policy", ["bind", "interleave"])
def test_statistics_at_the_end_add_up_over_nodes_and_cores(policy: str) -> None:
    asked = {"HOMENODE_MALLOC_STATISTICS": "1", "HOMENODE_MALLOC_POLICY": policy}
    result = run([program("fuzz"), "3", "100000", "2", "0"], environment=asked)
    assert result.returncode == 0
    value = said(result.stderr)
    assert value["policy"] == policy
    for name in ADDED_UP:
        assert value[name] == sum(arena[name] for arena in value["arenas"]), name
    for arena in value["arenas"]:
        for name in OF_HEAPS:
            assert arena[name] == sum(heap[name] for heap in arena["heaps"]), name
        in_pages = sum(heap["committed_bytes"] for heap in arena["heaps"])
        assert arena["committed_bytes"] == in_pages + arena["kept_bytes"]
    assert value["remote_frees"] > 0 and value["peak_bytes"] > value["live_bytes"]


def test_statistics_after_a_signal_come_while_the_program_goes_on() -> None:
    asked = {"HOMENODE_MALLOC_SIGNAL": "12", "PYTHONMALLOC": "malloc"}
    result = run([sys.executable, "-c", SIGNALLED], environment=asked)
    assert (result.returncode, result.stdout) == (0, "1000000\n")
    value = said(result.stderr)
    assert value["huge_blocks"] == 1
    assert value["live_bytes"] > 40 << 20


def test_verbose_tells_what_it_does() -> None:
    result = run([program("operators")], environment={"HOMENODE_MALLOC_VERBOSE": "1"})
    assert result.returncode == 0
    assert result.stderr.startswith("homenode-malloc: policy bind; ")
