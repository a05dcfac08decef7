"""What all forms write: samples with the names of their threads, objects and code. Pure."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homenode.profile import words
from homenode.profile.attribution import attribute
from homenode.profile.code import place_names
from homenode.profile.facts import NOWHERE, Facts, facts
from homenode.profile.record import instructions
from homenode.profile.recording import Recording
from homenode.profile.values import Profile

OPERATIONS = np.array(["unknown", "read", "write"])
SAMPLED_UNIT = 1000


@dataclass(frozen=True)
class Content:
    """A recording as columns, and the profile that was made of it. Names are indices: of
    `threads`, `objects` and `places`, -1 where there is none."""

    profile: Profile
    facts: Facts
    thread_names: tuple[str, ...]
    objects: tuple[str, ...]
    places: tuple[str, ...]
    place: NDArray[np.int64]

    @property
    def uses(self) -> NDArray[np.int64]:
        """Whole numbers: accesses where they were counted, else thousandths of what the mean
        sample stands for."""
        weight = self.facts.weight
        mean = float(weight.mean()) if len(weight) else 0.0
        scale = 1.0 if self.facts.exact or mean <= 0 else SAMPLED_UNIT / mean
        return np.rint(np.minimum(weight * scale, 2.0**53)).astype(np.int64)

    @property
    def operations(self) -> NDArray[np.str_]:
        """What each access was, in words."""
        kinds = self.facts.operation
        return OPERATIONS[np.where(kinds < len(OPERATIONS), kinds, 0)]

    def node(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The ids of nodes by their indices; -1 where a node is not known."""
        ids = np.array([*self.facts.nodes, NOWHERE], np.int64)
        return ids[indices]

    def columns(self) -> dict[str, Any]:
        """A column for each fact of a sample, for tables."""
        samples = self.facts.samples
        objects = np.array([*self.objects, ""], object)
        places = np.array([*self.places, ""], object)
        threads = np.array(self.thread_names, object)
        return {
            "time_ns": samples["time_ns"],
            "pid": samples["pid"],
            "tid": samples["tid"],
            "thread": threads[self.facts.thread],
            "cpu": samples["cpu"],
            "cpu_node": self.node(self.facts.cpu_node),
            "memory_node": self.node(self.facts.memory_node),
            "operation": self.operations,
            "weight": self.facts.weight,
            "latency_ns": samples["latency_ns"],
            "address": samples["address"],
            "object": objects[self.facts.object_of],
            "offset": self.facts.offset_of,
            "instruction": instructions(samples),
            "code": places[self.place],
        }


def collected(recording: Recording, profile: Profile) -> Content:
    """The content of a recording. pre: the profile is the recording's."""
    attribution = attribute(recording)
    columns = facts(recording, attribution)
    places, place = place_names(recording, columns)
    names = {(thread.pid, thread.tid): words.thread(thread) for thread in profile.threads}
    return Content(
        profile=profile,
        facts=columns,
        thread_names=tuple(names.get(key, f"thread {key[1]}") for key in columns.threads),
        objects=tuple(f"{item.name} [{item.kind}]" for item in attribution.objects),
        places=places,
        place=place,
    )


@dataclass(frozen=True)
class Group:
    """All samples that agree in these; `remote` is of the uses."""

    thread: int
    object: int
    place: int
    cpu_node: int
    memory_node: int
    kind: int
    samples: int
    uses: int

    @property
    def operation(self) -> str:
        """What the accesses were, in words."""
        return str(OPERATIONS[self.kind])

    @property
    def remote(self) -> int:
        """The uses that went to another node."""
        known = NOWHERE not in (self.cpu_node, self.memory_node)
        return self.uses if known and self.cpu_node != self.memory_node else 0


def groups(content: Content) -> list[Group]:
    """The samples by thread, object, place in the code, nodes and operation."""
    columns = content.facts
    if len(columns.samples) == 0:
        return []
    kinds = np.where(columns.operation < len(OPERATIONS), columns.operation, 0)
    keys = np.stack(
        [
            columns.thread,
            columns.object_of,
            content.place,
            content.node(columns.cpu_node),
            content.node(columns.memory_node),
            kinds.astype(np.int64),
        ]
    )
    found, of = np.unique(keys, axis=1, return_inverse=True)
    of = of.reshape(-1)
    uses = np.bincount(of, weights=content.uses)
    samples = np.bincount(of)
    return [
        Group(*(int(value) for value in (*key, many, use)))
        for key, many, use in zip(found.T, samples, uses, strict=True)
    ]
