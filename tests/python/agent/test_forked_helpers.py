"""Programs fork helpers before they start their threads: who takes the next entry of --threads."""

import os
import shutil
import subprocess
import sys

import pytest

PROGRAM = """
import os, threading
def tell(who):
    with open("/proc/thread-self/status") as status:
        cpus = next(line.split()[1] for line in status if line.startswith("Cpus_allowed_list:"))
    print(who, cpus, flush=True)
helper = os.fork()
if helper == 0:
    tell("helper")
    os._exit(0)
os.waitpid(helper, 0)
thread = threading.Thread(target=tell, args=("thread",))
thread.start()
thread.join()
"""
CPUS = sorted(os.sched_getaffinity(0))

pytestmark = [
    pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs"),
    pytest.mark.skipif(not shutil.which("homenode"), reason="homenode is not on PATH"),
]


def cpus_of_both(*words: str) -> dict[str, int]:
    """The CPU of the helper and of the program's first thread."""
    text = subprocess.run(
        ["homenode", "run", *words, "--", sys.executable, "-c", PROGRAM],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {who: int(cpu) for who, cpu in map(str.split, text.splitlines())}


def test_a_helper_stays_with_its_parent_and_takes_no_entry() -> None:
    first, second = CPUS[:2]
    assert cpus_of_both("--threads", f"{first},{second}") == {"helper": first, "thread": second}


def test_among_the_pes_of_charm_a_forked_process_is_the_next() -> None:
    first, second = CPUS[:2]
    words = ("+setcpuaffinity", "+pemap", f"{first},{second}")
    assert cpus_of_both(*words) == {"helper": second, "thread": first}
