"""Studies are read, checked and expanded; ids are stable and tell cases apart."""

from pathlib import Path

import pytest

from homenode.errors import FAILED, USAGE
from homenode.study.case import Case
from homenode.study.errors import StudyError
from homenode.study.quick import quickened
from homenode.study.spec import expand, find, load, parse

STUDIES = Path(__file__).resolve().parents[3] / "studies"
GOOD = {
    "schema": "homenode.study/1",
    "name": "s",
    "title": "T",
    "workload": "map",
    "machines": ["quad-4x2"],
    "fixed": {"threads": 8, "size": "1M"},
    "factors": {"op": ["read", "write"], "method": ["default", "api", "rewrite"]},
}


def test_expansion_is_the_product_with_the_last_factor_fastest() -> None:
    cases = expand(parse(GOOD), "quad-4x2", "d")
    assert [(c.option("op"), c.option("method")) for c in cases] == [
        ("read", "default"),
        ("read", "api"),
        ("read", "rewrite"),
        ("write", "default"),
        ("write", "api"),
        ("write", "rewrite"),
    ]
    assert all(c.option("threads") == 8 for c in cases)


def test_a_level_may_set_several_options_that_go_together() -> None:
    levels = [{"pattern": "shared", "order": "random"}, {"pattern": "divided", "order": "random"}]
    study = parse(GOOD | {"factors": {"pattern": levels}})
    cases = expand(study, "quad-4x2", "d")
    assert [study.label(c) for c in cases] == ["shared · random", "divided · random"]


def test_equal_cases_are_run_once() -> None:
    study = parse(GOOD | {"factors": {"op": ["read", "read"]}})
    assert len(expand(study, "quad-4x2", "d")) == 1


def test_the_id_is_a_fixed_function_of_the_case() -> None:
    case = Case("map", "quad-4x2", "d", (("op", "read"), ("threads", 8)))
    assert case.id == "ceb62826daf0"


@pytest.mark.parametrize(
    "other",
    [
        Case("map", "hp-8x4", "d", (("op", "read"), ("threads", 8))),
        Case("map", "quad-4x2", "e", (("op", "read"), ("threads", 8))),
        Case("map", "quad-4x2", "d", (("op", "read"), ("threads", 4))),
        Case("map", "quad-4x2", "d", (("op", "read"), ("threads", "8"))),
        Case("map", "quad-4x2", "d", (("op", "read"),)),
    ],
)
def test_whatever_defines_a_case_changes_its_id(other: Case) -> None:
    assert other.id != Case("map", "quad-4x2", "d", (("op", "read"), ("threads", 8))).id


def test_the_order_of_options_does_not_change_the_id() -> None:
    one = Case("map", "m", "d", (("op", "read"), ("threads", 8)))
    assert one.id == Case("map", "m", "d", (("threads", 8), ("op", "read"))).id
    assert Case.from_json(one.to_json()).id == one.id


