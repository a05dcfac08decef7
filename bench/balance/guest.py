"""What runs in the lab's guest, alone with Python: starts a program, once or several times at once,
lets one of its balancers work for a while, counts what that moves, and has the lab count a piece of
the programs afterwards.

    python3 guest.py '{"program": […], "programs": 1, "beside": "balance", …}'

Prints an object of JSON; its "error" says why there is nothing else in it.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

KERNEL_BALANCING = Path("/proc/sys/kernel/numa_balancing")
LOG = Path("/tmp/homenode-balance.log")
STATE = "/tmp/homenode-balance.state"
# Samples cost far more under emulation than on a machine, so the budget for them is larger.
BALANCE = ("balance", "--overhead", "100%", "--least-memory", "8M")


class Look(NamedTuple):
    """How long homenode looks, how often, and by which source of samples."""

    burst_s: float
    interval_s: float = 2
    source: str = "auto"


# Programs that are counted are several times as slow, and a look is to see all of their phases.
LOOKS = {
    "balance": Look(1),
    "balance-pkeys": Look(5, 5, "pkeys"),
    "balance-hints": Look(2, source="hint-faults"),
    "balance-lab": Look(5),
}
# What starts its program leaves it alone until it has filled its memory.
CONFIG = Path("/tmp/homenode-balance.conf")
SETTINGS = "least-age = 20\n"
# numad weighs no process before the system is 300 s old. In a time namespace it is.
NUMAD = ("unshare", "--time", "--monotonic", "100000", "--fork", "numad", "-i", "5")
LONGEST_FILL_S = 180.0
LEAST_FILL_S = 4.0
LOOK_S = 1.0
# Virtual CPUs have the host's in turn, so a daemon gets what it would get at once on a machine.
FIRST = -10
# Decisions after which a balancer that wants nothing is done.
LEAST_DECISIONS = 4
UNFINISHED = ("look", "bind threads", "move pages", "verify")


class EndedError(Exception):
    """The program has ended before it was looked at."""


class StartedProgram:
    """A program that a balancer has started, as subprocess.Popen has those of its own."""

    def __init__(self, starter: "subprocess.Popen[bytes]") -> None:
        children = Path(f"/proc/{starter.pid}/task/{starter.pid}/children")
        while not (found := children.read_text().split()):
            time.sleep(0.1)
            if starter.poll() is not None:
                raise EndedError(f"homenode balance ended with {starter.returncode}")
        self.pid = int(found[0])
        self.starter = starter

    def poll(self) -> int | None:
        """None while it runs."""
        try:
            state = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return 1
        return 1 if state == "Z" else None

    def kill(self) -> None:
        """With the balancer, first of all."""
        self.starter.kill()
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        """The balancer is waited for: its program is no child of ours."""
        self.starter.wait()


Programs = list["subprocess.Popen[bytes] | StartedProgram"]


def running(programs: Programs) -> None:
    """Raises EndedError where one does not run any more."""
    for program in programs:
        code = program.poll()
        if code is not None:
            raise EndedError(f"the program ended with {code} before it was counted")


def resident_kib(pid: int) -> int:
    """Its memory."""
    found = re.search(r"^VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return int(found.group(1)) if found else 0


def fill(programs: Programs, window: str) -> None:
    """Waits until their memory grows no more, for two looks."""
    began, sizes = time.monotonic(), [-1, -2]
    while time.monotonic() - began < LONGEST_FILL_S:
        time.sleep(LOOK_S)
        running(programs)
        subprocess.run([window, "end"], check=True)
        sizes = [*sizes[-2:], sum(resident_kib(program.pid) for program in programs)]
        if len(set(sizes)) == 1 and time.monotonic() - began >= LEAST_FILL_S:
            return


def masks(programs: Programs) -> dict[str, str]:
    """The CPUs of each of their threads."""
    found = {}
    tasks = (task for one in programs for task in Path(f"/proc/{one.pid}/task").iterdir())
    for task in tasks:
        try:
            text = (task / "status").read_text()
        except OSError:  # A thread that has ended.
            continue
        found[task.name] = text.partition("Cpus_allowed_list:")[2].split()[0]
    return found


def changed(before: dict[str, str], after: dict[str, str]) -> int:
    """Threads whose CPUs have changed."""
    return sum(before.get(thread, cpus) != cpus for thread, cpus in after.items())


def moved_pages() -> int:
    """Pages that the kernel has moved for anybody, since its start."""
    found = re.search(r"^pgmigrate_success (\d+)", Path("/proc/vmstat").read_text(), re.MULTILINE)
    return int(found.group(1)) if found else 0


def pages_of(pid: int) -> int:
    """Small pages of the memory that is the program's alone; huge ones count as what they hold."""
    return sum(
        int(found.group(1))
        for line in Path(f"/proc/{pid}/numa_maps").read_text().splitlines()
        if (found := re.search(r"\banon=(\d+)", line)) is not None
    )


def is_homenode(beside: str) -> bool:
    """By whatever samples."""
    return beside in LOOKS


def starts_programs(beside: str) -> bool:
    """It samples from within a program that it has started."""
    return beside == "balance-pkeys"


