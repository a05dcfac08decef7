"""A sample file is read back as it was written, up to wherever it was cut."""

from pathlib import Path

import numpy as np
import pytest

from homenode.profile.attribution import attribute
from homenode.profile.errors import ProfileError
from homenode.profile.exposure import weights
from homenode.profile.objects import Kind
from homenode.profile.record import RECORD, Flag
from homenode.profile.recording import HEADER, parse, read_recording, write_recording

BEGIN = {"kind": "begin", "schema": "homenode.samples/1", "pid": 7, "source": {"name": "lab"}}
MAPPINGS = {
    "kind": "mappings",
    "time_ns": 1,
    "pid": 7,
    "mappings": [
        {"begin": 4096, "end": 8192, "permissions": "rw-p", "offset": 0, "path": "[heap]"},
        {"begin": 16384, "end": 20480, "permissions": "rw-p", "offset": 0, "path": ""},
    ],
}
END = {"kind": "end", "samples": 3}


@pytest.fixture
def content(tmp_path: Path) -> bytes:
    samples = np.zeros(3, RECORD)
    samples["pid"] = 7
    samples["address"] = (4100, 16384, 99999)
    samples["weight"] = (5, 6, 7)
    samples["flags"] = (Flag.COUNTS_USES, 0, Flag.COUNTS_USES | Flag.KERNEL)
    path = tmp_path / "samples"
    write_recording(path, samples, [BEGIN, MAPPINGS, END])
    assert len(read_recording(path).samples) == 3
    return path.read_bytes()


def test_a_record_is_as_large_as_in_the_file() -> None:
    assert RECORD.itemsize == 64


def test_samples_and_documents_are_read_back(content: bytes) -> None:
    recording = parse(content)
    assert recording.source == "lab"
    assert recording.of("mappings") == [MAPPINGS]
    assert recording.end == END
    assert recording.cut == ""
    assert recording.samples["address"].tolist() == [4100, 16384, 99999]


def test_a_file_that_was_cut_is_read_up_to_there(content: bytes) -> None:
    whole = parse(content)
    read = 0
    for length in range(len(content)):
        try:
            recording = parse(content[:length])
        except ProfileError:
            continue
        read += 1
        assert (recording.samples == whole.samples[: len(recording.samples)]).all()
        assert recording.end is None
    assert read > len(content) // 2


@pytest.mark.parametrize("damage", [b"", b"HNSAMPLX" + bytes(8), HEADER.pack(b"HNSAMPLE", 9, 64)])
def test_what_is_no_sample_file_is_refused_in_one_line(damage: bytes) -> None:
    with pytest.raises(ProfileError) as refused:
        parse(damage, "it")
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="No such file"):
        read_recording(tmp_path / "none")


def test_counts_weigh_as_they_count_and_samples_as_one(content: bytes) -> None:
    assert weights(parse(content)).tolist() == [5, 1, 7]


def test_a_sample_belongs_to_the_mapping_that_holds_it(content: bytes) -> None:
    found = attribute(parse(content))
    assert [item.kind for item in found.objects] == [Kind.HEAP, Kind.ANONYMOUS]
    assert found.object_of.tolist() == [0, 1, -1]
    assert found.offset_of.tolist() == [4, 0, 0]
    assert found.share == pytest.approx(2 / 3)
