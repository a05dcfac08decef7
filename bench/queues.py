"""CPUs that stream through pages of several nodes, worked out as a network of queues, line by line.

Nothing of the lab's clock is in it, only what a machine file declares: a CPU has so many lines in
flight, asks for the next one when it has used the oldest, and a line waits at each controller, way
and link until those that came before it have passed. Pages that go round the nodes make queues
even where all nodes are in equal use, because a CPU is at one or two of them at a time; how long
they are depends on who is where when, so there is no formula for it.
"""

import heapq
import itertools
from collections.abc import Sequence

from homenode.lab.machine import Machine
from homenode.lab.machine_model import Model

LINE_BYTES = 64
LINES_OF_PAGE = 4096 // LINE_BYTES
MIB = 1 << 20
Resource = tuple[object, ...]


def passed_by_reads(model: Model, source: int, target: int) -> dict[Resource, float]:
    """What a line passes that a CPU of `source` reads from `target`, and each one's MiB/s."""
    found: dict[Resource, float] = {
        ("way", source, target): model.read_mib[source, target],
        ("controller", target): model.controller_mib(target)[0],
    }
    # Data comes the other way than the request went.
    for a, b in itertools.pairwise(model.routes.get((source, target), ())):
        found["link", b, a] = model.links.get((b, a)) or model.links[a, b]
    return found


class Stream:
    """One CPU: the nodes of the pages that it reads, and the lines that it has in flight."""

    def __init__(self, source: int, pages: Sequence[int], ahead: int) -> None:
        self.source = source
        self.pages = pages
        self.lines = len(pages) * LINES_OF_PAGE
        self.ahead = ahead
        self.used = 0
        self.come: set[int] = set()

    def target(self, line: int) -> int:
        """The node that a line is on."""
        return self.pages[line // LINES_OF_PAGE]

    def take(self, line: int) -> range:
        """A line has come: it and those behind it are used in order, and for each the next one is
        asked for. Returns those."""
        self.come.add(line)
        before = self.used
        while self.used in self.come:
            self.come.remove(self.used)
            self.used += 1
        return range(min(before + self.ahead, self.lines), min(self.used + self.ahead, self.lines))


def stream_us(machine: Machine, model: Model, pages: dict[int, Sequence[int]]) -> float:
    """When the last of the CPUs is done that each read pages of these nodes, in order."""
    node_of = {cpu: node.id for node in machine.nodes for cpu in node.cpus}
    ahead = int(model.figures["PrefetchedLines"])
    streams = {cpu: Stream(node_of[cpu], nodes, ahead) for cpu, nodes in pages.items()}
    passed = {
        pair: [
            (r, 1e9 * LINE_BYTES / MIB / mib) for r, mib in passed_by_reads(model, *pair).items()
        ]
        for pair in model.latency_ns
    }
    free_ns: dict[Resource, float] = {}
    now_ns = 0.0
    # A line that reaches the next of what it passes; after the last, its CPU.
    events = [
        (0.0, cpu, line, 0)
        for cpu, stream in streams.items()
        for line in range(min(ahead, stream.lines))
    ]
    heapq.heapify(events)
    while events:
        now_ns, cpu, line, stage = heapq.heappop(events)
        stream = streams[cpu]
        pair = stream.source, stream.target(line)
        if stage > len(passed[pair]):
            for asked in stream.take(line):
                heapq.heappush(events, (now_ns, cpu, asked, 0))
        elif stage == len(passed[pair]):
            heapq.heappush(events, (now_ns + model.latency_ns[pair], cpu, line, stage + 1))
        else:
            resource, service_ns = passed[pair][stage]
            start_ns = max(now_ns, free_ns.get(resource, 0.0))
            free_ns[resource] = start_ns + service_ns
            heapq.heappush(events, (start_ns, cpu, line, stage + 1))
    return now_ns / 1e3
