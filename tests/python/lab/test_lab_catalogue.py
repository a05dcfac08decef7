"""The machine files of the catalogue: complete, with a source for each figure, and closing."""

import pytest

from homenode.lab.catalogue import find_machine, names
from homenode.lab.machine import Machine
from homenode.lab.machine_closing import find_gaps, lines_to_close
from homenode.lab.machine_links import shortest, steps
from homenode.lab.machine_model import FIGURES, resolve
from homenode.places import shipped

SHIPPED = sorted(path.stem for folder in shipped("machines") for path in folder.glob("*.xml"))
PAPERS = {
    "itanium2-4x4": (4, 16),
    "opteron-8x2": (8, 16),
    "hp-8x4": (8, 32),
    "xeon-e5620-2x4": (2, 8),
    "desantis-8x4": (8, 32),
    "xeon-4x24": (4, 96),
}
TODAY = {
    "epyc-nps4-8x4": (8, 32),
    "xeon-snc4-8x4": (8, 32),
    "xeon-ring-4x4": (4, 16),
    "cxl-3x4": (3, 8),
    "xeon-max-8x8": (8, 32),
}
SOURCE_OF = {
    "CoreFrequencyMHz": "Core",
    "OutstandingMisses": "Core",
    "PrefetchedLines": "Core",
    "ReorderWindow": "Core",
    "L2LatencyNs": "CacheLatency",
    "L3LatencyNs": "CacheLatency",
    "CacheToCacheNs": "CacheLatency",
    "Links": "Links",
}


@pytest.fixture(params=SHIPPED)
def machine(request: pytest.FixtureRequest) -> Machine:
    return find_machine(request.param)


def test_the_catalogue_holds_the_papers_machines_and_todays():
    for name, size in {**PAPERS, **TODAY}.items():
        found = find_machine(name)
        assert (len(found.nodes), len(found.cpus)) == size, name
    assert set(PAPERS) | set(TODAY) <= set(names())


def test_every_machine_has_its_name_a_description_and_every_matrix(machine: Machine):
    assert machine.name in SHIPPED
    assert machine.description
    assert machine.distances
    assert set(machine.pair_values) == {"Latency", "ReadBandwidth", "WriteBandwidth"}
    assert {cache.level for cache in machine.caches} >= {1, 2}


def test_every_figure_has_a_source_that_says_how_far_it_is_known(machine: Machine):
    wanted = {SOURCE_OF[name] for name in machine.info if name in SOURCE_OF}
    for what in ("", ".Latency", ".Bandwidth", *(f".{name}" for name in wanted)):
        text = machine.info.get(f"Source{what}", "")
        assert text.startswith(("published: ", "derived: ", "assumed: ", "declared: ")), what
    assert set(FIGURES) - set(machine.info) <= {"BaseCPI", "L3LatencyNs", "PauseNs", "WakeUpNs"}


def test_every_machine_closes(machine: Machine):
    model = resolve(machine)
    assert find_gaps(machine, model) == []
    assert lines_to_close(machine, model) <= model.figures["PrefetchedLines"]


def test_no_pair_gets_more_than_the_controller_gives(machine: Machine):
    model = resolve(machine)
    for (_, to), value in model.read_mib.items():
        assert value <= model.controller_mib(to)[0]
    for (_, to), value in model.write_mib.items():
        assert value <= model.controller_mib(to)[1]


def test_ways_are_the_shortest_there_are(machine: Machine):
    model = resolve(machine)
    for (a, b), way in model.routes.items():
        assert way[0] == a and way[-1] == b
        assert set(steps(way)) <= set(model.links)
        assert len(way) == len(shortest(model.links, b, a))


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("itanium2-4x4", 2, 2.5), ("opteron-8x2", 1.2, 1.5), ("xeon-4x24", 1.2, 5)],
)
def test_numa_factors_are_the_published_ones(name: str, least: float, most: float):
    factors = resolve(find_machine(name)).numa_factors().values()
    assert (min(factors), max(factors)) == (least, most)


@pytest.mark.parametrize(
    ("name", "read_mb", "write_mb"),
    [("itanium2-4x4", 1157.05, 780.33), ("opteron-8x2", 1617.08, 1458.89)],
)
def test_local_bandwidths_are_the_published_ones(name: str, read_mb: float, write_mb: float):
    model = resolve(find_machine(name))
    for published, of in ((read_mb, model.read_mib), (write_mb, model.write_mib)):
        assert of[0, 0] * 1.048576 == pytest.approx(published, abs=1.1)


def test_memory_of_other_kinds_is_in_nodes_without_cpus():
    for name, without in (("cxl-3x4", (2,)), ("xeon-max-8x8", (4, 5, 6, 7))):
        nodes = {node.id: node for node in find_machine(name).nodes}
        assert tuple(number for number, node in nodes.items() if not node.cpus) == without
