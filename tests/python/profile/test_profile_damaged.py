"""Whatever is in a file, the verb ends in a profile or in one line, never in a traceback."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recordings import documents, samples, solver

from homenode.profile import cli, document, page, text
from homenode.profile.errors import ProfileError
from homenode.profile.export import FORMATS, collected
from homenode.profile.load_file import profile_of
from homenode.profile.recording import BLOCK, HEADER, parse, write_recording

SEED = 5
ODD_VALUES: list[Any] = [None, -1, 0, 1 << 70, 1.5, float("nan"), "x", [], [[]], {}, [None], True]


def shown(content: bytes) -> str | None:
    """What all of the verb makes of a file; None where it is refused in one line."""
    try:
        recording = parse(content, "it")
        profile = profile_of(recording, "it")
    except ProfileError as error:
        assert "\n" not in str(error)
        return None
    json.dumps(document.as_json(profile))
    page.render(profile)
    FORMATS["csv"].write(collected(recording, profile))
    return text.summary(profile)


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return solver(tmp_path_factory.mktemp("whole") / "samples", 400).read_bytes()


def test_a_file_cut_anywhere_is_shown_as_far_as_it_goes(content: bytes) -> None:
    assert shown(content) is not None
    places = np.random.default_rng(SEED).integers(0, len(content), 40)
    results = [shown(content[:place]) for place in sorted(places)]
    assert any(result and "incomplete" in result for result in results)


def test_flipped_bytes_end_in_no_traceback(content: bytes) -> None:
    draw = np.random.default_rng(SEED)
    for _ in range(60):
        damaged = bytearray(content)
        for place in draw.integers(0, len(damaged), draw.integers(1, 30)):
            damaged[place] = draw.integers(0, 256)
        shown(bytes(damaged))


def test_samples_of_random_bytes_end_in_no_traceback(tmp_path: Path) -> None:
    draw = np.random.default_rng(SEED)
    for many in (1, 7, 300):
        made = np.frombuffer(draw.bytes(64 * many), samples(10).dtype)
        write_recording(tmp_path / "samples", made, documents())
        shown((tmp_path / "samples").read_bytes())


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where in a document something can be replaced; of lists, the first entry."""
    if isinstance(value, dict):
        inner = [p for key in value for p in places(value[key], (*path, key))]
    elif isinstance(value, list) and value:
        inner = places(value[0], (*path, 0))
    else:
        inner = []
    return [path, *inner] if path else inner


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    copy = json.loads(json.dumps(value))
    at = copy
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = new
    return copy


@pytest.mark.parametrize("which", range(4), ids=["begin", "mappings", "threads", "end"])
def test_odd_values_in_documents_end_in_no_traceback(which: int, tmp_path: Path) -> None:
    docs = documents()
    made = samples(60)
    draw = np.random.default_rng(SEED)
    for path in places(docs[which]):
        new = ODD_VALUES[int(draw.integers(len(ODD_VALUES)))]
        odd = [*docs[:which], replaced(docs[which], path, new), *docs[which + 1 :]]
        write_recording(tmp_path / "samples", made, odd)
        shown((tmp_path / "samples").read_bytes())


def test_unknown_blocks_and_documents_are_passed_over(content: bytes) -> None:
    more = BLOCK.pack(b"WHAT", 3) + b"abc"
    payload = json.dumps({"kind": "of another time", "x": 1}).encode()
    more += BLOCK.pack(b"JSON", len(payload)) + payload
    assert shown(content[: HEADER.size] + more + content[HEADER.size :]) == shown(content)


@pytest.mark.parametrize("filling", [b"\0", b"\xff", b"A"], ids=["zeros", "ones", "letters"])
@pytest.mark.parametrize("kind", [b"ALOC", b"JSON", b"SMPL"])
def test_blocks_of_nonsense_end_in_no_traceback(
    kind: bytes, filling: bytes, content: bytes
) -> None:
    for size in (0, 1, 9, 100):
        shown(content + BLOCK.pack(kind, size) + size * filling)


def test_the_command_refuses_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = documents()
    bad[1]["mappings"][0]["begin"] = None
    write_recording(tmp_path / "samples", samples(60), bad)
    assert cli.main(["show", str(tmp_path / "samples")]) == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert said.err.startswith("homenode profile: ") and "record it again" in said.err
