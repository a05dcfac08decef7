"""Draws a measurement as heat maps: latency, NUMA factor, bandwidth of nodes, and core to core."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from homenode.draw import heat, words
from homenode.draw.svg import Drawing
from homenode.draw.words import Json

SCHEMA = "homenode.measure/2"
BANDWIDTH = "_mib_per_s"  # What the key of a kernel's matrix ends in.
PAGE_WIDTH, MARGIN, LABELS = 900, 24, 46
MOST_WIDTH, MOST_HEIGHT = 76, 30
Noisy = Callable[[int, int], bool]  # Whether the value of a pair of nodes is one.


@dataclass(frozen=True)
class _Shown:
    title: str
    matrix: Json
    decimals: int
    noisy: Noisy
    more_is_better: bool = False
    between: str = "node"
    key: str = "row: the node that asks, column: where the memory is"

    def words(self, row: int, column: int) -> str:
        value = self.matrix["values"][row][column]
        if value is None:
            return "-"
        return f"{value:.{self.decimals}f}{'~' if self._is_noisy(row, column) else ''}"

    def note(self, row: int, column: int) -> str:
        return " (noisy)" if self._is_noisy(row, column) else ""

    def _is_noisy(self, row: int, column: int) -> bool:
        known = self.matrix["values"][row][column] is not None
        return known and self.noisy(self.matrix["from"][row], self.matrix["to"][column])


def draw(facts: Json) -> str:
    """An SVG of the tables, one below the other, from the JSON of `homenode measure`."""
    drawing = Drawing("hn-machine")
    y = MARGIN + 20
    drawing.text(MARGIN, y, facts["machine"]["name"] or "Machine", size=18, bold=True)
    y += 20
    drawing.text(MARGIN, y, f"{words.machine(facts['machine'])}, {facts['provenance']}", "soft")
    for shown in _tables(facts):
        y += 40
        drawing.text(MARGIN, y, shown.title, bold=True)
        y += 18
        drawing.text(MARGIN, y, f"{shown.key}; deeper means slower", "soft", size=11)
        y += 24
        sources, targets = shown.matrix["from"], shown.matrix["to"]
        left = MARGIN + LABELS
        width = min(MOST_WIDTH, max(8, (PAGE_WIDTH - MARGIN - left) // len(targets)))
        grid = heat.Grid(left, y, width, min(MOST_HEIGHT, width))
        table = heat.Table(
            shown.matrix["values"],
            sources,
            targets,
            shown.words,
            shown.note,
            shown.more_is_better,
            shown.between,
        )
        heat.draw(drawing, table, grid)
        y += grid.height * len(sources)
    return drawing.finish(PAGE_WIDTH, y + MARGIN)


def _tables(facts: Json) -> Iterator[_Shown]:
    """Latency and its factors; bandwidth as read and as written past the caches, else the first."""
    matrices: Mapping[str, Json] = facts["matrices"]
    for access in ("read", "write"):
        if matrix := matrices[f"{access}_latency_ns"]:
            yield _Shown(f"Idle latency in ns, {access}", matrix, 1, _noisy_latency(facts, access))
    if matrix := matrices["numa_factor"]:
        title = "NUMA factor (read latency over the local one)"
        yield _Shown(title, matrix, 2, lambda source, target: False)
    measured = [
        name.removesuffix(BANDWIDTH).replace("_", "-")
        for name, matrix in matrices.items()
        if name.endswith(BANDWIDTH) and matrix
    ]
    chosen = [kernel for kernel in ("read", "write-nt") if kernel in measured]
    if not chosen and not matrices["read_latency_ns"]:
        chosen = list(
            dict.fromkeys(f["kernel"] for f in facts["bandwidth"] if f["kernel"] in measured)
        )[:1]
    for kernel in chosen:
        title = f"Bandwidth of all CPUs of a node in MiB/s, {kernel}"
        matrix = matrices[kernel.replace("-", "_") + BANDWIDTH]
        yield _Shown(title, matrix, 0, _noisy_bandwidth(facts, kernel), more_is_better=True)
    if cores := facts.get("core_to_core"):
        matrix = {"from": cores["cpus"], "to": cores["cpus"], "values": cores["latency_ns"]}
        key = "row: the CPU that reads, column: the one whose cache has modified the line"
        yield _Shown("Core to core in ns", matrix, 0, lambda a, b: False, between="CPU", key=key)


def _noisy_latency(facts: Json, access: str) -> Noisy:
    pairs = {
        (figure["from"], figure["to"])
        for figure in facts["latency"]
        if figure["access"] == access and figure["latency_ns"] and figure["latency_ns"]["noisy"]
    }
    return lambda source, target: (source, target) in pairs


def _noisy_bandwidth(facts: Json, kernel: str) -> Noisy:
    pairs = {
        (figure["from"], figure["to"])
        for figure in facts["bandwidth"]
        if figure["kernel"] == kernel
        and figure["scope"] == "all-cpus"
        and figure["counted_mib_per_s"]
        and figure["counted_mib_per_s"]["noisy"]
    }
    return lambda source, target: (source, target) in pairs
