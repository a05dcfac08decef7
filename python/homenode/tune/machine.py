"""The machine that a placement was found on: what `homenode topology --json` says, and in short."""

import hashlib
import json
import re
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from homenode.lab.catalogue import find_file
from homenode.lab.errors import LabError
from homenode.tune.errors import TuneError

CPU_FACTS = Path("/proc/cpuinfo")


def read_machine(command: Path, name: str | None = None) -> dict[str, Any]:
    """The document of this machine, or of the lab's by that name or file. Raises TuneError."""
    words = [str(command), "topology", "--json"]
    try:
        if name is not None:
            words += ["--input", str(find_file(name))]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = re.sub(r"^homenode \w+: ", "", done.stderr.strip())
            raise TuneError(said or f"{shlex.join(words)} failed", done.returncode)
        found: dict[str, Any] = json.loads(done.stdout)
    except LabError as error:
        raise TuneError(str(error), error.exit_code) from error
    except (OSError, ValueError) as error:
        raise TuneError(f"cannot read the machine with {command}: {error}") from error
    return found


def fingerprint(machine: Mapping[str, Any], model: str) -> dict[str, Any]:
    """Its nodes with their CPUs, and the processor's name: what a placement depends on."""
    return {
        "model": model,
        "nodes": [
            {"id": node["id"], "cpus": list(node["cpus"])}
            for node in sorted(machine["nodes"], key=lambda node: int(node["id"]))
        ],
    }


def processor(path: Path = CPU_FACTS) -> str:
    """The name that this machine's processor has; empty where the kernel does not say."""
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return ""
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "")


def digest(value: object) -> str:
    """A short name of what is asked, for its folder."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]
