"""Machines whose nodes are numbered in each way that there is: a node has one id everywhere.

The guest's ids are the lab's, and everything that is printed, counted or reported has those.
"""

import io
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from lab_start import lab_or_skip
from relabelled_machine import relabelled

from homenode.lab import Lab, find_machine
from homenode.report import model
from homenode.report.cli import main as report
from homenode.study import records
from homenode.study.lab_runner import LabRunner
from homenode.study.progress import PlainProgress
from homenode.study.records import RecordStore
from homenode.study.session import run_study
from homenode.study.spec import parse

# Node 2 of cxl-3 has no CPUs, 1 and 3 of the other one no memory.
LAYOUTS = {
    "CPU-less first": ("cxl-3", {2: 0, 0: 1, 1: 2}, {}),
    "CPU-less in the middle": ("cxl-3", {1: 2, 2: 1}, {}),
    "memory-less": ("memoryless-4x2", {}, {}),
    "sparse, and so are its CPUs": ("cxl-3", {0: 3, 1: 8, 2: 5}, {4: 9, 5: 12, 6: 13, 7: 20}),
}
SPARSE = "sparse, and so are its CPUs"
STUDY = {
    "schema": "homenode.study/1",
    "name": "s",
    "title": "T",
    "workload": "map",
    "machines": ["odd"],
    "guests": 1,
    "fixed": {"threads": 2, "size": "2M", "pages": "small", "seed": 3},
    "factors": {"pattern": ["divided"], "op": ["read"], "method": ["default", "rewrite"]},
}
# Prints its own number and holds memory until its input ends; a shell starts soonest in a guest.
HOLDER = "held=$(head -c 1048576 /dev/zero | tr '\\\\0' x); echo $$; read end"

pytestmark = pytest.mark.lab


def layouts(short: tuple[str, ...] = (SPARSE,)) -> list[object]:
    """One is always looked at; the others with --long."""
    return [pytest.param(name, marks=[] if name in short else pytest.mark.long) for name in LAYOUTS]


def file_of(layout: str, folder: Path) -> Path:
    path = folder / "odd.xml"
    path.write_text(relabelled(*LAYOUTS[layout]))
    return path


def printed(lab: Lab, *words: str) -> dict[str, Any]:
    result = lab.run(list(words), timeout_s=400)
    assert result.status == 0, result.stderr.decode()
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize("layout", layouts())
def test_every_verb_has_the_same_ids(layout: str, tmp_path: Path) -> None:
    with lab_or_skip(find_machine(str(file_of(layout, tmp_path)))) as lab:
        ids = list(lab.machine.node_ids)
        cpus = {node.id: list(node.cpus) for node in lab.machine.nodes}
        assert ids == list(range(len(ids)))
        topology = printed(lab, "homenode", "topology", "--json")
        assert {node["id"]: node["cpus"] for node in topology["nodes"]} == cpus
        # In the order of the lab's nodes: what has no CPUs, what has no memory.
        memory = {n["id"] for n in topology["nodes"] if n["memory_bytes"] > 0}
        assert memory == {n.id for n in lab.machine.nodes if n.memory_bytes > 0}
        for node in sorted(memory):
            check_a_node(lab, node)
        quick = ["--quick", "--runs", "1", "--size", "1M", "--only", "latency", "--no-progress"]
        measured = printed(lab, "homenode", "measure", *quick, "--json")
        assert measured["sources"] == [node for node in ids if cpus[node]]
        assert measured["targets"] == sorted(memory)


def check_a_node(lab: Lab, node: int) -> None:
    """Memory that is bound to a node is on it for the kernel, for `where` and in the counts."""
    script = (
        "mkfifo /tmp/end /tmp/id; "
        f"homenode run -m {node} sh -c {shlex.quote(HOLDER)} </tmp/end >/tmp/id & "
        "exec 3>/tmp/end; read id </tmp/id; "
        "homenode where $id --json; echo >&3; wait; rm /tmp/end /tmp/id"
    )
    where = printed(lab, "sh", "-c", script)
    on_node = where["groups"]["anonymous"]
    assert max(on_node, key=lambda id_: on_node[id_]) == str(node)
    assert [n["id"] for n in where["nodes"]] == list(lab.machine.node_ids)
    words = ["homenode", "run", "-m", str(node), "homenode", "bench", "stream", "--size", "2M"]
    few = ["--passes", "1", "--threads", "2", "--kernel", "copy"]
    result = lab.run([*words, *few], timeout_s=400)
    assert result.status == 0, result.stderr.decode()
    (roi,) = result.rois
    assert roi.nodes == tuple(n.id for n in lab.machine.nodes if n.memory_bytes > 0)
    columns = zip(*(v.user.loads for v in roi.vcpus), strict=True)
    by_node = dict(zip(roi.nodes, map(sum, columns), strict=True))
    assert by_node[node] == max(by_node.values()) > 0
    times = [vcpu.time for vcpu in roi.vcpus if vcpu.time is not None]
    assert times
    assert {len(time.memory_reads) for time in times} == {len(roi.nodes)}


@pytest.mark.parametrize("layout", layouts())
def test_a_study_and_its_report_have_the_guests_ids(layout: str, tmp_path: Path) -> None:
    lab_or_skip("tiny-2x2")
    runner = LabRunner(str(file_of(layout, tmp_path)))
    results = tmp_path / "results"
    with RecordStore(results) as store, PlainProgress(io.StringIO()) as progress:
        summary = run_study(parse(STUDY), lambda name: runner, store, progress)
    assert (summary.ran, summary.failed) == (2, [])
    found = records.read(results)
    nodes = len(runner.machine.node_ids)
    assert {tuple(record["matrix"]["nodes"]) for record in found} == {tuple(range(nodes))}
    (view,) = model.build(found)
    assert all(case.accesses >= 2 * 1024 * 1024 // 64 for case in view.cases)
    page = tmp_path / "page.html"
    assert report([str(results), "--output", str(page)]) == 0
    assert "node 0" in page.read_text()
