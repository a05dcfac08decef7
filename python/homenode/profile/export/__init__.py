"""Samples for other tools: a table of forms, a file each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from homenode.profile.export import callgrind, comma, parquet, pprof
from homenode.profile.export.content import Content, collected

__all__ = ["FORMATS", "Form", "collected"]


@dataclass(frozen=True)
class Form:
    """What reads it, the ending of its files, and what makes the bytes; that raises ProfileError
    where a library is missing."""

    what: str
    ending: str
    write: Callable[[Content], bytes]


FORMATS: Mapping[str, Form] = {
    "pprof": Form("go tool pprof, speedscope", ".pb.gz", pprof.write),
    "callgrind": Form("KCachegrind, callgrind_annotate", ".callgrind", callgrind.write),
    "csv": Form("a row for each sample", ".csv", comma.write),
    "parquet": Form("the same for pandas, DuckDB and others", ".parquet", parquet.write),
}
