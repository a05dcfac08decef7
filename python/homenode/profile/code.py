"""Which places in the program's code use the memory: by the instructions of the samples. Pure.

A place is a file and an offset in it, which `addr2line` and debuggers know; where the recording
brings symbols, it is a function and a line.
"""

from collections.abc import Sequence

import numpy as np

from homenode.profile.correlation import Floats
from homenode.profile.facts import Facts, Integers
from homenode.profile.record import instructions
from homenode.profile.recording import Document, Recording
from homenode.profile.values import CodePlace

MOST_PLACES = 40


def _executable(recording: Recording) -> dict[int, list[Document]]:
    """The mappings with code of each process, by address; the last list of each counts."""
    lists = {int(document["pid"]): document["mappings"] for document in recording.of("mappings")}
    return {
        pid: sorted((m for m in found if "x" in str(m.get("permissions", ""))),
                    key=lambda m: int(m["begin"]))
        for pid, found in lists.items()
    }  # fmt: skip


def _where(address: int, mappings: Sequence[Document]) -> str:
    for mapping in mappings:
        begin = int(mapping["begin"])
        if begin <= address < int(mapping["end"]):
            path = str(mapping.get("path") or "") or "code without a file"
            offset = address - begin + int(mapping.get("offset") or 0)
            return f"{path.rpartition('/')[2]}+{offset:#x}"
    return f"{address:#x}"


def place_names(recording: Recording, facts: Facts) -> tuple[tuple[str, ...], Integers]:
    """The names of all places, and the place of each sample: -1 where the source sees none."""
    of = np.full(len(facts.samples), -1, np.int64)
    known = np.flatnonzero(instructions(facts.samples) != 0)
    if len(known) == 0:
        return (), of
    keys = facts.samples[known][["pid", "instruction"]]
    found, inverse = np.unique(keys, return_inverse=True)
    mappings = _executable(recording)
    names: dict[str, int] = {}
    numbers = [
        names.setdefault(
            _where(int(key["instruction"]), mappings.get(int(key["pid"]), [])), len(names)
        )
        for key in found
    ]
    of[known] = np.array(numbers, np.int64)[inverse]
    return tuple(names), of


def code_places(recording: Recording, facts: Facts, listed: Sequence[int]) -> tuple[CodePlace, ...]:
    """The places with the most remote use first; none where the source sees no instructions.

    `listed`: the profile's objects by their index in the attribution.
    """
    names, of = place_names(recording, facts)
    everything = float(facts.weight.sum())
    known = np.flatnonzero(of >= 0)
    if not names or everything <= 0:
        return ()

    def summed(weight: Floats) -> Floats:
        sums = np.bincount(of[known], weights=weight[known], minlength=len(names))
        return sums.astype(np.float64)

    use, local = summed(facts.weight), summed(facts.weight * facts.local)
    placed = summed(facts.weight * facts.placed)
    place_of = {index: at for at, index in enumerate(listed)}
    most = np.argsort(-(placed - local), kind="stable")[:MOST_PLACES]
    places = []
    for at in most[use[most] > 0]:
        mine = known[(of[known] == at) & (facts.object_of[known] >= 0)]
        busiest = None
        if len(mine):
            by_object = np.bincount(facts.object_of[mine], weights=facts.weight[mine])
            busiest = place_of.get(int(by_object.argmax()))
        share = float(local[at] / placed[at]) if placed[at] > 0 else None
        places.append(CodePlace(names[at], float(use[at]) / everything, share, busiest))
    return tuple(places)
