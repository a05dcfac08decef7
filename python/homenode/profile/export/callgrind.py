"""Callgrind's format: threads call code, code calls objects, and objects bear the cost.

So KCachegrind shows for each object where its uses come from, and for each place in the code which
objects it uses. Format: Callgrind Format Specification of the Valgrind manual.
"""

from collections import defaultdict

from homenode.profile.export.content import Content, Group, groups

UNKNOWN_CODE, UNKNOWN_OBJECT = "(code not known)", "(no known object)"
Costs = dict[tuple[str, ...], list[int]]


def _clean(name: str) -> str:
    return " ".join(name.split()) or "?"


def _names(content: Content, group: Group) -> tuple[str, str, str]:
    place = content.places[group.place] if group.place >= 0 else UNKNOWN_CODE
    item = content.objects[group.object] if group.object >= 0 else UNKNOWN_OBJECT
    return _clean(content.thread_names[group.thread]), _clean(place), _clean(item)


def _sums(content: Content) -> tuple[Costs, Costs, Costs]:
    """Uses and remote uses: of objects, of code with what it uses, of threads with their code."""
    objects: Costs = defaultdict(lambda: [0, 0])
    code: Costs = defaultdict(lambda: [0, 0])
    threads: Costs = defaultdict(lambda: [0, 0])
    for group in groups(content):
        thread, place, item = _names(content, group)
        for sums, key in ((objects, (item,)), (code, (place, item)), (threads, (thread, place))):
            sums[key][0] += group.uses
            sums[key][1] += group.remote
    return objects, code, threads


def _calls(calls: Costs) -> list[str]:
    lines: list[str] = []
    caller = None
    for (name, callee), (uses, remote) in sorted(calls.items()):
        if name != caller:
            lines += ["", f"fn={name}", "0 0 0"]
            caller = name
        lines += [f"cfn={callee}", "calls=1 0", f"0 {uses} {remote}"]
    return lines


def write(content: Content) -> bytes:
    """The file as text."""
    objects, code, threads = _sums(content)
    totals = [sum(cost[at] for cost in objects.values()) for at in (0, 1)]
    lines = [
        "# callgrind format",
        "version: 1",
        "creator: homenode profile",
        f"cmd: {_clean(' '.join(content.profile.taken.command))}",
        "positions: line",
        "event: Uses : uses of memory",
        "event: Remote : uses of another node's memory",
        "events: Uses Remote",
        f"summary: {totals[0]} {totals[1]}",
    ]
    for (item,), (uses, remote) in sorted(objects.items()):
        lines += ["", f"fn={item}", f"0 {uses} {remote}"]
    lines += _calls(code) + _calls(threads)
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")
