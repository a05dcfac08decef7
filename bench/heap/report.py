"""What a comparison says: a value for `--json`, and the same as text."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from heap import figures
from heap.allocators import BASE
from heap.store import Run, rounds

FIGURES = {"cpu_s": "CPU time (user + system)", "peak_kib": "peak resident memory"}
ALL = "all"


def summary(
    middle: figures.Medians, draws: figures.Medians, who: str, ours: str, peers: Sequence[str]
) -> dict[str, Any]:
    """How one allocator stands in a set of benchmarks."""
    ratios = figures.over_best(middle, who, ours)
    means = {"": figures.mean(middle, draws, partial(figures.over_best, who=who, ours=ours))}
    for peer in peers:
        if peer != who:
            means[peer] = figures.mean(middle, draws, partial(figures.over, who=who, other=peer))
    known = {name: mean and asdict(mean) for name, mean in means.items()}
    name, ratio = figures.worst(ratios) if ratios else ("", None)
    return {
        "over_best_of_each": known.pop(""),
        "over": known,
        "worst": {"benchmark": name, "ratio": ratio},
    }


def counted(per: figures.Rounds) -> tuple[int, int]:
    """The fewest and the most rounds of any pair of benchmark and allocator."""
    counts = [len(values) for by in per.values() for values in by.values()]
    return min(counts, default=0), max(counts, default=0)


def value(runs: Sequence[Run], order: Sequence[str], ours: str) -> dict[str, Any]:
    """Medians, ratios and geometric means, by group of benchmarks and of all."""
    group_of = {run.benchmark: run.group for run in runs}
    groups = [*dict.fromkeys(group_of.values()), ALL]
    peers = [name for name in order if name != ours]
    result: dict[str, Any] = {
        "rounds": list(counted(rounds(runs, "cpu_s"))),
        "load_1min": [min(loads), max(loads)] if (loads := [run.load_1min for run in runs]) else [],
        "allocators": list(order),
        "groups": group_of,
        "failed": {f"{r.benchmark}, {r.allocator}": r.failed for r in runs if r.failed},
        "figures": {},
    }
    for figure in FIGURES:
        per = figures.complete(rounds(runs, figure))
        middle, draws = figures.medians(per), figures.drawn(per)
        summaries = {}
        for group in groups:
            part, drawn = (
                {name: by for name, by in of.items() if group in (group_of[name], ALL)}
                for of in (middle, draws)
            )
            summaries[group] = {who: summary(part, drawn, who, ours, peers) for who in order}
        result["figures"][figure] = {
            "medians": {n: {w: float(v) for w, v in by.items()} for n, by in middle.items()},
            "summaries": summaries,
        }
    return result


def amount_text(amount: float, figure: str) -> str:
    """A figure with its unit."""
    return f"{amount:.2f} s" if figure == "cpu_s" else f"{amount / 1024:.1f} MiB"


def cell(by: Mapping[str, float], who: str, best: str) -> str:
    """A ratio to the best peer; the best itself is marked, who failed has none."""
    if who not in by:
        return "failed"
    return f"{by[who] / by[best]:.2f}{'*' if who == best else ' '}"


def row(name: str, cells: Sequence[str]) -> str:
    """One line of a table, a wide first column and narrow others."""
    return f"{name:22}" + "".join(f"{text:>11}" for text in cells)


def benchmark_rows(result: Mapping[str, Any], figure: str, ours: str) -> list[str]:
    """A line for each benchmark: the best peer's figure, and each allocator's ratio to it."""
    out, group = [], ""
    for name, by in result["figures"][figure]["medians"].items():
        if result["groups"][name] != group:
            group = result["groups"][name]
            out.append(group)
        best = min((who for who in by if who != ours), key=lambda who: by[who], default=None)
        if best is not None:
            cells = [cell(by, who, best) for who in result["allocators"]]
            out.append(row(f"  {name}", [amount_text(by[best], figure), *cells]))
    return out


def mean_text(mean: Mapping[str, float] | None) -> str:
    """A mean with its interval."""
    if mean is None:
        return "-"
    return f"{mean['value']:.2f} [{mean['low']:.2f}-{mean['high']:.2f}]"


def worst_text(summary: Mapping[str, Any]) -> str:
    """The benchmark where an allocator is furthest behind the best of the others."""
    return f"{summary['worst']['ratio']:.2f} {summary['worst']['benchmark']}"


def summary_rows(result: Mapping[str, Any], figure: str, ours: str) -> list[str]:
    """The geometric means over the base and the best of the others, and ours over each peer."""
    out = []
    for group, by in result["figures"][figure]["summaries"].items():
        out.append(f"geometric means [95 %], {group}")
        known = [who for who in result["allocators"] if by[who]["over_best_of_each"]]
        for who in known:
            means = f"over {BASE} {mean_text(by[who]['over'].get(BASE))}"
            best = f"over the best other {mean_text(by[who]['over_best_of_each'])}"
            out.append(f"  {who:10} {means:32}{best:42}worst {worst_text(by[who])}")
        if ours in known:
            peers = {peer: mean for peer, mean in by[ours]["over"].items() if mean}
            for peer in sorted(peers, key=lambda peer: -peers[peer]["value"]):
                out.append(f"  {ours} over {peer}: {mean_text(peers[peer])}")
    return out


def text(result: Mapping[str, Any], ours: str) -> str:
    """All of it for a person."""
    load = result["load_1min"]
    fewest, most = result["rounds"]
    count = str(most) if fewest == most else f"{fewest} to {most}"
    out = [
        f"{count} rounds, in turn; medians; load of this machine {load[0]:.1f} to {load[1]:.1f}"
        if load
        else "nothing measured"
    ]
    out += [f"failed: {where}: {why}" for where, why in result["failed"].items()]
    for figure, title in FIGURES.items():
        out += ["", f"{title}; ratio to the best peer (*), whose figure comes first"]
        out.append(row("", ["best peer", *result["allocators"]]))
        out += benchmark_rows(result, figure, ours)
        out += summary_rows(result, figure, ours)
    return "\n".join(out)
