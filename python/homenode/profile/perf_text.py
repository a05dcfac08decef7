"""Reads what `perf script` and `perf mem report -D` print of memory samples. Pure.

perf prints the fields of a sample in an order of its own, whatever the order after -F, so a list of
fields is a set here. `perf mem report -D` begins with a line that names its columns; that line is
followed instead.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from homenode.profile.errors import ProfileError

# What 'perf script -F' is asked for, and what it is given where nothing is declared.
FIELDS = (
    "comm", "pid", "tid", "cpu", "time", "event", "addr", "data_src", "weight", "ip", "phys_addr",
)  # fmt: skip
OPTIONAL = ("phys_addr", "cpu", "weight")
# Longer lines are no samples; the bound keeps a hostile file from costing more than its length.
LONGEST_LINE = 4096
HOW = "record with 'perf mem record', print with 'perf script --ns -F " + ",".join(FIELDS) + "'"


@dataclass(frozen=True)
class Line:
    """One sample as perf printed it. 0, -1 for a CPU, or an empty word: it was not printed."""

    pid: int
    tid: int
    address: int
    data_source: int
    comm: str = ""
    cpu: int = -1
    time_ns: int = 0
    event: str = ""
    weight: int = 0
    instruction: int = 0
    physical: int = 0


@dataclass
class PerfText:
    """What a text holds. `events` are lines of --show-mmap-events and --show-task-events, in order;
    `header` perf's own comments; `skipped` how many lines say nothing that is known here."""

    samples: list[Line] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    header: dict[str, str] = field(default_factory=dict)
    skipped: int = 0
    first_skipped: str = ""
    lost: int = 0


# Before and after the event's name, in perf's order. A known field that this reader has no use for
# is passed over.
BEFORE = {
    "comm": r"(?P<comm>\S.*?)\s+",
    "cpu": r"\[(?P<cpu>-?\d+)\]\s+",
    "misc": r"(?:[KUHGgMESp]+\s+)?",
    "time": r"(?P<time>\d+\.\d+):\s+",
    "period": r"\d+\s+",
    "event": r"(?P<event>\S+):\s+",
}
HEX = r"(?:0x)?[0-9a-f]{1,16}"
AFTER = {
    "ins_lat": r"\s+\d+",
    "retire_lat": r"\s+\d+",
    "ip": r"\s+(?P<ip>" + HEX + r")(?!\S)",
    "phys_addr": r"\s+(?P<phys>" + HEX + r")",
    "data_page_size": r"\s+(?:\d+[BKMGTPE]|N/A)",
    "code_page_size": r"\s+(?:\d+[BKMGTPE]|N/A)",
}
NAMES = ("sym", "dso", "symoff", "srcline")
KNOWN = {"pid", "tid", "addr", "data_src", "weight", *BEFORE, *AFTER, *NAMES}


def _process(fields: set[str]) -> str:
    if {"pid", "tid"} <= fields:
        return r"(?P<pid>-?\d+)/(?P<tid>-?\d+)\s+"
    return r"(?P<tid>-?\d+)\s+" if "tid" in fields else r"(?P<pid>-?\d+)\s+"


def _pattern(fields: set[str]) -> re.Pattern[str]:
    """Of a line with these fields. What stands before the weight is matched once and for all, so
    that no line is tried in many ways."""
    named = r"(?:\s\S.*?)?" if fields & set(NAMES) else ""
    before = [BEFORE["comm"] if "comm" in fields else "", _process(fields)]
    before += [text for name, text in BEFORE.items() if name in fields and name != "comm"]
    source = rf"(?P<addr>{HEX}){named}\s+(?P<source>{HEX})\s+(?=\|)"
    after = [r"\s+(?P<weight>\d+)" if "weight" in fields else ""]
    after += [text for name, text in AFTER.items() if name in fields]
    if "ip" in fields:
        place = after.index(AFTER["ip"])
        # A call chain stands in lines of its own, and then no other field follows.
        after[place] = f"(?:{after[place]}{named})" + ("" if place + 1 < len(after) else "?")
    return re.compile(rf"\s*(?>{''.join(before)}{source})\|.*?{''.join(after)}\s*", re.ASCII)


def check_fields(declared: Sequence[str]) -> set[str]:
    """The declared fields. Raises ProfileError where one is unknown or a needed one lacks."""
    fields = {name.strip() for name in declared} - {""}
    if unknown := sorted(fields - KNOWN):
        raise ProfileError(
            f"the field '{unknown[0]}' of perf script is not read; print without it: {HOW}"
        )
    if missing := [name for name in ("addr", "data_src") if name not in fields]:
        raise ProfileError(f"the fields lack '{missing[0]}': {HOW}")
    if not fields & {"pid", "tid"}:
        raise ProfileError(f"the fields lack 'pid' and 'tid': {HOW}")
    return fields


