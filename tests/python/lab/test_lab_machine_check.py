"""homenode.lab.machine_check: what a machine may not say, each with the pair and the value."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from homenode.lab.limits import LIMITS
from homenode.lab.machine import Cache, CacheInstance, Cpu, Machine, PairValues
from homenode.lab.machine_check import find_problem
from homenode.lab.machine_closing import find_gaps, lines_to_close, reachable_mib
from homenode.lab.machine_links import parse_links, parse_routes, shortest
from homenode.lab.machine_model import resolve
from homenode.node import Node

LATENCY = {(0, 0): 90, (0, 1): 140, (1, 0): 150, (1, 1): 95}
GOOD = Machine(
    "good",
    (Node(0, (0, 1), 1 << 30), Node(1, (2, 3), 1 << 30)),
    tuple(Cpu(number, number // 2, number) for number in range(4)),
    ((10, 20), (20, 10)),
)


def with_latency(provenance: str = "declared", **changes: int) -> Machine:
    """GOOD with latencies; a01=5 makes that from node 0 to node 1 five."""
    values = dict(LATENCY)
    for name, value in changes.items():
        values[int(name[1]), int(name[2])] = value
    return replace(GOOD, pair_values={"Latency": PairValues(provenance, values)})


def said(machine: Machine) -> str:
    try:
        return find_problem(machine)
    except ValueError as error:
        return str(error)


def test_nothing_is_wrong_with_a_good_machine():
    assert said(GOOD) == said(with_latency()) == ""
    assert said(replace(GOOD, info={"Links": "0-1:500", "Routes": "0>1:0,1"})) == ""


@pytest.mark.parametrize(
    ("machine", "problem"),
    [
        (with_latency(a01=0), "its Latency from node 0 to node 1 is 0 ns, which is not between 1"),
        (
            with_latency(a11=100_001),
            "from node 1 to node 1 is 100001 ns, which is not between 1 and",
        ),
        (with_latency(a01=301), "from node 0 to node 1 is 301 ns, but 150 ns the other way"),
        (with_latency(a01=89), "from node 0 to node 1 is 89 ns, less than the 90 ns to its own"),
    ],
)
def test_latencies_are_named_with_their_pair(machine: Machine, problem: str):
    assert problem in said(machine)


def test_measurements_may_be_odd_but_not_absurd():
    assert said(with_latency("measured", a01=89, a10=400)) == ""
    assert "is 0 ns" in said(with_latency("measured", a01=0))


def test_a_pair_that_is_left_out_is_named():
    values = {pair: value for pair, value in LATENCY.items() if pair != (1, 0)}
    machine = replace(GOOD, pair_values={"ReadLatency": PairValues("firmware", values)})
    assert said(machine) == (
        "its ReadLatency from node 1 to node 0 is missing, but other pairs have one"
    )


@pytest.mark.parametrize("value", [0, (10 << 20) + 1])
def test_bandwidths_lie_within_limits(value: int):
    table = PairValues("declared", dict.fromkeys(LATENCY, value))
    assert f"its ReadBandwidth from node 0 to node 0 is {value} MiB/s" in said(
        replace(GOOD, pair_values={"ReadBandwidth": table})
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CoreFrequencyMHz", "0"),
        ("CoreFrequencyMHz", "2.5"),
        ("CoreFrequencyMHz", "-1"),
        ("BaseCPI", "0"),
        ("BaseCPI", "nan"),
        ("BaseCPI", "1e999"),
        ("L3LatencyNs", "fast"),
        ("OutstandingMisses", "0"),
        ("PrefetchedLines", "1_0"),
        ("ReorderWindow", ""),
        ("LabNodeMemoryMiB", "much"),
    ],
)
def test_figures_are_numbers_that_make_sense(name: str, text: str):
    problem = said(replace(GOOD, info={name: text}))
    assert problem.startswith(f"homenode:{name} is '{text}', which is not a ")


@pytest.mark.parametrize(
    ("links", "routes", "problem"),
    [
        ("0-7:500", None, "has the link 0-7, but that node does not exist"),
        ("0-1:0", None, "the link 0-1 has 0 MiB/s"),
        ("0-1", None, "has '0-1', which is not of the form 0-1:6400"),
        ("0-0:5", None, "has the link 0-0 twice, or from a node to itself"),
        ("0-1:5,1-0:6", None, "has the link 1-0 twice, or from a node to itself"),
        ("0-1:5", "0>1:0,5,1", "the route 0>1 needs the link 0-5"),
        ("0-1:5", "0>1:1,0", "does not lead from 0 to 1"),
        ("0-1:5", "0>1:0,1;0>1:0,1", "has 0>1 twice"),
        ("0-1:5", "around", "has 'around', which is not of the form 0>5:0,4,5"),
        (None, "0>1:0,1", "homenode:Routes without homenode:Links"),
    ],
)
def test_links_and_routes_fit_the_nodes(links: str | None, routes: str | None, problem: str):
    given = {"Links": links, "Routes": routes}
    info = {name: text for name, text in given.items() if text is not None}
    assert problem in said(replace(GOOD, info=info))


def test_every_pair_needs_a_way():
    nodes = (*GOOD.nodes, Node(2, (), 1 << 30))
    machine = replace(GOOD, nodes=nodes, distances=(), info={"Links": "0-1:500"})
    assert said(machine) == "no links lead from node 0 to node 2"


def test_caches_have_sizes_that_can_be():
    for shape, problem in (
        (Cache(1024, 32, 64), "an L2 cache has 1024 bytes in 32 ways"),
        (Cache(1 << 20, 8, 48), "the line of an L2 cache is 48 bytes"),
    ):
        assert said(replace(GOOD, caches=(CacheInstance(2, shape, (0,)),))) == problem


def with_cache(level: int, size: int, ways: int, line: int = 64) -> Machine:
    cache = CacheInstance(level, Cache(size, ways, line), (0,))
    return replace(GOOD, caches=(cache,), private_cache=cache.shape if level == 2 else None)


def with_cpus(count: int) -> Machine:
    cpus = tuple(Cpu(number, 0, number) for number in range(count))
    return replace(GOOD, nodes=(Node(0, tuple(range(count)), 1 << 30),), cpus=cpus, distances=())


@pytest.mark.parametrize(
    ("limit", "make"),
    [
        ("lines_in_flight", lambda n: replace(GOOD, info={"OutstandingMisses": str(n)})),
        ("lines_in_flight", lambda n: replace(GOOD, info={"PrefetchedLines": str(n)})),
        ("cache_bytes", lambda n: with_cache(3, n, 0, 16)),
        ("counted_cache_bytes", lambda n: with_cache(2, n, 0, 16)),
        ("cache_ways", lambda n: with_cache(3, 1 << 20, n)),
        ("cpus", with_cpus),
    ],
)
def test_what_the_plugin_refuses_is_refused_before_in_its_words(
    limit: str, make: Callable[[int], Machine]
):
    held = LIMITS[limit]
    assert find_problem(make(held.most)) == ""
    assert said(make(held.most + 1)).endswith(held.complaint)


def test_lines_are_as_long_as_the_plugin_takes_them():
    held = LIMITS["line_bytes"]
    for line in (held.least, held.most):
        assert find_problem(with_cache(3, 1 << 20, 8, line)) == ""
    for line in (held.least // 2, held.most * 2):
        assert said(with_cache(3, 1 << 20, 8, line)).endswith(held.complaint)


def test_the_words_are_those_of_the_plugin():
    assert LIMITS["lines_in_flight"].complaint == "not a whole number of lines from 1 to 1024"
    assert LIMITS["cpus"].complaint == "not a whole number of CPUs from 1 to 4094"


def test_the_default_way_has_the_fewest_links_then_the_lowest_nodes():
    square = parse_links("0-1:1,0-2:1,1-3:1,2-3:1,3-4:1")
    assert shortest(square, 0, 3) == (0, 1, 3)
    assert shortest(square, 3, 0) == (3, 1, 0)
    assert shortest(square, 4, 0) == (4, 3, 1, 0)
    assert shortest(square, 0, 9) == ()
    assert parse_routes("0>3:0,2,3; 3>0:3,2,0") == {(0, 3): (0, 2, 3), (3, 0): (3, 2, 0)}


def test_a_machine_closes_when_its_cores_can_ask_for_what_is_declared():
    tables = {
        "Latency": PairValues("declared", LATENCY),
        "ReadBandwidth": PairValues("declared", dict.fromkeys(LATENCY, 10000)),
    }
    machine = replace(GOOD, pair_values=tables, info={"PrefetchedLines": "11"})
    model = resolve(machine)
    # 2 cores × 11 lines × 64 bytes in 150 ns.
    assert reachable_mib(machine, model, (1, 0)) == pytest.approx(2 * 11 * 64 / 150e-9 / (1 << 20))
    assert lines_to_close(machine, model) == 16
    assert find_gaps(machine, model) == [
        "the cores of node 0 can request 9591 MiB/s from node 1, but 10000 are declared",
        "the cores of node 1 can request 8952 MiB/s from node 0, but 10000 are declared",
    ]
    enough = replace(machine, info={"PrefetchedLines": "16"})
    assert find_gaps(enough, resolve(enough)) == []


def test_a_link_that_is_narrower_than_a_pair_is_a_gap():
    tables = {"Bandwidth": PairValues("declared", dict.fromkeys(LATENCY, 3000))}
    machine = replace(GOOD, pair_values=tables, info={"Links": "0-1:2999"})
    assert find_gaps(machine, resolve(machine)) == [
        "node 0 needs 3000 MiB/s from node 1 over the link 0-1, which has only 2999",
        "node 1 needs 3000 MiB/s from node 0 over the link 0-1, which has only 2999",
    ]
