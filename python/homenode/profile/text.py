"""The summary for a terminal: one screen, the objects with the most remote use first. Pure."""

import textwrap
from collections.abc import Iterator, Sequence

import numpy as np

from homenode.lab.text import table
from homenode.profile import words
from homenode.profile.advice import advise
from homenode.profile.correlation import Floats
from homenode.profile.values import ObjectUse, Profile

WORST = 3
LEAST = 0.01  # Of all remote use.
ACTION = "→"
MOST_ROWS = 8  # Of a matrix of threads; more are shown by node.
MOST_NODES = 16


def summary(profile: Profile, columns: int = 100) -> str:
    """All that fits on a screen. What is to be typed is never broken into lines."""
    lines = []
    for line in _lines(profile):
        lines += [line] if ACTION in line else _wrapped(line, columns)
    return "\n".join([*lines, *_matrix(profile)]) + "\n"


def _wrapped(line: str, columns: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(line, max(40, columns), subsequent_indent=indent) or [""]


def _lines(profile: Profile) -> Iterator[str]:
    yield f"{words.program(profile)}: {words.whole(profile)}"
    yield words.provenance(profile)
    for note in words.notes(profile):
        yield f"  {note}"
    yield _overall(profile)
    shown = [use for use in profile.objects if use.remote_share >= LEAST][:WORST]
    for number, use in enumerate(shown, start=1):
        yield ""
        yield from _object(profile, number, use)
    yield from _others(profile, len(shown))


def _overall(profile: Profile) -> str:
    loads = sorted(profile.controllers, key=lambda load: -load.share)
    hottest = ""
    if len(loads) > 1:
        hottest = f"; node {loads[0].target}'s memory answers {words.percent(loads[0].share)}"
    return f"all uses: {words.locality(profile.locality)}{hottest}"


def _object(profile: Profile, number: int, use: ObjectUse) -> Iterator[str]:
    where = f", {use.object.source[0]}" if use.object.source else ""
    yield (
        f"{number}. {use.object.name} ({words.kind_and_size(use)}{where}): "
        f"{words.percent(use.remote_share)} of all remote uses"
    )
    facts = [words.pattern(use), words.locality(use.locality), *words.traits(use, profile)]
    yield f"   {'; '.join(facts)}"
    found = advise(profile, use)
    if found.action:
        yield f"   {ACTION} {found.action}"
    yield f"   {'because ' if found.action else ''}{found.why}"


def _others(profile: Profile, shown: int) -> Iterator[str]:
    rest = profile.objects[shown:]
    more = len(rest) + profile.dropped_objects
    if more:
        share = sum(use.remote_share for use in rest)
        remote = f", with {words.percent(share)} of the remote uses" if shown else ""
        yield ""
        yield f"{more} more object{'' if more == 1 else 's'}{remote}"


def _shares(rows: Floats) -> list[list[str]]:
    everything = float(rows.sum())
    shares = rows / everything * 100 if everything > 0 else rows
    return [["·" if cell < 0.05 else f"{cell:.1f}" for cell in row] for row in shares]


def _grid(title: str, head: str, names: Sequence[str], rows: Floats, nodes: Sequence[int]) -> str:
    lines = [[head, *nodes]]
    lines += [[name, *cells] for name, cells in zip(names, _shares(rows), strict=True)]
    return f"{title}\n{table(lines)}"


def _matrix(profile: Profile) -> Iterator[str]:
    """Threads x nodes where there are few threads, else nodes x nodes."""
    nodes = profile.nodes
    rows = profile.by_thread.all
    if rows.sum() <= 0 or len(nodes) > MOST_NODES:
        return
    yield ""
    if len(profile.threads) <= MOST_ROWS:
        names = [
            f"{words.thread(thread)}{'' if thread.node is None else f' on {thread.node}'}"
            for thread in profile.threads
        ]
        title = "% of all uses by thread (on the node that it mostly ran on) and node of the memory"
        yield _grid(title, "thread", names, rows, nodes)
        return
    by_node = profile.by_node.all
    used = [at for at in range(len(nodes)) if by_node[at].any()]
    title = "% of all uses (row: node of the CPU, column: node of the memory)"
    names = [str(nodes[at]) for at in used]
    yield _grid(title, "node", names, by_node[np.array(used, int)], nodes)
