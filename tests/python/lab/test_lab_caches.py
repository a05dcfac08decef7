"""The caches that programs in the lab see are those of the machine file."""

import json
import shutil
from dataclasses import replace

import pytest

from homenode.lab import Lab, find_machine
from homenode.lab.catalogue import names
from homenode.lab.machine import Cache, CacheInstance
from homenode.lab.sysfs_caches import CacheTree, cache_tree


def said(text: str) -> dict[str, str]:
    """What each file of a list says, by its path."""
    return dict(line.split(" ", 1) for line in text.splitlines() if not line.endswith("/"))


def files(tree: CacheTree) -> dict[str, str]:
    """What each file of a tree says once the figures are written, by its path."""
    figures = said(tree.figures)
    return {
        path: figures[value[1:] or path] if value.startswith("=") else value
        for path, value in said(tree.layout).items()
    }


def test_a_cpu_has_its_caches_in_the_kernels_order():
    tree = files(cache_tree(find_machine("quad-4x2")))
    kinds = [(tree[f"cpu7/index{i}/level"], tree[f"cpu7/index{i}/type"]) for i in range(4)]
    assert kinds == [("1", "Data"), ("1", "Instruction"), ("2", "Unified"), ("3", "Unified")]
    assert "cpu7/index4/level" not in tree
    assert tree["cpu7/index3/shared_cpu_list"] == "6-7"
    assert tree["cpu7/index3/shared_cpu_map"] == "000000c0"
    assert tree["cpu7/index3/id"] == "3"


@pytest.mark.parametrize("name", names())
def test_size_ways_and_sets_agree_for_every_machine(name: str):
    machine = find_machine(name)
    tree = files(cache_tree(machine))
    seen = set()
    for path in (path.removesuffix("/level") for path in tree if path.endswith("/level")):
        size = int(tree[f"{path}/size"].removesuffix("K")) << 10
        line = int(tree[f"{path}/coherency_line_size"])
        ways, sets = (
            int(tree.get(f"{path}/{file}", 0))
            for file in ("ways_of_associativity", "number_of_sets")
        )
        assert size == ways * sets * line or ways == 0
        seen.add((int(tree[f"{path}/level"]), size, len(tree[f"{path}/shared_cpu_map"])))
    assert {shape[:2] for shape in seen} == {
        (cache.level, cache.shape.size) for cache in (*machine.caches, *machine.instruction_caches)
    }


def test_folders_come_before_what_is_in_them():
    known = {""}
    for line in cache_tree(find_machine("tiny-2x2")).layout.splitlines():
        path = line.split(" ")[0]
        assert path.removesuffix("/").rpartition("/")[0] in known
        known.add(path.removesuffix("/"))


def test_cpus_have_the_guests_numbers_and_long_maps_have_several_words():
    machine = find_machine("xeon-4x24")
    shared = CacheInstance(3, Cache(1 << 20, 0, 64), tuple(cpu.id for cpu in machine.cpus[30:34]))
    tree = files(cache_tree(replace(machine, caches=(shared,), instruction_caches=())))
    assert {path.split("/")[0] for path in tree} == {"cpu30", "cpu31", "cpu32", "cpu33"}
    assert tree["cpu31/index0/shared_cpu_map"] == "00000003,c0000000"
    assert tree["cpu31/index0/shared_cpu_list"] == "30-33"
    assert "cpu31/index0/number_of_sets" not in tree


def test_machines_that_differ_by_figures_have_one_layout():
    machine = find_machine("quad-4x2")
    larger = replace(
        machine,
        caches=tuple(
            replace(cache, shape=replace(cache.shape, size=2 * cache.shape.size))
            for cache in machine.caches
        ),
    )
    assert cache_tree(larger).layout == cache_tree(machine).layout
    assert (
        files(cache_tree(larger))["cpu7/index3/size"]
        != files(cache_tree(machine))["cpu7/index3/size"]
    )


def test_caches_of_unlike_shapes_have_figures_of_their_own():
    one, other = (
        CacheInstance(1, Cache(size, 8, 64), (cpu,)) for cpu, size in enumerate((32768, 65536))
    )
    machine = replace(find_machine("tiny-2x2"), caches=(one, other), instruction_caches=())
    tree = files(cache_tree(machine))
    assert (tree["cpu0/index0/size"], tree["cpu1/index0/size"]) == ("32K", "64K")


def test_a_machine_without_caches_has_no_tree():
    machine = find_machine("tiny-2x2")
    assert cache_tree(replace(machine, caches=(), instruction_caches=())) == CacheTree("", "")


def test_a_scaled_cache_of_less_than_a_kib_is_one_kib():
    tiny = CacheInstance(1, Cache(512, 8, 64), (0,))
    tree = files(cache_tree(replace(find_machine("tiny-2x2"), caches=(tiny,))))
    assert tree["cpu0/index0/size"] == "1K"


@pytest.mark.lab
def test_topology_tells_the_declared_sizes_and_sharing(quad: Lab):
    homenode = shutil.which("homenode")
    if homenode is None:
        pytest.skip("homenode is not on PATH; run the tests through ./dev test")
    said = json.loads(quad.run([homenode, "topology", "--json"], timeout_s=120).stdout)
    keys = ("level", "size_bytes", "ways", "line_bytes")
    assert {(*(c[key] for key in keys), *c["cpus"]) for c in said["caches"]} == {
        (c.level, c.shape.size, c.shape.ways, c.shape.line, *sorted(c.cpus))
        for c in find_machine("quad-4x2").caches
    }


@pytest.mark.lab
def test_lscpu_tells_the_declared_sizes_and_sharing(quad: Lab):
    said = quad.run(["lscpu", "--bytes", "--json"], timeout_s=60, env={"LC_ALL": "C"}).stdout
    flat = json.dumps(json.loads(said))
    machine = find_machine("quad-4x2")
    for level, name in ((1, "L1d"), (2, "L2"), (3, "L3")):
        caches = [cache for cache in machine.caches if cache.level == level]
        total = sum(cache.shape.size for cache in caches)
        assert f'"{name} cache:", "data": "{total} ({len(caches)} instances)"' in flat
