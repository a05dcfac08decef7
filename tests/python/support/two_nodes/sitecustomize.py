"""With this folder on PYTHONPATH, studies see a computer of two nodes, whatever it has."""

from homenode.node import Node
from homenode.study import host_runner
from homenode.study.machine import Machine

MACHINE = Machine(
    "host-x", "", "host", (Node(0, (0,), 1 << 30), Node(1, (1,), 1 << 30)), ((10, 20), (20, 10))
)
host_runner.read_machine = lambda *_, **__: MACHINE  # type: ignore[assignment]