def test_the_arguments_are_the_bench_command_line() -> None:
    case = Case("map", "m", "d", (("pattern", "shared"), ("threads", 8)))
    assert case.command("homenode") == [
        "homenode",
        "bench",
        "map",
        "--pattern",
        "shared",
        "--threads",
        "8",
        "--json",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": "x"}, "schema"),
        ({"name": "Bad Name"}, "lower-case"),
        ({"title": ""}, "title"),
        ({"workload": "nbp"}, "(did you mean 'npb'?): choose map, npb"),
        ({"workload": "--list"}, "no workload '--list'"),
        ({"workload": "stream"}, "stream has no option 'op'"),
        ({"factors": {"passes": [0]}}, "passes cannot be 0; it must be at least 1"),
        ({"factors": {"overlap": [101]}}, "overlap cannot be 101; it must be at most 100"),
        ({"factors": {"size": [16]}}, 'size cannot be 16; it must be text, such as "16M"'),
        ({"machines": []}, "machines"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"timeout_s": True}, "timeout_s"),
        ({"repetitions": 0}, "repetitions must be a whole number of at least 1"),
        ({"repetitions": True}, "repetitions"),
        ({"repetitions": 1.5}, "repetitions"),
        ({"time": "yes"}, "time must be true or false"),
        ({"time": 1}, "time must be true or false"),
        ({"node_memory_mib": 0}, "node_memory_mib must be a whole number of at least 1"),
        ({"huge_pages": "never"}, "huge_pages must be true or false"),
        ({"factors": {}}, "at least one"),
        ({"factors": {"op": "read"}}, "must be a list"),
        ({"factors": {"op": []}}, "must be a list"),
        ({"factors": {"op": ["reed"]}}, "op cannot be 'reed'; it can be: read, write"),
        ({"factors": {"opp": ["read"]}}, "no option 'opp'"),
        ({"factors": {"threads": ["8"]}}, "whole number"),
        ({"factors": {"threads": [True]}}, "whole number"),
        ({"factors": {"op": [{}]}}, "empty level"),
        ({"workload": "npb", "fixed": {}, "factors": {"class": ["S"]}}, "needs 'kernel'; set it"),
        ({"factors": {"threads": [4]}}, "is both in [fixed] and in [factors]"),
        ({"fixed": 3}, "[fixed] must be a table"),
        ({"extra": 1}, "no key 'extra'"),
    ],
)
def test_a_mistake_is_named_in_one_line(change: dict[str, object], said: str) -> None:
    with pytest.raises(StudyError) as raised:
        parse(GOOD | change)
    assert said in str(raised.value) and "\n" not in str(raised.value)


def test_repetitions_and_time_have_defaults_and_can_be_set() -> None:
    assert (parse(GOOD).repetitions, parse(GOOD).time) == (1, None)
    study = parse(GOOD | {"repetitions": 3, "time": False})
    assert (study.repetitions, study.time) == (3, False)


def test_map_is_the_workload_of_a_study_that_names_none() -> None:
    assert parse({k: v for k, v in GOOD.items() if k != "workload"}).workloads.keys() == {"map"}


def test_another_workload_has_options_of_its_own() -> None:
    study = parse(
        GOOD
        | {
            "workload": "seismic",
            "fixed": {"size": "40", "free-surface": True},
            "factors": {"strategy": ["none", "round-robin"]},
        }
    )
    first = expand(study, "m", "d")[0]
    assert first.command("homenode") == [
        "homenode",
        *("bench", "seismic", "--size", "40", "--free-surface=true", "--strategy", "none"),
        "--json",
    ]


def test_a_workload_is_placed_from_outside_by_options_of_run() -> None:
    study = parse(
        GOOD
        | {
            "workload": "stream",
            "fixed": {},
            "factors": {"run": ["", "--interleave=all --physcpubind 0,1"], "threads": [2]},
        }
    )
    bench = ["--", "/bin/homenode", "bench", "stream", "--threads", "2", "--json"]
    assert [case.command("/bin/homenode") for case in expand(study, "m", "d")] == [
        ["/bin/homenode", "run", *bench],
        ["/bin/homenode", "run", "--interleave=all", "--physcpubind", "0,1", *bench],
    ]
    assert study.workloads["stream"].placement == "run"
    in_level = parse(GOOD | {"factors": {"how": [{"run": "-m 0", "op": "read"}]}})
    assert in_level.workloads["map"].placement == "run"
    with pytest.raises(StudyError, match="run cannot be 3; it must be text"):
        parse(GOOD | {"factors": {"run": [3]}})


