"""A machine with several nodes of its own is measured without any counting: from the pattern and an
audit of the pages. The lab's guest is such a machine, seen from the inside."""

import json
from pathlib import Path

import pytest
from lab_start import lab_or_skip

STUDY = """
schema = "homenode.study/1"
name = "inside"
title = "Measured from inside"
about = "One pattern, four methods."
workload = "map"
machines = ["host"]
timeout_s = 120

[fixed]
threads = 8
size = "4M"
passes = 1
order = "sequential"
overlap = 25
team = "pthreads"
pages = "small"
seed = 1
op = "read"

[factors]
pattern = ["interleaved"]
method = ["default", "command-line", "api", "rewrite"]
"""


def test_a_host_with_several_nodes_is_measured_from_an_audit(tmp_path: Path, command: str) -> None:
    study = tmp_path / "inside.toml"
    study.write_text(STUDY)
    with lab_or_skip("quad-4x2", tmp_path, plugin=False) as lab:
        out = str(tmp_path / "out")
        result = lab.run([command, "study", str(study), "--out", out], timeout_s=300)
    assert result.status == 0, result.stderr
    lines = (tmp_path / "out" / "records.jsonl").read_text().splitlines()
    shares = {}
    for record in map(json.loads, lines):
        if "matrix" in record:
            cells = record["matrix"]["reads"]
            assert record["matrix"]["provenance"] == "computed"
            local = sum(cells[i][i] for i in range(4)) / sum(map(sum, cells))
            shares[record["case"]["options"]["method"]] = local
    assert shares == pytest.approx(
        {"default": 0.25, "command-line": 0.25, "api": 0.25, "rewrite": 1.0}, abs=0.01
    )