def start_homenode(spec: dict[str, Any], words: list[str]) -> "subprocess.Popen[bytes]":
    """Balances what the words name."""
    beside = spec["beside"]
    env = dict(os.environ)
    if beside != "balance-lab":
        env.pop("HOMENODE_LAB_COUNTS", None)
    look = LOOKS[beside]
    command = [spec["homenode"], *BALANCE, "--state", STATE, "--log", str(LOG)]
    command += ["--interval", str(look.interval_s), "--burst", str(look.burst_s)]
    command += ["--with", look.source]
    return subprocess.Popen(
        [*command, *words], env=env, stdout=subprocess.DEVNULL, start_new_session=True
    )


def start_program(spec: dict[str, Any]) -> "subprocess.Popen[bytes] | StartedProgram":
    """By itself, or by the balancer that is to sample from within it."""
    if not starts_programs(spec["beside"]):
        return subprocess.Popen(spec["program"], stdout=subprocess.DEVNULL)
    CONFIG.write_text(SETTINGS)
    return StartedProgram(start_homenode(spec, ["--config", str(CONFIG), "--", *spec["program"]]))


def start_beside(spec: dict[str, Any], programs: Programs) -> "subprocess.Popen[bytes] | None":
    """Starts what is to balance the programs, if it is a process."""
    kernel = spec["beside"] == "kernel"
    KERNEL_BALANCING.write_text("1" if kernel else "0")
    if is_homenode(spec["beside"]) and not starts_programs(spec["beside"]):
        words = [word for one in programs for word in ("--pid", str(one.pid))]
        return start_homenode(spec, words)
    if spec["beside"] == "numad":
        subprocess.run(["mount", "-t", "tmpfs", "none", "/var/log"], check=True)
        subprocess.run(NUMAD, check=True)
    return None


def stop_beside(
    spec: dict[str, Any], programs: Programs, balancer: "subprocess.Popen[bytes] | None"
) -> None:
    """It looks and moves no more, and what it did stays."""
    KERNEL_BALANCING.write_text("0")
    if balancer is not None:
        if balancer.poll() is not None:
            raise EndedError(f"homenode balance ended with {balancer.returncode}")
        os.kill(balancer.pid, signal.SIGSTOP)
    for one in programs:
        if isinstance(one, StartedProgram):  # With its end, the sampling from within ends.
            one.starter.kill()
    if spec["beside"] == "numad":
        subprocess.run(["pkill", "-STOP", "-x", "numad"], check=True)


def decisions() -> list[dict[str, Any]]:
    """What homenode did, without what it looked at to decide."""
    if not LOG.exists():
        return []
    lines = [json.loads(line) for line in LOG.read_text().splitlines()]
    return [
        {
            "action": line["decision"]["action"],
            "reason": line["decision"]["reason"],
            "bound": line["threads_bound"],
            "moved": line["pages_moved"],
            "samples": line["samples"],
            "errors": line["errors"],
        }
        for line in lines
    ]


def is_done(beside: str, programs: int) -> bool:
    """Whether a balancer that says what it decides has nothing in hand."""
    if not is_homenode(beside):
        return True
    made = [one for one in decisions() if not one["reason"].startswith("it has run for")]
    latest = [one["action"] for one in made[-programs:]]
    return len(made) >= LEAST_DECISIONS * programs and not set(latest) & set(UNFINISHED)


def settle(spec: dict[str, Any], programs: Programs) -> tuple[int, int]:
    """Lets what is beside the programs work for so long, and then until nothing has changed for a
    while. Gives the pages that were moved and how often a thread got other CPUs."""
    first, changes, cpus = moved_pages(), 0, masks(programs)
    began = quiet_since = time.monotonic()
    moved = first
    while (now := time.monotonic()) - began < spec["most_s"]:
        quiet = now - quiet_since >= spec["quiet_s"] and is_done(spec["beside"], len(programs))
        if quiet and now - began >= spec["settle_s"]:
            break
        if spec["way"]:
            subprocess.run([spec["window"], str(LOOK_S)], check=True)
        else:
            time.sleep(LOOK_S)
            if spec["beside"] != "balance-lab":  # Its looks are regions that are counted.
                subprocess.run([spec["window"], "end"], check=True)
        running(programs)
        pages, others = moved_pages(), masks(programs)
        if pages != moved or others != cpus:
            quiet_since = time.monotonic()
        changes += changed(cpus, others)
        moved, cpus = pages, others
    return moved - first, changes


def measure(spec: dict[str, Any], programs: Programs) -> dict[str, Any]:
    """The programs from their first pass to the end of the piece that is counted."""
    fill(programs, spec["window"])
    balancer = start_beside(spec, programs)
    began = time.monotonic()
    moves, changes = settle(spec, programs)
    settled_s = time.monotonic() - began
    stop_beside(spec, programs, balancer)
    found = {
        "page_moves": moves,
        "affinity_changes": changes,
        "settled_s": round(settled_s),
        "pages": sum(pages_of(program.pid) for program in programs),
        "decisions": decisions(),
    }
    subprocess.run([spec["window"], "end"], check=True)
    subprocess.run([spec["window"], str(spec["window_s"])], check=True)
    running(programs)
    return found


def main(spec: dict[str, Any]) -> dict[str, Any]:
    """The result, or what went wrong."""
    programs: Programs = [start_program(spec) for _ in range(spec["programs"])]
    os.nice(FIRST)
    try:
        return measure(spec, programs)
    except (EndedError, OSError, subprocess.CalledProcessError) as error:
        return {"error": str(error)}
    finally:
        for program in programs:
            program.kill()
            program.wait()


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
