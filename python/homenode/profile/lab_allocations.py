"""Has a program in the lab record what allocates its memory, as `homenode sample` does on a host.

The agent appends to a sample file in the guest's own memory: on the share of the lab's results, two
processes that append to a file lose data. A program that nothing can be preloaded into, such as a
static one, leaves that file as it was.
"""

import json
import os
from dataclasses import replace

from homenode.lab.lab import Lab
from homenode.places import find_built
from homenode.profile.errors import ProfileError
from homenode.profile.lab_recording import LabRecording
from homenode.profile.recording import BLOCK, HEAD, parse

AGENT = "libhomenode-sites.so"
FILE = "/dev/shm/homenode-allocations"
# What the agent tells beside allocations.
KINDS = ("process", "modules", "sites", "regions")


def environment(lab: Lab) -> dict[str, str] | None:
    """The environment of a program whose allocations go to a file of the guest; None where the
    agent is missing or the guest refuses. pre: the lab runs."""
    agent = find_built(AGENT)
    if agent is None:
        return None
    reader, writer = os.pipe()
    try:
        os.write(writer, HEAD)
        os.close(writer)
        if lab.run(["cp", "/dev/stdin", FILE], stdin=reader).status != 0:
            return None
    finally:
        os.close(reader)
    own = lab.environment()
    own["LD_PRELOAD"] = ":".join(filter(None, [own.get("LD_PRELOAD"), str(agent)]))
    # AddressSanitizer ends programs in which a library comes before its own, unless told not to.
    own["ASAN_OPTIONS"] = ":".join(
        filter(None, ["verify_asan_link_order=0", own.get("ASAN_OPTIONS")])
    )
    own["HOMENODE_SAMPLE"] = FILE
    return own


def written(lab: Lab) -> bytes:
    """What the agent wrote. pre: the lab still runs."""
    return lab.run(["cat", FILE]).stdout


def joined(recording: LabRecording, allocated: bytes) -> LabRecording:
    """The recording with what written() gave."""
    if len(allocated) <= len(HEAD):
        return recording
    begin = json.dumps(recording.documents[0]).encode()
    first = HEAD + BLOCK.pack(b"JSON", len(begin)) + begin
    try:
        found = parse(first + allocated[len(HEAD) :], "what the agent recorded")
    except ProfileError:
        return recording
    more = [document for kind in KINDS for document in found.of(kind)]
    documents = [*recording.documents[:-1], *more, recording.documents[-1]]
    return replace(recording, documents=documents, events=found.events)
