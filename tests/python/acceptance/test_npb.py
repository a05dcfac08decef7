"""NPB on four nodes: right results, and pages where the strategy says.

Emulated processors are slow, so one kernel runs under all strategies and four under one each.
With --long two more run under all, and BT, LU and EP under one: they take half of all the time, SP
shares its arrays and most of its code with BT and LU, and EP has one small array.
`./dev bench npb --verify --threads 8 --machine quad-4x2` has every pair.
"""

import json
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
from lab_start import lab_or_skip

from homenode.lab import Lab

STRATEGIES = ["first-touch", "parallel-init", "round-robin", "memory-bind"]
PAIRS = [
    *product(["is"], STRATEGIES),
    ("sp", "first-touch"),
    ("cg", "parallel-init"),
    ("mg", "round-robin"),
    ("ft", "memory-bind"),
]
MORE_PAIRS = [
    *(pair for pair in product(["mg", "sp"], STRATEGIES) if pair not in PAIRS),
    ("bt", "first-touch"),
    ("lu", "parallel-init"),
    ("ep", "round-robin"),
]
ALL_PAIRS = [*PAIRS, *(pytest.param(*pair, marks=pytest.mark.long) for pair in MORE_PAIRS)]
THREADS = 8
PAGE_BYTES = 4096

Report = dict[str, Any]
Runs = Callable[[str, str], Report]


@pytest.fixture(scope="module")
def quad(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Nobody asks for counts here, and without them the kernels take a third of the time."""
    with lab_or_skip("quad-4x2", tmp_path_factory.mktemp("quad"), plugin=False) as lab:
        yield lab


def reports(lab: Lab, command: str, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], Report]:
    """These pairs of a kernel and a strategy, in one program of the guest."""
    lines = [
        shlex.join([command, "bench", "npb", kernel, "--threads", str(THREADS)])
        + f" --strategy {strategy} --json || exit 1"
        for kernel, strategy in pairs
    ]
    # Threads that wait give their processor to those that work: there are more than the host has.
    script = "export OMP_WAIT_POLICY=passive\n" + "\n".join(lines)
    result = lab.run(["sh", "-c", script], timeout_s=1200)
    assert result.status == 0, result.stderr
    answers = result.stdout.decode().splitlines()
    return {pair: json.loads(line) for pair, line in zip(pairs, answers, strict=True)}


@pytest.fixture(scope="module")
def runs(quad: Lab, command: str) -> Runs:
    """The report of a pair; those of its list run together, when the first of them is wanted."""
    done: dict[tuple[str, str], Report] = {}

    def report(kernel: str, strategy: str) -> Report:
        pair = kernel, strategy
        if pair not in done:
            done.update(reports(quad, command, PAIRS if pair in PAIRS else MORE_PAIRS))
        return done[pair]

    return report


def expected_pages(strategy: str, pages: int, homes: list[int], nodes: list[int]) -> Counter[int]:
    """How many pages each node has by the definition of a strategy; `homes` are the threads'."""
    if strategy == "first-touch":
        return Counter({homes[0]: pages})
    if strategy == "round-robin":
        return Counter(nodes[page % len(nodes)] for page in range(pages))
    # The page's middle is in the part of its thread.
    return Counter(homes[(2 * page + 1) * len(homes) // (2 * pages)] for page in range(pages))


@pytest.mark.parametrize(("kernel", "strategy"), ALL_PAIRS)
def test_a_kernel_is_right_on_the_cpus_of_its_strategy(
    runs: Runs, kernel: str, strategy: str
) -> None:
    report = runs(kernel, strategy)
    assert all(run["verified"] for run in report["runs"])
    assert [place["cpu"] for place in report["thread_places"]] == list(range(THREADS))


@pytest.mark.parametrize(("kernel", "strategy"), ALL_PAIRS)
def test_every_array_is_where_the_strategy_puts_it(
    runs: Runs, quad: Lab, kernel: str, strategy: str
) -> None:
    report = runs(kernel, strategy)
    homes = [place["node"] for place in report["thread_places"]]
    nodes = quad.machine.memory_nodes
    for array in report["arrays"]:
        found = report["runs"][0]["pages"][array["name"]]
        counts = Counter({int(node): pages for node, pages in found["pages_on_node"].items()})
        pages = -(-array["bytes"] // PAGE_BYTES)
        assert found["astray_pages"] == 0
        if strategy == "memory-bind":  # What no thread wrote to is on no node.
            assert 0 < counts.total() <= pages and set(counts) <= set(homes)
        else:
            assert counts == expected_pages(strategy, pages, homes, list(nodes))
            assert array["receipt"]["as_planned"] == pages
