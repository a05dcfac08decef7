"""The schemas themselves: each output has one, each is listed, and each describes all its keys."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from json_documents import FOLDER, NAME, ROOT, breaches, files, read
from jsonschema import Draft202012Validator

PAGE = ROOT / "docs" / "json.md"
SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
# Ways to write a unit that the conventions do not have.
OTHER_UNITS = re.compile(r".*(_seconds|_sec|_kib|_kb|_[mg]i?b_s|_m_s|_bytes_s)")
SUFFIXES = {".cpp", ".h", ".py"}


def versions_named() -> dict[str, int]:
    """The latest version of each schema that the sources name."""
    found: dict[str, int] = {}
    for folder in ("src", "python"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix not in SUFFIXES:
                continue
            for name, version in NAME.findall(path.read_text(encoding="utf-8")):
                found[name] = max(found.get(name, 0), int(version))
    return found


def properties(schema: Any, path: str = "$") -> Iterator[tuple[str, str, Any]]:
    """Every property of a schema: where it is, its key, and what it says."""
    if isinstance(schema, dict):
        for key, value in schema.get("properties", {}).items():
            yield f"{path}.{key}", key, value
        for key, value in schema.items():
            yield from properties(value, f"{path}.{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from properties(value, f"{path}[{index}]")


def objects(schema: Any) -> Iterator[Any]:
    """Every object with fixed keys."""
    children = schema.values() if isinstance(schema, dict) else schema
    if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
        yield schema
    for child in children:
        if isinstance(child, dict | list):
            yield from objects(child)


def test_each_schema_that_the_sources_name_has_a_file_of_its_version() -> None:
    of_files = {name: read(path)["properties"]["schema"]["const"] for name, path in files().items()}
    named = {name: f"{name}/{version}" for name, version in versions_named().items()}
    assert of_files == named


def test_the_page_lists_every_schema_with_its_version() -> None:
    rows = re.findall(r"^\| \[(\S+)\]\(schemas/(\S+)\.json\)", PAGE.read_text(), re.MULTILINE)
    listed = {file: label for label, file in rows}
    assert len(listed) == len(rows)
    assert listed == {n: read(p)["properties"]["schema"]["const"] for n, p in files().items()}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_a_schema_is_valid_and_describes_every_key(path: Path) -> None:
    schema = read(path)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] and schema["description"]
    for where, key, value in properties(schema):
        assert value.get("description", "")[-1:] in (".", "…"), f"{where} has no description"
        assert SNAKE_CASE.fullmatch(key), where
        assert not OTHER_UNITS.fullmatch(key), where


@pytest.mark.parametrize("name", sorted(set(files()) - {"homenode.study", "homenode.claims"}))
def test_all_fixed_keys_are_required_and_no_others_allowed(name: str) -> None:
    for found in objects(read(files()[name])):
        assert found["required"] == list(found["properties"]), found["properties"].keys()
        assert found["additionalProperties"] is False


@pytest.mark.parametrize(
    ("document", "breach"),
    [
        ({"nodes": [0], "schema": "homenode.x/1"}, "the first key is not schema"),
        ([], "the first key is not schema"),
        ({"schema": "x"}, "'x' is no schema with a version"),
        ({"schema": "homenode.x/1", "a": [{"cpus": "0-3"}]}, "$.a.0.cpus is the text '0-3'"),
        ({"schema": "homenode.x/1", "cpu_nodes": [1, 0]}, "$.cpu_nodes does not increase"),
    ],
)
def test_a_breach_of_the_conventions_is_found(document: Any, breach: str) -> None:
    assert list(breaches(document)) == [breach]
