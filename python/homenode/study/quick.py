"""The quick form of a study: [quick] in its file replaces what takes long. Pure.

It is a document that a study is read from, so what it holds is checked as any study is.
"""

from collections.abc import Mapping
from typing import Any

from homenode.study.errors import StudyError

QUICK = "quick"
# What [quick] may replace as a whole, and the tables of which it replaces single keys.
WHOLE = ("machines", "repetitions", "scale", "timeout_s")
TABLES = ("fixed", "factors")


def quick_name(name: str) -> str:
    """What the quick form of the study of that name is called."""
    return f"{name}-{QUICK}"


def quickened(document: Mapping[str, Any]) -> dict[str, Any]:
    """The quick form of a study's document. Raises StudyError for a study that has none.

    [quick.fixed] and [quick.factors] replace options of every part that has them; where a study has
    parts, [quick.parts.NAME.factors] replaces those of one part.
    """
    quick = document.get(QUICK)
    if not isinstance(quick, Mapping):
        raise StudyError("the study has no quick form; leave out --quick, or add [quick] to it")
    known = {*WHOLE, *TABLES, "parts"}
    unknown = sorted(set(quick) - known)
    if unknown:
        raise StudyError(f"[quick] has no key '{unknown[0]}'; it has: {', '.join(sorted(known))}")
    made = {key: value for key, value in document.items() if key != QUICK}
    made |= {key: quick[key] for key in WHOLE if key in quick}
    made["name"] = quick_name(str(document.get("name")))
    parts = _tables(document, "parts")
    own = _tables(quick, "parts")
    strange = sorted(set(own) - set(parts))
    if strange:
        raise StudyError(f"[quick.parts.{strange[0]}] is of no part of the study")
    if not parts:
        return made | _replaced(document, quick, quick)
    for table in TABLES:
        known = {name for part in parts.values() for name in _tables(part, table)}
        if strange := sorted(set(_tables(quick, table)) - known):
            raise StudyError(
                f"[quick.{table}] has '{strange[0]}', which no part has in its {table}; "
                f"there are: {', '.join(sorted(known))}"
            )
    made["parts"] = {
        name: {**part, **_replaced(part, quick, own.get(name, {}))} for name, part in parts.items()
    }
    return made


def _replaced(
    part: Mapping[str, Any], common: Mapping[str, Any], own: Mapping[str, Any]
) -> dict[str, Any]:
    """The tables of a part with the values of [quick] that it has, and those meant for it alone."""
    made = {}
    for table in TABLES:
        before, all_parts, alone = (_tables(at, table) for at in (part, common, own))
        made[table] = before | {k: v for k, v in all_parts.items() if k in before} | alone
    return made


def _tables(at: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = at.get(key, {})
    if not isinstance(found, Mapping):
        raise StudyError(f"[{key}] must be a table")
    return dict(found)
