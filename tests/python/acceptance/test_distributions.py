"""Every policy and distribution lands page for page as declared, on machines of every kind."""

import json
import shlex
import shutil
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from expected_nodes import PAGES, WEIGHTS, homes, page_maps, policies, weighted_rule
from lab_start import lab_or_skip

from homenode.lab import Lab, find_machine
from homenode.lab.machine import MIB, Cpu, Machine
from homenode.node import Node

# Nodes 0 and 2 have CPUs and no memory, node 4 memory and no CPUs: memory begins at node 1.
ODD = Machine(
    "odd",
    (
        Node(0, (0,), 0),
        Node(1, (1,), 256 * MIB),
        Node(2, (2,), 0),
        Node(3, (3,), 256 * MIB),
        Node(4, (), 256 * MIB),
    ),
    (Cpu(0, 0, 0), Cpu(1, 1, 1), Cpu(2, 2, 2), Cpu(3, 3, 3)),
    (
        (10, 40, 20, 25, 50),
        (40, 10, 25, 35, 45),
        (20, 25, 10, 20, 40),
        (25, 35, 20, 10, 30),
        (50, 45, 40, 30, 10),
    ),
)
HUGE_PAGES = 1600  # Enough for two huge pages wherever the region lies.
WEIGHTS_FOLDER = "/sys/kernel/mm/mempolicy/weighted_interleave"


class Case(NamedTuple):
    machine: Machine
    nodes: list[int]  # Those with memory.
    cpu: int  # Where the probe runs, and
    local: int  # the nearest node with memory.


CASES = {
    "tiny-2x2": Case(find_machine("tiny-2x2"), [0, 1], 3, 1),
    "quad-4x2": Case(find_machine("quad-4x2"), [0, 1, 2, 3], 2, 1),
    "cxl-3x4": Case(find_machine("cxl-3x4"), [0, 1, 2], 5, 1),
    "odd": Case(ODD, [1, 3, 4], 0, 3),
}


class Landed(NamedTuple):
    """What the kernel of a machine did, by rule."""

    case: Case
    small: dict[str, Any]
    huge: dict[str, Any]


def probe(lab: Lab, cpu: int, how: str, pages: int, rules: list[str]) -> dict[str, Any]:
    program = shutil.which("place_probe")
    assert program, "place_probe is not on PATH; run the tests through ./dev test"
    weights = "".join(f"echo {w} > {WEIGHTS_FOLDER}/node{n}; " for n, w in WEIGHTS.items())
    words = shlex.join([program, how, str(cpu), str(pages), *rules])
    result = lab.run(["sh", "-c", f"( {weights}) 2> /dev/null; {words}"], timeout_s=300)
    assert result.status == 0, result.stderr.decode()
    return {answer["rule"]: answer for answer in map(json.loads, result.stdout.splitlines())}


@pytest.fixture(scope="module", params=list(CASES))
def landed(request: pytest.FixtureRequest) -> Iterator[Landed]:
    """All answers of one boot of each machine."""
    case = CASES[request.param]
    rules = [
        *page_maps(case.nodes),
        *policies(case.nodes, case.local),
        *homes(case.nodes, case.local),
        weighted_rule(case.nodes),
    ]
    with lab_or_skip(case.machine, timing=False) as lab:
        small = probe(lab, case.cpu, "small", PAGES, rules)
        huge = probe(lab, case.cpu, "huge", HUGE_PAGES, ["skew", "cyclic:100", "block"])
    yield Landed(case, small, huge)


def test_each_page_of_our_own_maps_is_where_its_formula_says(landed: Landed) -> None:
    for rule, expected in page_maps(landed.case.nodes).items():
        answer = landed.small[rule]
        for state in ("fresh", "written"):
            assert answer[state]["nodes"] == expected(0), (rule, state)
            assert answer[state]["receipt"]["as_planned"] == PAGES
        assert answer["mappings_added"] == 0, rule


def test_weighted_gives_each_node_its_share_after_any_number_of_pages(landed: Landed) -> None:
    nodes = landed.case.nodes
    whole = sum(WEIGHTS[node] for node in nodes)
    for state in ("fresh", "written"):
        found = landed.small[weighted_rule(nodes)][state]["nodes"]
        assert len(found) == PAGES
        for count in range(1, PAGES + 1):
            for node in nodes:
                share = count * WEIGHTS[node] / whole
                assert abs(found[:count].count(node) - share) < 1, (state, count, node)


def test_each_policy_of_the_kernel_rules_new_pages_and_moves_old_ones(landed: Landed) -> None:
    for rule, expected in policies(landed.case.nodes, landed.case.local).items():
        answer = landed.small[rule]
        if rule == "weighted-interleave" and "Linux 6.9" in answer.get("refused", ""):
            continue
        assert "refused" not in answer, answer
        for state in ("fresh", "written"):
            found = answer[state]
            assert found["nodes"] == expected(found["first_page"]), (rule, state)
        receipt = answer["written"]["receipt"]
        assert receipt["pages"] == receipt["as_planned"] == PAGES


def test_a_home_is_where_new_pages_go_first(landed: Landed) -> None:
    for rule, expected in homes(landed.case.nodes, landed.case.local).items():
        assert landed.small[rule]["fresh"]["nodes"] == expected(0), rule


def test_huge_pages_are_divided_where_the_map_divides_them(landed: Landed) -> None:
    nodes = landed.case.nodes
    m = len(nodes)
    for state in ("fresh", "written"):
        assert landed.huge["skew"][state]["nodes"] == [
            nodes[(b + b // m + 1) % m] for b in range(HUGE_PAGES)
        ]
        assert landed.huge["cyclic:100"][state]["nodes"] == [
            nodes[b // 100 % m] for b in range(HUGE_PAGES)
        ]
    for answer in landed.huge.values():
        assert answer["mappings_added"] <= 2
