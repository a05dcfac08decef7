"""Programs that say themselves what their memory is, run with the agent that records allocations.

A program notes addresses under a name; each becomes a sample, and the name is what the sample is to
be attributed to. Its lists of mappings come from itself too, as a sampler's would from outside.
"""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from homenode import places
from homenode.profile.attribution import attribute
from homenode.profile.objects import NO_OBJECT, Attribution
from homenode.profile.record import RECORD
from homenode.profile.recording import BLOCK, Recording, read_recording, write_recording

BEGIN = {"kind": "begin", "schema": "homenode.samples/1", "pid": 0, "source": {"name": "lab"}}
HEADER = r"""
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static unsigned long long note_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ULL + now.tv_nsec;
}
/* Some addresses of a range, now. */
__attribute__((unused)) static void note(const char* name, const volatile void* memory,
                                         size_t bytes) {
  char line[4096];
  size_t used = 0;
  for (int i = 0; i < 8; ++i) {
    const unsigned long long at = (size_t)memory + (bytes - 1) * i / 7;
    used += snprintf(line + used, sizeof line - used, "sample %d %d %llu %llu %s\n", getpid(),
                     (int)syscall(SYS_gettid), note_time(), at, name);
  }
  if (write(1, line, used) < 0) abort();
}
__attribute__((unused)) static void note_mappings(void) {
  char line[5000];
  const unsigned long long now = note_time();
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) {
    char text[5200];
    const int used = snprintf(text, sizeof text, "maps %d %llu %s", getpid(), now, line);
    if (write(1, text, used) < 0) abort();
  }
  fclose(maps);
}
"""
LIBRARY = "libhomenode-sites.so"


def library() -> Path:
    """The agent's, from the build under test."""
    agent = places.find_built(LIBRARY)
    assert agent, "the agent is not built; run the tests through ./dev test"
    return agent


def environment(file: Path) -> dict[str, str]:
    """What makes a program record its allocations in a file, which is begun here."""
    write_recording(file, np.empty(0, RECORD), [BEGIN])
    return {**os.environ, "LD_PRELOAD": str(library()), "HOMENODE_SAMPLE": str(file)}


def build(folder: Path, name: str, source: str, *options: str) -> Path:
    """Compiles a program whose source is `name`; functions that it calls stay functions."""
    (folder / "note.h").write_text(HEADER)
    file = folder / name
    file.write_text(source)
    program = file.with_suffix("")
    compiler = {".c": "gcc", ".cpp": "g++", ".f90": "gfortran"}[file.suffix]
    common = [
        "-g",
        "-O1",
        "-fno-inline",
        "-fno-optimize-sibling-calls",
        "-pthread",
        "-I",
        str(folder),
    ]
    command = [compiler, *common, *options, str(file), "-o", str(program)]
    subprocess.run(command, check=True, cwd=folder)  # Where gfortran leaves its .mod files.
    return program


def _mapping(line: str) -> dict[str, object]:
    addresses, permissions, offset, *rest = line.split(maxsplit=5)
    begin, end = (int(part, 16) for part in addresses.split("-"))
    path = rest[2].strip() if len(rest) == 3 else ""
    return {
        "begin": begin,
        "end": end,
        "permissions": permissions,
        "offset": int(offset, 16),
        "path": path,
    }


@dataclass(frozen=True)
class Sampled:
    """A run: what the program said each sample is, and what was found."""

    names: list[str]
    recording: Recording
    found: Attribution

    def of(self, name: str) -> set[tuple[str, str]]:
        """The kinds and names of the objects that samples of this name belong to."""
        return {
            (str(self.found.objects[at].kind), self.found.objects[at].name)
            if at != NO_OBJECT
            else ("nothing", "")
            for expected, at in zip(self.names, self.found.object_of, strict=True)
            if expected == name
        }


def append(file: Path, kind: bytes, payload: bytes) -> None:
    with file.open("ab") as stream:
        stream.write(BLOCK.pack(kind, len(payload)) + payload)


def finish(file: Path, said: str) -> Sampled:
    """Adds what the program said to the file, as a sampler would, and reads it."""
    rows, names = [], []
    lists: dict[tuple[int, int], dict[str, object]] = {}
    for line in said.splitlines():
        word, _, rest = line.partition(" ")
        if word == "sample":
            pid, tid, time_ns, address, name = rest.split(maxsplit=4)
            rows.append((int(time_ns), int(address), int(pid), int(tid)))
            names.append(name)
        elif word == "maps":
            pid, time_ns, mapping = rest.split(maxsplit=2)
            key = (int(pid), int(time_ns))
            document = lists.setdefault(
                key, {"kind": "mappings", "pid": key[0], "time_ns": int(time_ns), "mappings": []}
            )
            document["mappings"].append(_mapping(mapping))  # type: ignore[attr-defined]
    samples = np.zeros(len(rows), RECORD)
    for column, field in enumerate(("time_ns", "address", "pid", "tid")):
        samples[field] = [row[column] for row in rows]
    for document in lists.values():
        append(file, b"JSON", json.dumps(document).encode())
    append(file, b"SMPL", samples.tobytes())
    recording = read_recording(file)
    assert recording.cut == ""
    return Sampled(names, recording, attribute(recording))


def sample(program: Path | list[str], folder: Path) -> Sampled:
    """Runs a program with the agent, and attributes what it noted."""
    file = folder / "samples"
    command = [str(program)] if isinstance(program, Path) else program
    done = subprocess.run(
        command, env=environment(file), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return finish(file, done.stdout)
