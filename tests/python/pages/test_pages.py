"""The pages of where, bench and the lab: what they say, and that nothing stands in anyone's way."""

import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsing import faults
from browsing import words as plain
from json_documents import errors

from homenode.draw import cli
from homenode.pages import html, where

MIB = 1 << 20
Json = dict[str, Any]


def process() -> Json:
    """Two nodes, a heap that is off its policy, a thread on node 0."""
    policy = {"mode": "bind", "flags": "", "nodes": [0], "cut": False}
    on = {"0": 3 * MIB, "1": MIB}
    mapping = {
        "first": "0x7f00",
        "end": "0x7f99",
        "group": "heap",
        "name": '</title><script>alert("x")</script>',
        "policy": policy,
        "page_bytes": 4096,
        "bytes": 4 * MIB,
        "on_node_bytes": on,
        "private_bytes": 4 * MIB,
        "most_sharers": 1,
        "transparent_huge_bytes": None,
        "swapped_bytes": None,
        "stack_of": None,
        "heap_owners": [],
    }
    groups = {name: {} for name in ("heap", "stacks", "anonymous", "files", "shared", "huge")}
    return {
        "schema": "homenode.where/2",
        "pid": 4711,
        "name": "solver",
        "source": "numa_maps",
        "allowed_memory_nodes": [0, 1],
        "nodes": [
            {"id": n, "cpus": [n], "memory_bytes": 64 * MIB, "free_bytes": 16 * MIB} for n in (0, 1)
        ],
        "on_node_bytes": on,
        "groups": groups | {"heap": on},
        "heaps_by_owner": {},
        "mappings": [mapping],
        "threads": [
            {"id": 9, "name": "t", "state": "R", "last_cpu": 0, "node": 0, "allowed_cpus": [0]}
        ],
        "off_policy": [
            {
                "mapping": "0x7f00",
                "policy": policy,
                "off_bytes": {"1": MIB},
                "cause": "before-policy",
                "explanation": "first touched before",
            }
        ],
        "notes": ["something could not be read"],
    }


def system() -> Json:
    """Two nodes, a process of this user and another's."""
    counters = ("hit", "miss", "foreign", "interleave_hit", "local", "other")
    node = {
        "cpus": [],
        "tier": 4,
        "memory_bytes": 64 * MIB,
        "free_bytes": 16 * MIB,
        "anonymous_bytes": MIB,
        "transparent_huge_bytes": 0,
        "page_cache_bytes": MIB,
        "slab_bytes": MIB,
        "huge_pages": [{"page_bytes": 2 * MIB, "page_count": 2, "free_count": 1}],
        "page_counters": dict.fromkeys(counters, 1234),
    }
    process = {"pid": 7, "name": "mine", "bytes": MIB, "thread_count": 2}
    return {
        "schema": "homenode.where.system/1",
        "nodes": [{"id": n} | node for n in (0, 1)],
        "process_count": 2,
        "processes": [
            process
            | {"on_node_bytes": {"1": MIB}, "local_share": 0.25, "threads_on_node": {"0": 2}},
            process | {"on_node_bytes": None, "local_share": None, "threads_on_node": {}},
        ],
        "notes": ["the memory of 1 process is not known"],
    }


def file() -> Json:
    """Half of a file is cached on node 1."""
    return {
        "schema": "homenode.where.file/1",
        "file": "/data/a",
        "bytes": 2 * MIB,
        "page_bytes": 4096,
        "cached_bytes": MIB,
        "on_node_bytes": {"1": MIB},
        "unknown_bytes": 0,
    }


WHERE: dict[str, Callable[[], Json]] = {
    "where": process,
    "where.system": system,
    "where.file": file,
}


@pytest.mark.parametrize("name", WHERE)
def test_the_documents_here_are_such_as_the_command_prints(name: str) -> None:
    assert errors(WHERE[name](), f"homenode.{name}") == []


def test_the_page_of_a_process_says_where_its_memory_is() -> None:
    text = html.render(where.page(process()))
    words = plain(text)
    assert "Its threads last ran on node 0, which has 75.0 % of its 4 MiB of memory." in words
    assert "0x7f00 bind:0 1 MiB on node 1 first touched before" in words
    assert "something could not be read" in words
    assert "<script>" not in text, "no name may break the page"


def test_the_page_of_the_system_has_every_process() -> None:
    words = plain(html.render(where.page(system())))
    assert "2 processes on 2 nodes." in words
    assert "7 mine – 1 MiB 1 MiB 25.0 % 2 0 " in words
    assert "7 mine ? ? 1 MiB ? 2 ? " in words
    assert "1 234" in words and "tier" in words


def test_the_page_of_a_file_has_its_nodes() -> None:
    words = plain(html.render(where.page(file())))
    assert "/data/a 50.0 % of the file is in the page cache." in words
    assert "node cached 1 1 MiB" in words


@pytest.mark.browser
@pytest.mark.parametrize("name", WHERE)
def test_nothing_is_wrong_with_a_page_of_where(name: str, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    out.write_text(html.render(where.page(WHERE[name]())))
    assert faults(out) == []


def test_a_page_is_drawn_from_json_by_its_ending(tmp_path: Path) -> None:
    out, facts = tmp_path / "page.html", tmp_path / "where.json"
    facts.write_text(json.dumps(system()))
    assert cli.main(["where", str(facts), "-o", str(out)]) == 0
    assert out.read_text() == html.render(where.page(system()))
    assert cli.main(["where", str(facts), "-o", str(tmp_path / "page.svg")]) == 2


def test_another_document_is_refused_with_those_that_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = tmp_path / "where.json"
    facts.write_text(json.dumps({"schema": "homenode.where.job/1"}))
    assert cli.main(["where", str(facts)]) == 1
    assert "is not one of homenode.where/2, homenode.where.system/1" in capsys.readouterr().err


@pytest.mark.browser
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("stream --size 1m --threads 2 --strategy round-robin --runs 2", "the fastest of 2 runs"),
        ("map --size 1m --threads 2", "Who uses whose memory"),
        pytest.param(
            "numa-mem -p 1 -t 2 -G 1 -P 1 -l 2", "Pages on each node", marks=pytest.mark.long
        ),
        pytest.param(
            "stress --block 1m --threads-per-node 1 --cycles 1 --hold 0.1",
            "Results",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "seismic --size 30 --steps 4 --threads 1", "useful mb per s", marks=pytest.mark.long
        ),
    ],
)
def test_a_run_of_bench_has_a_page(words: str, said: str, tmp_path: Path, command: str) -> None:
    out = tmp_path / "page.html"
    run = [command, "bench", *shlex.split(words), "--html", str(out)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout, "the report is printed as without a page"
    assert said in plain(out.read_text())
    assert faults(out) == []


def test_the_command_writes_pages_and_tables_of_the_system(tmp_path: Path, command: str) -> None:
    out, table = tmp_path / "page.html", tmp_path / "table.csv"
    words = [command, "where", "--system", "--html", str(out), f"--csv={table}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "Memory by node and process" in out.read_text()
    head, *rows = table.read_text().splitlines()
    assert head.startswith("pid,name,bytes,local_share,threads,node")
    assert rows
