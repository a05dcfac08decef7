"""A profile as JSON: homenode.profile/1, the same values that the page shows. Pure."""

from typing import Any

from homenode.profile import words
from homenode.profile.advice import advise
from homenode.profile.correlation import Floats
from homenode.profile.values import Load, Locality, ObjectUse, Profile, Strip, Table, Timeline

SCHEMA = "homenode.profile/1"


def _round(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")


def _rows(cells: Floats) -> list[list[float]]:
    return [[float(f"{cell:.6g}") for cell in row] for row in cells]


def _table(table: Table) -> dict[str, Any]:
    """Reads and writes apart where the source tells; else both are null."""
    tells = table.tells_operations
    return {
        "uses": _rows(table.all),
        "reads": _rows(table.reads) if tells else None,
        "writes": _rows(table.writes) if tells else None,
        "uses_of_unknown_place": [float(f"{cell:.6g}") for cell in table.unplaced],
    }


def _locality(found: Locality) -> dict[str, Any]:
    return {
        "local_share": _round(found.share),
        "margin": _round(found.margin),
        "samples": found.samples,
    }


def _pattern(use: ObjectUse) -> dict[str, Any]:
    found = use.pattern
    return {
        "name": str(found.sharing),
        "sure": found.sure,
        "why_not_known": found.why or None,
        "exclusivity": _round(found.exclusivity),
        "overlap": _round(found.overlap),
        "unit_bytes": found.unit,
        "levels": [{"part_bytes": a.part, "period_bytes": a.period} for a in found.levels],
    }


def _strip(strip: Strip | None, nodes: tuple[int, ...]) -> dict[str, Any] | None:
    if strip is None:
        return None
    return {
        "part_bytes": _round(strip.part_bytes),
        "threads": list(strip.threads),
        "uses": _rows(strip.users),
        "memory_node": [nodes[node] if node >= 0 else None for node in strip.home],
    }


def _object(profile: Profile, use: ObjectUse) -> dict[str, Any]:
    advice = advise(profile, use)
    item = use.object
    return {
        "name": item.name,
        "kind": str(item.kind),
        "pid": item.pid,
        "bytes": item.bytes,
        "instances": len(item.instances),
        "source": list(item.source),
        "samples": use.samples,
        "share": _round(use.share),
        "remote_share": _round(use.remote_share),
        "locality": _locality(use.locality),
        "writes_share": _round(use.writes_share),
        "pattern": _pattern(use),
        "traits": [str(trait) for trait in use.traits],
        "first_toucher": use.first_toucher,
        "by_thread": _table(use.table),
        "strip": _strip(use.strip, profile.nodes),
        "later_local_share": None if use.later is None else _round(use.later.share),
        "predicted": {
            "block_local_share": _round(use.predicted.parts_in_turn),
            "interleave_local_share": _round(use.predicted.spread),
            "best_local_share": _round(use.predicted.best),
        },
        "advice": {
            "rule": advice.rule,
            "action": advice.action or None,
            "why": advice.why,
            "local_share": _round(advice.local_share),
        },
    }


def _load(load: Load) -> dict[str, Any]:
    found: dict[str, Any] = {"share": _round(load.share), "relative": _round(load.relative)}
    found["by_bandwidth"] = load.known
    if load.source is None:
        return {"node": load.target, **found}
    return {"from": load.source, "to": load.target, **found}


def _timeline(found: Timeline | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "step_s": _round(found.step_s),
        "local": _rows(found.local[None])[0],
        "remote": _rows(found.remote[None])[0],
        "unknown": _rows(found.unknown[None])[0],
        "objects": list(found.objects),
        "uses_of_objects": _rows(found.by_object),
        "phases": [
            {
                "begin_s": _round(phase.begin_s),
                "end_s": _round(phase.end_s),
                "local_share": _round(phase.local_share),
                "objects": list(phase.objects),
            }
            for phase in found.phases
        ],
    }


def as_json(profile: Profile) -> dict[str, Any]:
    """The document of a profile."""
    taken = profile.taken
    return {
        "schema": SCHEMA,
        "command": list(taken.command),
        "pid": taken.pid,
        "hostname": taken.hostname or None,
        "started": taken.started or None,
        "seconds": _round(taken.seconds),
        "ended": taken.ended or None,
        "exit_code": taken.exit_code,
        "source": {
            "name": taken.source,
            "provenance": taken.provenance,
            "sees": taken.sees,
            "cannot_see": taken.cannot_see,
            "refused": taken.refused,
            "samples": taken.samples,
            "lost": taken.lost,
            "attributed_share": _round(taken.attributed),
            "kernel_share": _round(taken.kernel_share),
            "cost_share": _round(taken.cost_share),
            "incomplete": taken.cut or None,
        },
        "nodes": list(profile.nodes),
        "locality": _locality(profile.locality),
        "thread_list": [
            {
                "pid": thread.pid,
                "tid": thread.tid,
                "name": words.thread(thread),
                "node": thread.node,
                "share": _round(thread.share),
                "locality": _locality(thread.locality),
            }
            for thread in profile.threads
        ],
        "by_thread": _table(profile.by_thread),
        "by_node": _table(profile.by_node),
        "controllers": [_load(load) for load in profile.controllers],
        "ways": [_load(load) for load in profile.ways],
        "objects": [_object(profile, use) for use in profile.objects],
        "objects_left_out": profile.dropped_objects,
        "timeline": _timeline(profile.timeline),
        "code": [
            {
                "where": place.where,
                "share": _round(place.share),
                "local_share": _round(place.local_share),
                "object": place.object,
            }
            for place in profile.code
        ],
    }
