"""Where message memory is best, by the lab's clock: kNeighbor and Molecular2D with their messages
on the node of either end, and from malloc, on a machine of the catalogue. Modelled times."""

import json
import statistics
from pathlib import Path

import tables
from ours import homenode

from homenode import matrix
from homenode.lab import Lab, Result
from homenode.lab.render import stats_of
from homenode.lab.stats import PS_PER_MS

ROOT = Path(__file__).resolve().parents[1]
HEADINGS = ("program", "messages", "modelled ms", "least to most", "lines of memory", "local")

# What --messages says, and which malloc serves it.
PLACES = {
    "sender": ("sender", ""),
    "receiver": ("receiver", ""),
    "malloc, glibc's": ("malloc", ""),
    "malloc, ours": ("malloc", "bind"),
    "malloc, ours, interleaved": ("malloc", "interleave"),
}
WORKLOADS = {
    "kneighbor": ["--iterations", "2", "--steps", "10", "--message-size", "16K"],
    "molecular2d": ["--particles", "1000", "--steps", "20"],
}


def command(workload: str, place: str) -> list[str]:
    """The command line of one run."""
    rule, policy = PLACES[place]
    library = str(ROOT / "build/release/lib/libhomenode-malloc.so")
    preload = ["env", f"LD_PRELOAD={library}", f"HOMENODE_MALLOC_POLICY={policy}"]
    words = [homenode(), "bench", workload, *WORKLOADS[workload], "--messages", rule, "--json"]
    return [*(preload if policy else []), *words]


def checked(result: Result) -> Result:
    """A run whose sums, particles and energies were right."""
    assert result.status == 0, result.stderr.decode()
    assert json.loads(result.stdout)["runs"][0]["verified"]
    return result


def compare(machine: str, runs: int) -> None:
    """A table in Markdown: medians of runs in turn."""
    print(tables.head(HEADINGS))
    with Lab(machine) as lab:
        for workload in WORKLOADS:
            found: dict[str, list[tuple[float, float, float]]] = {place: [] for place in PLACES}
            for _ in range(runs):
                for place, figures in found.items():
                    result = checked(lab.run(command(workload, place), timeout_s=600))
                    figures.append(figures_of(lab, result))
            for place, figures in found.items():
                print(line(workload, place, figures), flush=True)


def figures_of(lab: Lab, result: Result) -> tuple[float, float, float]:
    """Modelled milliseconds, lines from and to memory, and the share of them that is local."""
    stats = stats_of(result.rois, lab.machine)
    assert stats is not None
    return stats.ps / PS_PER_MS, matrix.total(stats.traffic), stats.local_share or 0


def line(workload: str, place: str, figures: list[tuple[float, float, float]]) -> str:
    """A line of the table."""
    times, lines, local = zip(*figures, strict=True)
    cells = [
        workload,
        place,
        f"{statistics.median(times):.2f}",
        f"{min(times):.2f} to {max(times):.2f}",
        f"{statistics.median(lines):.0f}",
        f"{100 * statistics.median(local):.0f} %",
    ]
    return tables.row(cells)
