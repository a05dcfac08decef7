"""Samples in the forms of other tools: what is in them is what was sampled."""

import csv
import gzip
import io
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from recordings import solver

from homenode.profile.errors import ProfileError
from homenode.profile.export import FORMATS, collected
from homenode.profile.export.content import Content
from homenode.profile.load_file import read
from homenode.profile.record import Flag, Source


@pytest.fixture(scope="module", params=[Source.PKEYS, Source.LAB], ids=["sampled", "exact"])
def content(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Content:
    path = solver(tmp_path_factory.mktemp("export") / "samples", 1000, request.param)
    return collected(*read(path))


def code_of_u(content: Content) -> str:
    """Where the program uses "u"; of exact counts the same field tells the order of uses."""
    exact = (content.facts.samples["flags"] & Flag.COUNTS_USES).any()
    return "(code not known)" if exact else "solver+0x1100"


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a message: the wire format of protocol buffers, without any library."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
            yield key >> 3, value
        else:
            assert key & 7 == 2
            size, at = varint(data, at)
            yield key >> 3, data[at : at + size]
            at += size


def packed(data: bytes) -> list[int]:
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


# The numbers of google/pprof's proto/profile.proto.
SAMPLE_TYPE, SAMPLE, LOCATION, FUNCTION, STRING = 1, 2, 4, 5, 6


def test_pprof_holds_every_use_by_object_code_and_thread(content: Content) -> None:
    found = list(fields(gzip.decompress(FORMATS["pprof"].write(content))))
    strings = [value.decode() for number, value in found if number == STRING]
    assert strings[0] == ""
    types = [dict(fields(value)) for number, value in found if number == SAMPLE_TYPE]
    assert [strings[one[1]] for one in types] == ["samples", "uses", "remote_uses"]
    functions = {
        one[1]: strings[one[2]] for n, v in found if n == FUNCTION for one in [dict(fields(v))]
    }
    locations = {
        one[1]: functions[dict(fields(one[4]))[1]]
        for n, v in found
        if n == LOCATION
        for one in [dict(fields(v))]
    }
    stacks, totals = set(), [0, 0, 0]
    for number, value in found:
        if number != SAMPLE:
            continue
        one = dict(fields(value))
        stacks.add(tuple(locations[place] for place in packed(one[1])))
        totals = [a + b for a, b in zip(totals, packed(one[2]), strict=True)]
        labels = [dict(fields(v)) for n, v in fields(value) if n == 3]
        assert {strings[label[1]] for label in labels} >= {"cpu node", "memory node", "operation"}
    assert ("/dev/shm/u [shared memory]", code_of_u(content), "solver 703") in stacks
    assert totals[0] == len(content.facts.samples)
    assert totals[1] == content.uses.sum()
    remote = ~content.facts.local
    assert totals[2] == content.uses[remote].sum()


def test_callgrind_gives_each_object_its_cost_once(content: Content) -> None:
    lines = FORMATS["callgrind"].write(content).decode().splitlines()
    assert lines[0] == "# callgrind format" and "events: Uses Remote" in lines
    summary = next(line for line in lines if line.startswith("summary: "))
    uses, remote = map(int, summary.split()[1:])
    assert uses == content.uses.sum()
    own = [0, 0]
    for before, line in pairwise(lines):
        if before.startswith("fn=") and line.startswith("0 "):
            own = [a + int(b) for a, b in zip(own, line.split()[1:], strict=True)]
    assert own == [uses, remote]
    called = [line for line in lines if line.startswith("cfn=")]
    assert "cfn=/dev/shm/u [shared memory]" in called and f"cfn={code_of_u(content)}" in called


def test_a_table_has_a_row_for_each_sample(content: Content) -> None:
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"].write(content).decode())))
    samples = content.facts.samples
    assert [int(row["address"]) for row in rows] == samples["address"].tolist()
    assert [int(row["tid"]) for row in rows] == samples["tid"].tolist()
    assert {row["operation"] for row in rows} == {"read", "write"}
    assert {row["memory_node"] for row in rows} == {"0", "1", "2", "3"}
    assert rows[0]["object"] == "/dev/shm/u [shared memory]"


def test_parquet_has_the_same_table(content: Content) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(io.BytesIO(FORMATS["parquet"].write(content)))
    columns = content.columns()
    assert table.column_names == list(columns)
    for name, column in columns.items():
        assert table[name].to_pylist() == column.tolist(), name


@pytest.mark.parametrize(("form", "module"), [("parquet", "pyarrow"), ("pprof", "google.protobuf")])
def test_a_missing_library_is_one_line(
    form: str, module: str, content: Content, monkeypatch: pytest.MonkeyPatch
) -> None:
    from homenode.profile.export import pprof

    pprof._message_class.cache_clear()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ProfileError, match="pip install") as refused:
        FORMATS[form].write(content)
    assert refused.value.exit_code == 3
    pprof._message_class.cache_clear()


def test_a_recording_without_samples_is_written_too(tmp_path: Path) -> None:
    path = solver(tmp_path / "samples", 0)
    empty = collected(*read(path))
    for form in FORMATS.values():
        assert form.write(empty)
