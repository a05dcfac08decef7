"""The page of any workload of `bench`, from its JSON. Pure.

The workloads' reports differ, but all keep the conventions of docs/json.md: amounts by node are
objects, things are lists, and a key ends with its unit.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from homenode.pages.content import Cell, Element, Facts, Matrix, Page, Section, Table, name
from homenode.pages.content import size as size_words
from homenode.report.words import duration, number, percent

Json = Mapping[str, Any]
SCHEMAS = (
    "homenode.bench.chase/2",
    "homenode.bench.gather/2",
    "homenode.bench.gups/2",
    "homenode.bench.kneighbor/2",
    "homenode.bench.map/2",
    "homenode.bench.molecular2d/2",
    "homenode.bench.npb/2",
    "homenode.bench.numa-mem/2",
    "homenode.bench.seismic/2",
    "homenode.bench.seismic.verify/3",
    "homenode.bench.stream/2",
    "homenode.bench.stress/2",
    "homenode.bench.stress.modes/2",
)
# Not among the results: what the other sections show.
NO_RESULTS = (
    *("schema", "what", "options", "machine", "matrices", "memory", "memories", "local_share"),
    *("column_concentration", "strategy", "thread_matrices", "expected"),
    *("threads", "thread_places", "arrays", "not_audited", "accesses_without_node"),
)
UNITS = {
    "_bytes": "",
    "_mib_per_s": " MiB/s",
    "_mb_per_s": " MB/s",
    "_bytes_per_s": " bytes/s",
    "_ns": " ns",
    "_us": " µs",
}
MOST_ROWS = 200
WHOLE_FROM = 1000  # Decimals of a larger number say nothing.


def page(facts: Json) -> Page:
    """The figures of a run: matrices, results, runs and where pages are; at last the options."""
    name_of = facts["schema"].partition("/")[0].removeprefix("homenode.bench.")
    return Page(
        over="homenode · bench",
        title=f"bench {name_of}",
        lead=list(_lead(facts)),
        sections=[
            *_section("Who uses whose memory", _access(facts)),
            *_section("Results", _results(facts)),
            *_section("Where the pages are", _pages(facts)),
            *_section("Threads", _threads(facts)),
            *_section("What ran", _what_ran(facts)),
        ],
    )


def _section(title: str, elements: Iterable[Element]) -> list[Section]:
    found = list(elements)
    return [Section(title, found)] if found else []


def _access(facts: Json) -> Iterator[Element]:
    """The matrices between nodes, and what follows from them."""
    matrices = facts.get("matrices")
    if isinstance(matrices, Mapping):
        for noun in ("reads", "writes"):
            if any(map(any, matrices[noun])):
                yield Matrix(noun.capitalize(), matrices["nodes"], matrices[noun], noun)
        shares = {key: facts[key] for key in ("local_share", "column_concentration")}
        yield _facts({"provenance": matrices["provenance"], **shares})


def _results(facts: Json) -> Iterator[Element]:
    """Every plain figure, those in objects too, and each list of results as a table."""
    rows = []
    for key, value in facts.items():
        if key in NO_RESULTS:
            continue
        if _says_something(value):
            rows.append((_words(key), _value(key, value)))
        elif isinstance(value, Mapping) and not _is_by_node(value):
            inner = {k: v for k, v in value.items() if _says_something(v)}
            rows += [(f"{_words(key)}, {_words(k)}", _value(k, v)) for k, v in inner.items()]
    if rows:
        yield Facts(rows)
    for key, value in facts.items():
        if key not in NO_RESULTS and _is_objects(value):
            yield _table(_words(key), value)


def _pages(facts: Json) -> Iterator[Element]:
    """Where each array or memory of the last run is, by node."""
    found: dict[str, Json] = {}
    runs = facts.get("runs", [])
    if _is_objects(runs):
        found = {array: one["pages_on_node"] for array, one in runs[-1]["pages"].items()}
    for one in facts.get("memories") or ():
        found[one["name"]] = one["pages_on_node"]
    memory = facts.get("memory")
    if isinstance(memory, Mapping) and isinstance(memory.get("pages_on_node"), Mapping):
        found["array"] = memory["pages_on_node"]
    nodes = sorted({int(node) for by_node in found.values() for node in by_node})
    rows = []
    for array, by_node in found.items():
        pages = [by_node.get(str(node), 0) for node in nodes]
        whole = sum(pages)
        cells = [Cell(number(count), count / whole if whole else 0.0) for count in pages]
        rows.append([name(array), *cells, Cell(number(whole))])
    if rows:
        head = ["array", *(f"node {node}" for node in nodes), "all"]
        yield Table("Pages on each node; bars: the share of the array's", head, rows)


def _threads(facts: Json) -> Iterator[Element]:
    places = facts.get("thread_places") or facts.get("threads", [])
    if _is_objects(places):
        numbered = [{"rank": rank} | dict(one) for rank, one in enumerate(places)]
        yield _table("Where each thread ran", numbered)


def _what_ran(facts: Json) -> Iterator[Element]:
    """The options and the machine."""
    plain: dict[str, Any] = {}
    for key in ("what", "options", "machine"):
        plain |= {k: v for k, v in (facts.get(key) or {}).items() if _is_plain(v)}
    plain |= {k: facts[k] for k in ("threads", "strategy") if k in facts}
    yield _facts({key: value for key, value in plain.items() if _says_something(value)})


def _lead(facts: Json) -> Iterator[str]:
    seconds = facts.get("seconds")
    runs = facts.get("runs")
    if isinstance(seconds, Mapping) and seconds.get("modelled") is not None:
        yield f"It took {duration(seconds['modelled'])}, modelled by the lab."
    elif isinstance(seconds, Mapping) and seconds.get("wall"):
        yield f"It took {duration(seconds['wall'])} ({seconds['clock']})."
    elif _is_objects(runs) and runs is not None:
        best = min(runs, key=lambda run: run["seconds"])
        at = "" if len(runs) == 1 else f"; the fastest of {len(runs)} runs"
        rate = f", {number(best['rate'])} {best['unit']}" if best.get("rate") else ""
        yield f"It took {duration(best['seconds'])} ({best['clock']}){rate}{at}."


def _says_something(value: object) -> bool:
    return _is_plain(value) and value not in (None, "", [])


def _is_plain(value: object) -> bool:
    """A figure, a word, or a list of them."""
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float)


def _is_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)


def _is_by_node(value: Json) -> bool:
    return bool(value) and all(key.isdigit() for key in value)


def _facts(value: Json) -> Facts:
    return Facts([(_words(key), _value(key, one)) for key, one in value.items()])


def _table(title: str, rows: Sequence[Json]) -> Table:
    """The figures of each row; objects within them have no place in a table."""
    keys = list(dict.fromkeys(k for row in rows for k, v in row.items() if _says_something(v)))
    cells = []
    for row in rows[:MOST_ROWS]:
        line = [_cell(key, row.get(key)) for key in keys]
        cells.append(line)
    note = f"{len(rows) - MOST_ROWS} more are in the JSON." if len(rows) > MOST_ROWS else ""
    return Table(title, [_words(key) for key in keys], cells, note)


def _cell(key: str, value: object) -> Cell:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Cell(_value(key, value), is_number=is_number)


def _words(key: str) -> str:
    return key.replace("_", " ").removesuffix(" bytes") if key != "bytes" else "size"


def _value(key: str, value: object) -> str:
    """A value in words, by the unit that its key ends with."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_value(key, one) for one in value) or "none"
    if isinstance(value, int | float):
        return _number(key, value)
    return str(value)


def _number(key: str, value: float) -> str:
    if key == "bytes" or key.endswith("_bytes"):
        return size_words(int(value))
    if key in ("seconds", "wall", "per_pass", "modelled") or (
        key.endswith("_s") and "_per_" not in key
    ):
        return duration(value) if value else "0 s"
    if key.endswith("_share"):
        return percent(value)
    unit = next((u for end, u in UNITS.items() if key.endswith(end)), "")
    whole = float(value).is_integer() or abs(value) >= WHOLE_FROM
    return (number(value) if whole else f"{value:.4g}") + unit
