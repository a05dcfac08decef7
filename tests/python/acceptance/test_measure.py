"""`homenode measure` inside the lab: every pair of nodes has its figures, on the modelled clock."""

import json
from pathlib import Path
from typing import Any

import pytest
from lab_start import lab_or_skip

from homenode.lab.machine_model import resolve

NO_CLOCK = 3  # The exit code of what is not supported here.
WORDS = ["--quick", "--json", "--no-progress", "--size", "8M", "--kernel", "read,write-nt"]
PARTS = ["--only", "latency,bandwidth,loaded,weights,cores"]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, command: str) -> Any:
    with lab_or_skip("tiny-2x2", tmp_path_factory.mktemp("measure")) as lab:
        result = lab.run([command, "measure", *WORDS, *PARTS], timeout_s=300)
        model = resolve(lab.machine)
    if result.status == NO_CLOCK:
        pytest.skip("this QEMU has no clock for the lab")
    assert result.status == 0, result.stderr
    return json.loads(result.stdout) | {"model": model}


def pairs(measured: Any) -> set[tuple[int, int]]:
    return {(a, b) for a in measured["sources"] for b in measured["targets"]}


def test_every_figure_says_that_it_is_modelled(measured: Any) -> None:
    assert measured["modelled"] is True
    assert measured["schema"] == "homenode.measure/2"
    assert measured["provenance"] == "modelled in the lab on tiny-2x2"


def test_every_pair_has_latency_and_bandwidth(measured: Any) -> None:
    assert measured["targets"] == [0, 1]
    for access in ("read", "write"):
        figures = [f for f in measured["latency"] if f["access"] == access]
        assert {(f["from"], f["to"]) for f in figures} == pairs(measured)
        assert all(f["latency_ns"]["median"] > 0 and f["latency_ns"]["runs"] == 3 for f in figures)
    for kernel in ("read", "write-nt"):
        figures = [f for f in measured["bandwidth"] if f["kernel"] == kernel]
        assert {(f["from"], f["to"]) for f in figures} == pairs(measured)
        assert all(f["counted_mib_per_s"]["median"] > 0 for f in figures)


def test_remote_memory_costs_more_and_weights_follow(measured: Any) -> None:
    factors = measured["matrices"]["numa_factor"]["values"]
    for row, source in enumerate(measured["sources"]):
        for column, target in enumerate(measured["targets"]):
            if source != target:
                assert factors[row][column] > 1.2
    own = next(w for w in measured["weights"] if w["from"] == 0)
    assert own["weights"]["0"] > own["weights"]["1"]


def test_a_line_comes_from_another_cache_in_the_time_that_the_machine_declares(
    measured: Any,
) -> None:
    model = measured["model"]
    declared = model.figures["CacheToCacheNs"]
    node_of = {cpu: node["id"] for node in measured["machine"]["nodes"] for cpu in node["cpus"]}
    cores = measured["core_to_core"]
    for reader, row in zip(cores["cpus"], cores["latency_ns"], strict=True):
        for owner, ns in zip(cores["cpus"], row, strict=True):
            if reader == owner:
                assert ns is None
                continue
            pair = (node_of[reader], node_of[owner])
            wanted = declared if pair[0] == pair[1] else max(declared, model.latency_ns[pair])
            assert ns == pytest.approx(wanted, rel=0.01)


def test_every_page_is_on_its_node(measured: Any) -> None:
    assert [m["pages_elsewhere"] for m in measured["memory"]] == [0, 0]


def test_the_machine_file_of_a_measurement_reads_back(tmp_path: Path, command: str) -> None:
    script = (
        f"{command} measure --quick --only latency --size 4M --no-progress --output /tmp/m.xml"
        f" >/dev/null && {command} topology --input /tmp/m.xml --json"
    )
    with lab_or_skip("tiny-2x2", tmp_path) as lab:
        result = lab.run(["sh", "-c", script], timeout_s=300)
    if result.status == NO_CLOCK:
        pytest.skip("this QEMU has no clock for the lab")
    assert result.status == 0, result.stderr
    text = result.stdout if isinstance(result.stdout, str) else result.stdout.decode()
    kinds = {m["kind"]: m for m in json.loads(text)["pair_values"]}
    assert kinds["read_latency"]["provenance"] == "declared"
