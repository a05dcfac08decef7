"""What the commands print is what docs/schemas describes, and keeps the conventions."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from json_documents import ROOT, breaches, errors, files
from lab_start import lab_or_skip

from homenode import places

# The command without `homenode`, and the schema of each line or document that it prints.
OUTPUTS = [
    ("run --show --json", "run.show"),
    ("sample --list --json", "sources"),
    ("run --all --weighted-interleave=all --show --json", "run.show"),
    ("run --explain --json -- true", "run.explain"),
    ("run --cpunodebind=0 --membind=0 --threads 0 --thread-memory bind@0 --skip-threads 1 "
     "--explain --json -- true", "run.explain"),
    ("run --heap interleave --place 'size>1M: cyclic' --explain --json -- true", "run.explain"),
    ("run --malloc interleave --explain --json -- true", "run.explain"),
    ("bench stream --size 1m --threads 1 --json", "bench.stream"),
    ("bench stream --size 1m --threads 2 --strategy round-robin --runs 2 --json", "bench.stream"),
    ("bench stream --size 1m --threads 1 --peer true --json", "bench.stream"),
    ("bench chase --size 64k --threads 1 --json", "bench.chase"),
    ("bench gups --size 64k --threads 1 --json", "bench.gups"),
    ("bench gather --count 1000 --threads 1 --json", "bench.gather"),
    ("bench npb is --class S --threads 1 --json", "bench.npb"),
    ("bench kneighbor --iterations 2 --steps 2 --threads 1 --json", "bench.kneighbor"),
    ("bench kneighbor --elements 7 --iterations 2 --steps 2 --threads 1 --messages malloc --json",
     "bench.kneighbor"),
    ("bench molecular2d --particles 100 --steps 2 --threads 1 --json", "bench.molecular2d"),
    ("bench seismic --size 30 --steps 4 --threads 1 --json", "bench.seismic"),
    ("run --hardware --json", "run.hardware"),
    ("bench map --size 1m --threads 2 --json", "bench.map"),
    ("bench map --pattern multi-patterns --size 1m --threads 2 --json", "bench.map"),
    ("bench numa-mem -p 1 -t 2 -G 1 -P 1 -l 2 --json", "bench.numa-mem"),
    ("bench stress --block 1m --threads-per-node 1 --cycles 1 --hold 0.1 --json", "bench.stress"),
    ("bench stress --block 1m --threads-per-node 1 --cycles 1 --hold 0.1 --modes plain --json",
     "bench.stress.modes"),
    ("measure --quick --only latency --runs 1 --size 1m --json", "measure"),
    ("where --system --json", "where.system"),
    ("where --system 3 --json", "where.system"),
    ("topology --json", "machine"),
    (f"topology --input {ROOT}/machines/cxl-3x4.xml --json", "machine"),
    ("lab list --json", "lab.machines"),
    ("lab show cxl-3x4 --json", "lab.machine"),
    ("lab show tiny-2x2 --json", "lab.machine"),
    ("study --dry-run demo --json", "study.cases"),
]  # fmt: skip
WORKLOADS = [
    "map",
    "stress",
    "numa-mem",
    "stream",
    "chase",
    "gups",
    "gather",
    "npb",
    "kneighbor",
    "molecular2d",
    "seismic",
]
TINY = "tiny-2x2"
STREAM = f"""
schema = "homenode.study/1"
name = "rates"
title = "Rates"
workload = "stream"
machines = ["{TINY}"]
fixed = {{ size = "1M", passes = 1, threads = 2 }}
factors = {{ strategy = ["none", "round-robin"] }}
"""
PARTS = f"""
schema = "homenode.study/1"
name = "two-parts"
title = "Two parts"
machines = ["{TINY}"]
[parts.rates]
workload = "stream"
fixed = {{ size = "1M", passes = 1 }}
factors = {{ threads = [2] }}
[parts.latencies]
workload = "chase"
fixed = {{ size = "64K" }}
factors = {{ threads = [1] }}
"""
MAP = f"""
schema = "homenode.study/1"
name = "patterns"
title = "Patterns"
machines = ["{TINY}"]
fixed = {{ size = "1M", threads = 4, op = "read", pattern = "divided" }}
factors = {{ method = ["default", "api"] }}
"""


def command() -> str:
    found = shutil.which("homenode")
    if found is None:
        pytest.skip("homenode is not on PATH; run the tests through ./dev test")
    return found


def printed(words: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([command(), *words], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, done.stderr
    return done


def check(document: Any, name: str) -> None:
    assert errors(document, f"homenode.{name}") == []
    assert list(breaches(document)) == []


@pytest.mark.parametrize(("words", "schema"), OUTPUTS, ids=[words for words, _ in OUTPUTS])
def test_a_command_prints_what_its_schema_describes(words: str, schema: str) -> None:
    check(json.loads(printed(shlex.split(words)).stdout), schema)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_a_workload_describes_itself_and_names_a_schema(workload: str) -> None:
    description = json.loads(printed(["bench", workload, "--describe", "--json"]).stdout)
    check(description, "bench.describe")


def test_several_patterns_are_several_lines(tmp_path: Path) -> None:
    file = tmp_path / "patterns.json"
    pattern = {"kernel": "Gather", "pattern": [0, 2], "delta": 2, "count": 100}
    file.write_text(json.dumps([pattern, pattern | {"kernel": "Scatter"}]))
    words = ["bench", "gather", "--file", str(file), "--threads", "1", "--json"]
    lines = printed(words).stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        check(json.loads(line), "bench.gather")


@pytest.mark.parametrize(
    ("options", "schema"),
    [
        ([], "where"),
        (["--mappings"], "where"),
        (["--fast"], "where"),
        (["--objects"], "where.objects"),
        (["--repair", "bind@0", "--dry-run"], "where.repair"),
        (["--repair", "bind@0", "--threads", "0"], "where.repair"),
    ],
)
def test_a_running_program(options: list[str], schema: str) -> None:
    with subprocess.Popen(["sleep", "100"]) as program:
        try:
            found = json.loads(printed(["where", str(program.pid), *options, "--json"]).stdout)
        finally:
            program.kill()
    check(found, schema)


@pytest.mark.parametrize(("ranks", "bindings"), [(1, ["bound"]), (2, ["unbound", "unbound"])])
def test_the_ranks_of_a_job(ranks: int, bindings: list[str]) -> None:
    """Both may use the same CPUs, so that alone the one is bound and the two are not."""
    job = {**os.environ, "SLURM_JOB_ID": str(os.getpid())}
    job.pop("OMP_NUM_THREADS", None)
    started = [
        subprocess.Popen(["sleep", "100"], env=job | {"PMI_RANK": str(n)}) for n in range(ranks)
    ]
    words = [command(), "where", "--job", "--json"]
    try:
        done = subprocess.run(words, env=job, capture_output=True, text=True, check=False)
    finally:
        for each in started:
            each.kill()
            each.wait()
    found = json.loads(done.stdout)
    check(found, "where.job")
    assert [(r["rank"], r["binding"]) for r in found["ranks"]] == list(enumerate(bindings))
    assert [r["pid"] for r in found["ranks"]] == [each.pid for each in started]
    assert done.returncode == (0 if ranks == 1 else 1)


def test_the_page_cache_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "cached"
    file.write_bytes(b"x" * 100_000)
    found = json.loads(printed(["where", "--file", str(file), "--json"]).stdout)
    check(found, "where.file")
    assert sum(found["on_node_bytes"].values()) == found["cached_bytes"] > 0


def test_a_dump_of_shared_memory() -> None:
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        os.truncate(file.name, 1 << 20)
        words = ["run", f"--file={file.name}", "--membind=0", "--touch", "--dump", "--dump-nodes"]
        dump = json.loads(printed([*words, "--json"]).stdout)
    check(dump, "run.dump")
    assert [one["of"] for one in dump["dumps"]] == ["policies", "nodes"]


def test_the_statistics_of_the_malloc() -> None:
    done = printed(
        ["run", "--malloc", "bind", "--", "true"],
        env=os.environ | {"HOMENODE_MALLOC_STATISTICS": "1"},
    )
    check(json.loads(done.stderr), "malloc")


AUDIT = """
import ctypes
from homenode import capi, regions
region = regions.Region.allocate(1 << 20)
text = ctypes.c_void_p()
capi.call("hn_region_audit", region._handle, None, 0, ctypes.byref(text))
print(capi.take(text))
"""


def test_the_audit_of_a_region() -> None:
    if places.find_built("libhomenode.so") is None:
        pytest.skip("libhomenode.so is not built; run the tests through ./dev test")
    done = subprocess.run([sys.executable, "-c", AUDIT], capture_output=True, text=True, check=True)
    check(json.loads(done.stdout), "audit")


@pytest.mark.parametrize(
    ("options", "name", "schema"),
    [
        (["--snapshot", "waves.svg"], "snapshot", "bench.seismic.snapshot"),
        (["--snapshot", "waves.png"], "snapshot", "bench.seismic.snapshot"),
        (["--seismogram", "felt.svg"], "seismogram", "bench.seismic.seismogram"),
    ],
)
def test_pictures_are_drawn_from_data_with_a_schema(
    options: list[str], name: str, schema: str, tmp_path: Path
) -> None:
    """The command is copied beside a homenode-draw that keeps what it is given."""
    folder = Path(command()).resolve().parent
    for program in ("homenode", "homenode-native"):
        shutil.copy2(folder / program, tmp_path)
    draw = tmp_path / "homenode-draw"
    draw.write_text(f'#!/bin/sh\ncat > "{tmp_path}/$1.json"\necho "<svg/>"\n')
    draw.chmod(0o755)
    words = ["bench", "seismic", "--size", "30", "--steps", "4", "--threads", "1", *options]
    subprocess.run([tmp_path / "homenode", *words], cwd=tmp_path, check=True, capture_output=True)
    check(json.loads((tmp_path / f"{name}.json").read_text()), schema)


def test_the_kept_pictures_data_is_current() -> None:
    for name in ("seismogram", "snapshot"):
        kept = ROOT / "tests" / "golden" / "draw" / f"{name}.json"
        check(json.loads(kept.read_text()), f"bench.seismic.{name}")


@pytest.mark.parametrize("path", sorted((ROOT / "studies").glob("*.toml")), ids=lambda p: p.stem)
def test_the_studies_that_come_with_homenode_are_valid(path: Path) -> None:
    study = tomllib.loads(path.read_text())
    assert study["schema"] == "homenode.study/1"
    assert errors(study, "homenode.study") == []


@pytest.mark.parametrize("path", sorted((ROOT / "studies/claims").glob("*")), ids=lambda p: p.stem)
def test_the_papers_claims_are_valid(path: Path) -> None:
    assert errors(tomllib.loads(path.read_text()), "homenode.claims") == []


@pytest.mark.lab
def test_a_program_in_the_lab(tmp_path: Path) -> None:
    bench = [command(), "bench", "stream", "--size", "1m", "--passes", "1", "--threads", "2"]
    file = tmp_path / "run.json"
    words = ["lab", "run", "--machine", TINY, "--json", str(file), "--", *bench]
    _in_the_lab(words)
    run = json.loads(file.read_text())
    check(run, "lab.run")
    assert run["time"] is not None and run["rois"]
    for roi in run["rois"]:
        check(roi, "counts")


@pytest.mark.lab
@pytest.mark.parametrize(
    ("study", "report"), [(STREAM, "report.figures"), (PARTS, "report.figures"), (MAP, "report")]
)
def test_a_study_its_records_and_its_report(study: str, report: str, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(study)
    check(json.loads(_in_the_lab(["study", str(file), "--out", str(tmp_path), "--json"])),
          "study.result")  # fmt: skip
    lines = (tmp_path / "records.jsonl").read_text().splitlines()
    assert len(lines) == 2
    for record in map(json.loads, lines):
        check(record, "record")
        assert record["error"] is None
        name = record["bench"]["schema"].partition("/")[0]
        if name in files():
            check(record["bench"], name.removeprefix("homenode."))
    for kept in tmp_path.glob("workload-*.json"):
        check(json.loads(kept.read_text()), "bench.describe")
    check(json.loads(printed(["report", str(tmp_path), "--json"]).stdout), report)


def _in_the_lab(words: list[str]) -> str:
    """Runs a command that boots a machine; skips where no lab can start."""
    lab_or_skip(TINY)
    return printed(words).stdout


def test_a_document_of_another_form_is_refused() -> None:
    show = json.loads(printed(["run", "--show", "--json"]).stdout)
    assert errors(show | {"nodes": "0"}, "homenode.run.show")
    assert errors(show | {"more": 1}, "homenode.run.show")
    assert errors({k: v for k, v in show.items() if k != "cpus"}, "homenode.run.show")
    assert errors(show | {"schema": "homenode.run.show/1"}, "homenode.run.show")
