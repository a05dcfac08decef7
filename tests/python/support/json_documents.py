"""The schemas of docs/schemas, and whether a document keeps the conventions of docs/json.md."""

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "docs" / "schemas"
SET_KEY = re.compile(r"(.*_)?(cpus|vcpus|nodes|threads)")
LIST_WORDS = re.compile(r"(\d+(-\d+)?(,\d+(-\d+)?)*)?")
NAME = re.compile(r"(homenode\.[a-z0-9.-]+)/(\d+)")


def files() -> dict[str, Path]:
    """The schema files by the name that they describe, without common.json."""
    return {path.stem: path for path in FOLDER.glob("homenode.*.json")}


@cache
def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def _registry() -> Registry[Any]:
    resources = [(path.name, Resource.from_contents(read(path))) for path in FOLDER.glob("*.json")]
    return Registry().with_resources(resources)


def errors(document: Any, schema: str) -> list[str]:
    """What the schema, which is named without its version, finds wrong; one line for each fault."""
    validator = Draft202012Validator({"$ref": f"{schema}.json"}, registry=_registry())
    return [
        f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(document)
    ]


def breaches(document: Any) -> Iterator[str]:
    """Where a document breaks a convention that holds for all."""
    if not isinstance(document, dict) or next(iter(document), None) != "schema":
        yield "the first key is not schema"
    elif not NAME.fullmatch(document["schema"]):
        yield f"{document['schema']!r} is no schema with a version"
    yield from _of_sets(document, "$")


def _of_sets(value: Any, path: str) -> Iterator[str]:
    """Sets that are text, or whose numbers do not increase."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in pairs:
        where = f"{path}.{key}"
        if isinstance(key, str) and SET_KEY.fullmatch(key):
            if isinstance(item, str) and LIST_WORDS.fullmatch(item):
                yield f"{where} is the text {item!r}"
            if _is_numbers(item) and any(a >= b for a, b in pairwise(item)):
                yield f"{where} does not increase"
        if isinstance(item, dict | list):
            yield from _of_sets(item, where)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, int) for item in value)
