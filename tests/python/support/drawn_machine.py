"""A machine that the tests of homenode.draw draw, and where their golden files are."""

from pathlib import Path
from typing import Any

from homenode.draw import topology

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden"
MIB = 1 << 20


def machine(**more: Any) -> dict[str, Any]:
    """Two packages of a node each, and memory without CPUs outside."""
    facts: dict[str, Any] = {
        "schema": topology.SCHEMA,
        "name": "a <machine> & more",
        "nodes": [
            {"id": 0, "cpus": [0, 1, 2, 3], "memory_bytes": 1024 * MIB, "package": 0},
            {"id": 2, "cpus": [4, 5, 6, 7], "memory_bytes": 512 * MIB, "package": 1},
            {"id": 9, "cpus": [], "memory_bytes": 4096 * MIB, "package": None},
        ],
        "packages": [{"id": 0, "cpus": [0, 1, 2, 3]}, {"id": 1, "cpus": [4, 5, 6, 7]}],
        "offline_cpus": [],
        "cpus_without_node": [],
        "caches": [{"level": 1, "size_bytes": 32768, "cpus": [cpu]} for cpu in range(8)],
        "devices": [],
        "distances": None,
        "allowed": {"cpus": list(range(8)), "nodes": [0, 2, 9]},
    }
    return facts | more