def test_unreadable_files_are_errors_that_name_the_file(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("name = ")
    for path, said, code in [
        (broken, "not valid TOML", USAGE),
        (tmp_path / "none.toml", "No such file", FAILED),
    ]:
        with pytest.raises(StudyError, match=said) as raised:
            load(path)
        assert raised.value.exit_code == code and str(path) in str(raised.value)


def test_a_name_that_no_study_has_is_bad_usage_and_lists_those_there_are() -> None:
    with pytest.raises(StudyError, match=r"demo, .*luo2012") as raised:
        find("no-such-study")
    assert raised.value.exit_code == USAGE


def test_a_study_is_found_by_name_or_by_path(tmp_path: Path) -> None:
    assert find("luo2012") == STUDIES / "luo2012.toml"
    assert find("./luo2012") == Path("luo2012")
    assert find(str(tmp_path / "x.toml")) == tmp_path / "x.toml"


@pytest.mark.parametrize(
    ("name", "machine", "cases"),
    [
        ("luo2012", "hp-8x4", 40),
        ("luo2012-all", "hp-8x4", 176),
        ("demo", "quad-4x2", 32),
        ("stream-strategies", "quad-4x2", 20),
        ("pires2013-pinning", "xeon-e5620-2x4", 48),
    ],
)
def test_the_studies_that_come_with_homenode_are_sound(name: str, machine: str, cases: int) -> None:
    study = load(STUDIES / f"{name}.toml")
    assert (study.name, study.machines) == (name, (machine,))
    assert len(expand(study, machine, "d")) == cases


PARTS = {key: GOOD[key] for key in ("schema", "name", "title", "machines")} | {
    "parts": {
        "waves": {
            "workload": "seismic",
            "fixed": {"size": "40"},
            "factors": {"threads": [2, 4, 8]},
        },
        "patterns": {"fixed": {"size": "1M"}, "factors": {"op": ["read"], "threads": [2, 4]}},
    }
}
QUICK = {"repetitions": 2, "factors": {"threads": [2]}, "parts": {"waves": {"fixed": {"steps": 3}}}}


def test_parts_are_expanded_one_after_the_other() -> None:
    study = parse(PARTS)
    cases = expand(study, "m", "d")
    assert [c.workload for c in cases] == ["seismic"] * 3 + ["map"] * 2
    assert [study.label(c) for c in cases[-2:]] == [
        "map · read · threads 2",
        "map · read · threads 4",
    ]
    assert list(study.workloads) == ["seismic", "map"]


def test_the_quick_form_replaces_what_parts_have_and_nothing_else() -> None:
    study = parse(quickened(PARTS | {"repetitions": 5, "quick": QUICK}))
    assert (study.name, study.repetitions) == ("s-quick", 2)
    cases = expand(study, "m", "d")
    assert [dict(c.options) for c in cases] == [
        {"size": "40", "steps": 3, "threads": 2},
        {"size": "1M", "op": "read", "threads": 2},
    ]
    alone = parse(quickened(GOOD | {"quick": {"factors": {"op": ["write"], "passes": [9]}}}))
    assert {c.option("op") for c in expand(alone, "m", "d")} == {"write"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"fixed": {}}, "'fixed' stands beside [parts]"),
        ({"parts": {"a": {"factor": {}}}}, "[parts.a] has no key 'factor'"),
        ({"parts": {"a": {"workload": "nbp"}}}, "(did you mean 'npb'?): choose map, npb"),
        ({"parts": {"a": {}}}, "[parts.a.factors] must have at least one"),
        ({"quick": {"threads": 2}}, "[quick] has no key 'threads'"),
        ({"quick": {"parts": {"b": {}}}}, "[quick.parts.b] is of no part"),
        ({"quick": {"factors": {"threads": ["2"]}}}, "whole number"),
        ({"quick": {"factors": {"threds": [2]}}}, "[quick.factors] has 'threds', which no part"),
        ({"quick": {"repetitions": 0}}, "repetitions must be"),
    ],
)
def test_a_mistake_in_a_part_or_in_the_quick_form_is_reported(
    change: dict[str, object], said: str, tmp_path: Path
) -> None:
    document = PARTS | change
    with pytest.raises(StudyError) as raised:
        parse(quickened(document) if "quick" in document else document)
    assert said in str(raised.value)


def test_a_study_without_a_quick_form_is_refused_as_one() -> None:
    with pytest.raises(StudyError, match="has no quick form"):
        load(STUDIES / "demo.toml", quick=True)


@pytest.mark.parametrize(
    ("name", "cases"),
    [
        ("ribeiro2010-affinity", 24),
        ("pires2013-pinning", 36),
        ("luo2012", 40),
        ("ribeiro2010-charm", 8),
    ],
)
def test_the_quick_forms_of_the_papers_are_sound(name: str, cases: int) -> None:
    study = load(STUDIES / f"{name}.toml", quick=True)
    assert len(expand(study, study.machines[0], "d")) == cases