def _nanoseconds(text: str) -> int:
    seconds, fraction = text.split(".")
    return int(seconds) * 10**9 + int(fraction[:9].ljust(9, "0"))


def _line(match: re.Match[str]) -> Line:
    found = {name: value or "" for name, value in match.groupdict().items()}
    pid, tid = found.get("pid", ""), found.get("tid", "")
    return Line(
        pid=int(pid or tid),
        tid=int(tid or pid),
        address=int(found["addr"], 16),
        data_source=int(found["source"], 16),
        comm=found.get("comm", ""),
        cpu=int(found.get("cpu") or -1),
        time_ns=_nanoseconds(found["time"]) if found.get("time") else 0,
        event=found.get("event", ""),
        weight=int(found.get("weight") or 0),
        instruction=int(found.get("ip") or "0", 16),
        physical=int(found.get("phys") or "0", 16),
    )


# Columns of 'perf mem report -D', by the names in its first line.
COLUMNS = {
    "PID": "pid",
    "TID": "tid",
    "IP": "ip",
    "ADDR": "addr",
    "PHYS ADDR": "phys",
    "DATA PAGE SIZE": "",
    "LOCAL WEIGHT": "weight",
    "DSRC": "source",
}


def _raw_line(columns: Sequence[str], text: str) -> Line | None:
    """A row of 'perf mem report -D'. Without -x, perf writes "0x016" where it means "0x"."""
    separator = next((mark for mark in ",;|\t" if mark in text.split("/")[0]), None)
    words = text.split(separator)
    if len(words) < len(columns) or (separator is None and not words[3].startswith("0x016")):
        return None
    found = dict(zip(columns, words, strict=False))
    try:
        address = found["addr"][5:] if separator is None else found["addr"]
        return Line(
            pid=int(found["pid"]),
            tid=int(found["tid"]),
            address=int(address, 16),
            data_source=int(found["source"], 16),
            weight=int(found.get("weight", "0")),
            instruction=int(found.get("ip", "0"), 16),
            physical=int(found.get("phys", "0"), 16),
        )
    except (KeyError, ValueError):
        return None


Reader = Callable[[str], Line | None]


def _raw_reader(header: str) -> Reader:
    names = [name.strip() for name in header.lstrip("#").split(",")]
    columns = [COLUMNS.get(name, "") for name in names if name != "SYMBOL"]
    return lambda text: _raw_line(columns, text)


def _script_reader(fields: set[str]) -> Reader:
    pattern = _pattern(fields)

    def read(text: str) -> Line | None:
        match = pattern.fullmatch(text)
        return _line(match) if match else None

    return read


def _guess(text: str) -> Reader | None:
    """A reader of the fields that are asked for by default, less some that a recording may lack."""
    for mask in range(1 << len(OPTIONAL)):
        lacking = {name for bit, name in enumerate(OPTIONAL) if mask >> bit & 1}
        reader = _script_reader(set(FIELDS) - lacking)
        if reader(text):
            return reader
    return None


LOST = re.compile(r"PERF_RECORD_LOST(?:_SAMPLES)?\s+lost\s+(\d+)")
FRAME = re.compile(r"\s+[0-9a-f]{4,16}(\s.*)?")
COMMENT = re.compile(r"#\s*([\w ]+?)\s*:\s+(.*)")


def read_text(lines: Iterable[str], fields: Sequence[str] | None = None) -> PerfText:
    """What the text holds. `fields`: what 'perf script -F' was given; None: what FIELDS has."""
    text = PerfText()
    reader = _script_reader(check_fields(fields)) if fields is not None else None
    for number, line in enumerate(lines):
        if line.startswith("# PID, TID"):
            reader = _raw_reader(line)
        elif line.startswith("#"):
            if comment := COMMENT.match(line[:LONGEST_LINE]):
                text.header.setdefault(comment[1], comment[2].strip())
        elif "PERF_RECORD_" in line:
            _event(text, line)
        elif line.strip():
            reader = _sample(text, line, number, reader)
    return text


def _event(text: PerfText, line: str) -> None:
    lost = LOST.search(line)
    if lost and len(lost[1]) < 20:
        text.lost += int(lost[1])
    else:
        text.events.append(line[:LONGEST_LINE])


def _sample(text: PerfText, line: str, number: int, reader: Reader | None) -> Reader | None:
    short = line.rstrip("\n")[: LONGEST_LINE + 1]
    if len(short) <= LONGEST_LINE:
        reader = reader or _guess(short)
        found = reader(short) if reader else None
        if found:
            text.samples.append(found)
            return reader
    if not (text.samples and FRAME.fullmatch(short)):
        text.skipped += 1
        text.first_skipped = text.first_skipped or f"line {number + 1}: {short.strip()[:60]}"
    return reader
