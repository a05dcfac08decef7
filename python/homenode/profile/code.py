"""Which places in the program's code use the memory: by the instructions of the samples. Pure.

A place is a file and an offset in it, which `addr2line` and debuggers know; where the recording
brings symbols, it is a function and a line.
"""

from collections.abc import Sequence

import numpy as np

from homenode.profile.facts import Facts
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


def code_places(
    recording: Recording, facts: Facts, listed: Sequence[int]
) -> tuple[CodePlace, ...]:
    """The places with the most remote use first; none where the source sees no instructions.

    `listed`: the profile's objects by their index in the attribution.
    """
    known = np.flatnonzero(facts.samples["instruction"] != 0)
    everything = float(facts.weight.sum())
    if len(known) == 0 or everything <= 0:
        return ()
    keys = facts.samples[known][["pid", "instruction"]]
    found, of = np.unique(keys, return_inverse=True)
    use = np.bincount(of, weights=facts.weight[known])
    local = np.bincount(of, weights=facts.weight[known] * facts.local[known])
    placed = np.bincount(of, weights=facts.weight[known] * facts.placed[known])
    mappings = _executable(recording)
    place_of = {index: at for at, index in enumerate(listed)}
    most = np.argsort(-(placed - local), kind="stable")[:MOST_PLACES]
    places = []
    for at in most:
        if use[at] <= 0:
            continue
        pid, instruction = int(found[at]["pid"]), int(found[at]["instruction"])
        mine = known[of == at]
        objects = facts.object_of[mine]
        inside = objects >= 0
        busiest = None
        if inside.any():
            by_object = np.bincount(objects[inside], weights=facts.weight[mine][inside])
            busiest = place_of.get(int(by_object.argmax()))
        share = float(local[at] / placed[at]) if placed[at] > 0 else None
        where = _where(instruction, mappings.get(pid, []))
        places.append(CodePlace(where, float(use[at]) / everything, share, busiest))
    return tuple(places)
