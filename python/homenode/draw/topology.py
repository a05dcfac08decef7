"""Draws a machine: packages, nodes with their memory and CPUs, and the distances as a heat map."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from homenode.draw import heat, words
from homenode.draw.svg import Drawing
from homenode.draw.words import Group, Json
from homenode.id_list import join

SCHEMA = "homenode.machine/2"
PAGE_WIDTH, MARGIN = 960, 16
NODE_WIDTH, GAP, NODES_PER_ROW = 208, 12, 4
LINE, LINE_LETTERS = 18, 32
CPU_SIZE, CPU_STEP, CPUS_PER_ROW, MAX_CPUS_DRAWN = 20, 24, 8, 64


def draw(facts: Json) -> str:
    """An SVG that scales to any width, from the JSON of a machine."""
    return _Painter(facts).paint()


def _drawn_cpus(node: Json) -> list[int]:
    """The CPUs that get a square each: none where they are too many."""
    cpus: list[int] = node["cpus"]
    return cpus if len(cpus) <= MAX_CPUS_DRAWN else []


def _cpu_rows(node: Json) -> int:
    return max(1, -(-len(_drawn_cpus(node)) // CPUS_PER_ROW))


@dataclass
class _Painter:
    """Draws one thing under the other and so finds out how high the picture is."""

    facts: Json
    drawing: Drawing = field(default_factory=lambda: Drawing("hn-machine"))
    y: int = 0
    node_height: int = 0
    most_memory: int = 0

    def paint(self) -> str:
        self.node_height = max((self._height_of(n) for n in self.facts["nodes"]), default=0)
        self.most_memory = max((n["memory_bytes"] for n in self.facts["nodes"]), default=0)
        in_words = words.machine(self.facts)
        self.y = MARGIN + 18
        name = self.facts["name"]
        self.drawing.text(MARGIN, self.y, name or "this machine", size=18, bold=True)
        self.y += 22
        self.drawing.text(MARGIN, self.y, in_words, "soft")
        self.y += 16
        self._groups()
        for line in self._facts():
            self.y += LINE
            self.drawing.text(MARGIN, self.y, line, "soft")
        if self.facts["distances"]:
            self._distances()
        return self.drawing.finish(
            PAGE_WIDTH,
            self.y + MARGIN,
            f"{name or 'machine'}: {in_words}",
            scales=True,
        )

    def _height_of(self, node: Json) -> int:
        devices = LINE if words.devices(self.facts, [node["id"]]) else 0
        return 52 + _cpu_rows(node) * CPU_STEP + devices

    def _groups(self) -> None:
        """Groups stand beside each other as long as a row of the page holds them."""
        x, row_height = MARGIN, 0
        for group in words.groups(self.facts):
            columns = min(len(group.nodes), NODES_PER_ROW)
            width = columns * (NODE_WIDTH + GAP) + GAP
            if x + width > PAGE_WIDTH - MARGIN + GAP and x > MARGIN:
                self.y += row_height + GAP
                x, row_height = MARGIN, 0
            row_height = max(row_height, self._group(group, x, columns))
            x += width + GAP
        self.y += row_height + GAP

    def _group(self, group: Group, x: int, columns: int) -> int:
        """Draws a group at the present height; returns its own height."""
        rows = -(-len(group.nodes) // columns)
        title = 22 if group.title else 0
        width = columns * (NODE_WIDTH + GAP) + GAP
        height = rows * (self.node_height + GAP) + GAP + title
        self.drawing.box(x, self.y, width, height, "package edged", 8)
        if group.title:
            self.drawing.text(x + GAP, self.y + 20, group.title, "soft", bold=True)
        for i, node in enumerate(group.nodes):
            row, column = divmod(i, columns)
            left = x + GAP + column * (NODE_WIDTH + GAP)
            self._node(node, left, self.y + GAP + title + row * (self.node_height + GAP))
        return height

    def _node(self, node: Json, x: int, y: int) -> None:
        self.drawing.box(x, y, NODE_WIDTH, self.node_height, "node edged", 6)
        left = x + 8
        self.drawing.text(left, y + 20, f"node {node['id']}", bold=True)
        self.drawing.text(x + NODE_WIDTH - 8, y + 20, words.memory(node), anchor="end")
        self._memory(node, left, y + 28)
        line = y + 44
        for i, cpu in enumerate(_drawn_cpus(node)):
            row, column = divmod(i, CPUS_PER_ROW)
            cpu_x, cpu_y = left + column * CPU_STEP, line + row * CPU_STEP
            self.drawing.box(cpu_x, cpu_y, CPU_SIZE, CPU_SIZE, "cpu edged", 3)
            size = 11 if cpu < 1000 else 9
            cpu_x += CPU_SIZE // 2
            self.drawing.text(cpu_x, cpu_y + 14, str(cpu), size=size, anchor="middle")
        if not _drawn_cpus(node):
            self._clipped(left, line + 14, words.cpus(node["cpus"]))
        line += _cpu_rows(node) * CPU_STEP
        self._clipped(left, line + 12, words.devices(self.facts, [node["id"]]))

    def _memory(self, node: Json, x: int, y: int) -> None:
        """A bar: this node's memory beside the largest node's."""
        width = CPUS_PER_ROW * CPU_STEP - (CPU_STEP - CPU_SIZE)
        self.drawing.box(x, y, width, 8, "empty", 2)
        if node["memory_bytes"]:
            share = node["memory_bytes"] / self.most_memory
            self.drawing.box(x, y, max(2.0, share * width), 8, "memory", 2)

    def _clipped(self, x: int, y: int, text: str) -> None:
        """Words on one line of a node's box; what does not fit is in the tooltip."""
        if not text:
            return
        fits = len(text) <= LINE_LETTERS
        shown = text if fits else text[: LINE_LETTERS - 1] + "…"
        self.drawing.text(x, y, shown, "soft", size=11, tip="" if fits else text)

    def _facts(self) -> Iterator[str]:
        """Lines about the machine as a whole."""
        nodes = [node for node in self.facts["nodes"] if node["cpus"]]
        caches = {node["id"]: words.caches(self.facts, node["cpus"]) for node in nodes}
        for node, text in caches.items():
            if text and len(set(caches.values())) == 1:
                yield f"Caches: {text}"
                break
            if text:
                yield f"Caches of node {node}: {text}"
        yield from self._shared_devices()
        if tiers := words.tiers(self.facts):
            yield f"Memory tiers, fastest first: {tiers}"
        if self.facts["offline_cpus"]:
            yield f"Offline: {words.cpus(self.facts['offline_cpus'])}"
        if self.facts.get("cpus_without_node"):
            yield f"No node has {words.cpus(self.facts['cpus_without_node'])}"
        if limits := words.limits(self.facts):
            yield f"This process may use only {limits}"

    def _shared_devices(self) -> Iterator[str]:
        """The devices of several nodes or of none; one node's own are drawn with it."""
        for place in dict.fromkeys(tuple(device["nodes"]) for device in self.facts["devices"]):
            if len(place) != 1:
                where = f"near nodes {join(place)}" if place else "of unknown place"
                yield f"Devices {where}: {words.devices(self.facts, place)}"

    def _distances(self) -> None:
        distances = self.facts["distances"]
        ids, rows = distances["nodes"], distances["values"]
        self.y += 34
        whose = words.PROVENANCE[distances["provenance"]]
        self.drawing.text(MARGIN, self.y, f"Distances, {whose}", bold=True)
        self.y += LINE
        key = "row: the node that asks, column: where the memory is; deeper means farther"
        self.drawing.text(MARGIN, self.y, key, "soft", size=11)
        self.y += 26
        cell = min(44, max(6, (PAGE_WIDTH - 2 * MARGIN - 60) // len(ids)))
        table = heat.Table(rows, ids, ids, lambda row, column: str(rows[row][column]))
        heat.draw(self.drawing, table, heat.Grid(MARGIN + 34, self.y, cell, cell))
        self.y += len(ids) * cell
