"""What perf recorded becomes a sample file: its text, its own file, and damaged ones."""

import random
import shutil
from pathlib import Path

import pytest
from support.perf_data import (
    ADDR,
    CPU,
    DATA_SRC,
    MEMORY,
    PHYS_ADDR,
    WEIGHT,
    WEIGHT_STRUCT,
    Access,
    PerfData,
)

from homenode.profile import cli
from homenode.profile.attribution import attribute
from homenode.profile.errors import ProfileError
from homenode.profile.perf_import import import_perf
from homenode.profile.perf_text import FIELDS, read_text
from homenode.profile.record import Flag, Level, Operation, Source
from homenode.profile.recording import Recording, read_recording

LOAD_L1, LOAD_LOCAL = 2 | (8 | 2) << 5, 2 | 0xD << 33
STORE_L1, LOAD_REMOTE = 4 | (8 | 2) << 5, 2 | 0xD << 33 | 1 << 37
MACHINE = {
    "nodes": [
        {"id": 0, "cpus": [0, 1], "memory_bytes": 1 << 30},
        {"id": 2, "cpus": [4, 5], "memory_bytes": 1 << 30},
    ]
}
LOADS = "cpu/mem-loads,ldlat=30/P"
WORDS = "|OP LOAD|LVL L1 or L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A"
SAMPLE = (
    f"  my prog 1/2   100/101   [004]  5178.123456789: {LOADS}:     7f1234560040        "
    f"68100142 {WORDS}              71           55d0c1234567      1a2b3c040"
)


def load(tmp_path: Path, text: str | bytes, **options: object) -> Recording:
    source, output = tmp_path / "perf", tmp_path / "samples"
    source.write_bytes(text.encode() if isinstance(text, str) else text)
    import_perf(source, output, **options)  # type: ignore[arg-type]
    return read_recording(output)


def test_a_printed_sample_keeps_all_that_perf_knows(tmp_path: Path) -> None:
    recording = load(tmp_path, SAMPLE + "\n", machine=MACHINE, ghz=2.0)
    (sample,) = recording.samples
    assert sample["time_ns"] == 5178_123456789
    assert sample["address"] == 0x7F1234560040
    assert sample["instruction"] == 0x55D0C1234567
    assert sample["physical"] == 0x1A2B3C040
    assert (sample["pid"], sample["tid"], sample["cpu"], sample["cpu_node"]) == (100, 101, 4, 2)
    assert (sample["operation"], sample["level"]) == (Operation.READ, Level.L1)
    assert sample["latency_ns"] == 36
    assert sample["source"] == Source.IMPORT
    assert recording.source == "import"
    assert recording.of("import")[0]["latency_unit"] == "ns"
    assert recording.of("threads")[0]["threads"] == [{"tid": 101, "name": "my prog 1/2"}]


def test_without_a_clock_latencies_stay_in_cycles(tmp_path: Path) -> None:
    recording = load(tmp_path, SAMPLE)
    assert recording.samples["latency_ns"].tolist() == [71]
    assert recording.of("import")[0]["latency_unit"] == "cycles"
    assert recording.samples["cpu_node"].tolist() == [0xFFFF]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ("comm,tid,addr,data_src", f"prog 7 7f00 42 {WORDS}"),
        ("pid,tid,addr,data_src,weight,time", f"7/7 12.000001: 7f00 42 {WORDS}   9"),
        (
            "comm,pid,tid,cpu,misc,time,period,event,addr,data_src,weight,ins_lat,ip,sym,dso,"
            "phys_addr,data_page_size",
            f"prog 7/7 [001] U 12.000001: 100 {LOADS}: 7f00 [unknown] ([heap]) 42 {WORDS} 9 3 "
            "401a00 f(int, char) (/usr/bin/a b) 1234000 4K",
        ),
    ],
)
def test_declared_fields_may_be_in_any_order(fields: str, text: str) -> None:
    names = fields.split(",")
    for order in (names, names[::-1]):
        (line,) = read_text([text], order).samples
        assert (line.pid, line.tid, line.address, line.data_source) == (7, 7, 0x7F00, 0x42)
        assert line.weight == (9 if "weight" in names else 0)
        assert line.physical == (0x1234000 if "phys_addr" in names else 0)


@pytest.mark.parametrize("lacking", [{"phys_addr"}, {"cpu"}, {"phys_addr", "cpu"}])
def test_fields_that_a_recording_may_lack_need_no_declaration(lacking: set[str]) -> None:
    text = SAMPLE
    if "phys_addr" in lacking:
        text = text[: text.rindex(" ")].rstrip()
    if "cpu" in lacking:
        text = text.replace("[004]  ", "")
    (line,) = read_text([text]).samples
    assert line.instruction == 0x55D0C1234567
    assert line.weight == 71
    assert line.cpu == (-1 if "cpu" in lacking else 4)


def test_the_columns_of_a_raw_report_are_those_of_its_first_line(tmp_path: Path) -> None:
    text = (
        "# PID, TID, IP, ADDR, PHYS ADDR, LOCAL WEIGHT, DSRC, SYMBOL\n"
        "  100   101 0x0000000000401000 0x0167f1234560040 0x00000001a2b3c040    71 0x68100142 a:f\n"
        "100,102,0x401000,0x7f1234560048,0x1a2b3c048,70,0x68100142,/usr/bin/a:f\n"
    )
    samples = load(tmp_path, text).samples
    assert samples["address"].tolist() == [0x7F1234560040, 0x7F1234560048]
    assert samples["tid"].tolist() == [101, 102]
    assert samples["physical"].tolist() == [0x1A2B3C040, 0x1A2B3C048]
    assert samples["latency_ns"].tolist() == [71, 70]


def test_what_is_no_access_of_the_program_is_counted_and_left_out(tmp_path: Path) -> None:
    no_address = SAMPLE.replace("7f1234560040", "0")
    of_kernel = SAMPLE.replace("7f1234560040", "ffff888000000000")
    by_kernel = SAMPLE.replace("55d0c1234567", "ffffffff81234567")
    recording = load(tmp_path, "\n".join([SAMPLE, no_address, of_kernel, by_kernel]))
    assert recording.of("import")[0]["dropped"] == {"no data address": 1, "the kernel's memory": 1}
    assert recording.samples["flags"].tolist() == [0, Flag.KERNEL]


def test_of_the_events_of_one_access_of_spe_one_is_kept(tmp_path: Path) -> None:
    spe = [SAMPLE.replace(LOADS, name) for name in ("l1d-access", "memory", "tlb-access")]
    recording = load(tmp_path, "\n".join(spe))
    assert len(recording.samples) == 1
    assert recording.of("import")[0]["dropped"] == {"shown by another event": 2}


def test_mappings_and_threads_come_from_events(tmp_path: Path) -> None:
    start = "prog 100/100 [000] 1.000000: "
    events = [
        start + "PERF_RECORD_MMAP2 100/100: [0x1000(0x1000) @ 0 00:00 0 0]: r-xp /bin/perf",
        start + "PERF_RECORD_COMM exec: prog:100/100",
        start + "PERF_RECORD_MMAP2 100/100: [0x400000(0x1000) @ 0x1000 08:01 12 0]: r-xp /bin/a b",
        start + "PERF_RECORD_MMAP2 100/100: [0x600000(0x1000) @ 0 <0123abcd>]: rw-p [heap]",
        start + "PERF_RECORD_MMAP2 100/100: [0x600000(0x9000) @ 0 00:00 0 0]: rw-p [heap]",
        start + "PERF_RECORD_MMAP 100/100: [0x7f1234560000(0x1000) @ 0x7f1234560000]: r //anon",
        start + "PERF_RECORD_FORK(100:101):(100:100)",
        start + "PERF_RECORD_COMM: worker:1/2:100/101",
        start + "PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1000) @ 0]: x [kernel.kallsyms]_text",
        "PERF_RECORD_LOST lost 12",
    ]
    recording = load(tmp_path, "\n".join([*events, SAMPLE]))
    (mappings,) = recording.of("mappings")
    assert [(each["begin"], each["end"], each["path"]) for each in mappings["mappings"]] == [
        (0x400000, 0x401000, "/bin/a b"),
        (0x600000, 0x609000, "[heap]"),
        (0x7F1234560000, 0x7F1234561000, ""),
    ]
    names = {each["tid"]: each["name"] for each in recording.of("threads")[0]["threads"]}
    assert names == {100: "prog", 101: "worker:1/2"}
    assert recording.end is not None
    assert recording.end["lost"] == 12
    found = attribute(recording)
    assert found.share == 1.0
    assert found.offset_of.tolist() == [0x40]


def test_a_child_has_the_mappings_of_its_parent(tmp_path: Path) -> None:
    events = [
        "PERF_RECORD_MMAP2 100/100: [0x7f1234560000(0x1000) @ 0 00:00 0 0]: rw-p //anon",
        "PERF_RECORD_FORK(200:200):(100:100)",
        SAMPLE.replace("100/101", "200/200"),
    ]
    recording = load(tmp_path, "\n".join(events))
    assert [each["pid"] for each in recording.of("mappings")] == [200]
    assert attribute(recording).share == 1.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no memory samples"),
        ("nothing of perf's\n", "line 1: nothing of perf's"),
        ("prog 7 1.0: cycles: 401000 main (/bin/a)\n", "perf mem record"),
    ],
)
def test_a_text_without_samples_is_an_error_of_one_line(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(ProfileError, match=words) as refused:
        load(tmp_path, text)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("fields", ["comm,pid", "pid,addr,data_src,colour", "addr,data_src"])
def test_fields_that_cannot_be_read_are_refused(tmp_path: Path, fields: str) -> None:
    with pytest.raises(ProfileError, match="perf script"):
        load(tmp_path, SAMPLE, fields=fields.split(","))


def test_a_machine_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="topology --json"):
        load(tmp_path, SAMPLE, machine={"nodes": [{"id": 0}]})


def test_a_file_that_is_not_there_and_an_output_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="cannot read"):
        import_perf(tmp_path / "none", tmp_path / "out")
    (tmp_path / "text").write_text(SAMPLE)
    with pytest.raises(ProfileError, match="cannot write"):
        import_perf(tmp_path / "text", tmp_path / "no" / "out")


def test_any_damage_to_a_text_is_read_or_refused(tmp_path: Path) -> None:
    numbers = random.Random(11)
    whole = "\n".join([f"# cpudesc : x @ 2.0GHz\n{SAMPLE}", "PERF_RECORD_FORK(1:1):(2:2)", SAMPLE])
    for _ in range(400):
        text = bytearray(whole.encode())
        for _ in range(numbers.randrange(1, 12)):
            place = numbers.randrange(len(text))
            change = numbers.randrange(3)
            if change == 0:
                text[place] = numbers.randrange(256)
            elif change == 1:
                del text[place : place + numbers.randrange(40)]
            else:
                text[place:place] = text[: numbers.randrange(200)]
        try:
            load(tmp_path, bytes(text))
        except ProfileError as refused:
            assert "\n" not in str(refused)


@pytest.mark.parametrize(
    "text", ["|" * 100_000, "a 1/1 " * 5000, "7 " * 50_000, "0x" + "f" * 10**6]
)
def test_a_hostile_line_costs_no_more_than_its_length(tmp_path: Path, text: str) -> None:
    with pytest.raises(ProfileError):
        load(tmp_path, text)


needs_perf = pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed")


def recorded(sample_type: int) -> PerfData:
    """A program of two threads, as 'perf mem record -d' describes it."""
    data = PerfData(sample_type)
    data.comm(100, 100, "solver", executed=True)
    data.map(100, 0x400000, 0x1000, "/usr/bin/solver", prot=5)
    data.map(100, 0x7F0000000000, 0x10000, "//anon")
    data.fork(100, 101, 100, 100)
    data.comm(100, 101, "worker 1")
    data.sample(Access(0x7F0000000040, LOAD_LOCAL, cpu=0, weight=300, physical=0x1234040))
    data.sample(Access(0x7F0000000080, LOAD_REMOTE, tid=101, cpu=4, weight=700, time=6 * 10**9 + 7))
    data.sample(Access(0x7F00000000C0, STORE_L1, tid=101, cpu=5, time=7 * 10**9))
    data.lost(3)
    return data


@needs_perf
@pytest.mark.parametrize("weight", [WEIGHT, WEIGHT_STRUCT])
@pytest.mark.parametrize("physical", [0, PHYS_ADDR])
@pytest.mark.parametrize("cpu", [0, CPU])
def test_perf_reads_its_own_file_for_us(
    tmp_path: Path, weight: int, physical: int, cpu: int
) -> None:
    content = recorded(MEMORY & ~CPU | weight | physical | cpu).content()
    recording = load(tmp_path, content, machine=MACHINE)
    samples = recording.samples
    assert samples["address"].tolist() == [0x7F0000000040, 0x7F0000000080, 0x7F00000000C0]
    assert samples["tid"].tolist() == [100, 101, 101]
    assert samples["level"].tolist() == [Level.LOCAL_MEMORY, Level.REMOTE_MEMORY, Level.L1]
    assert samples["operation"].tolist() == [Operation.READ, Operation.READ, Operation.WRITE]
    assert samples["time_ns"].tolist() == [5 * 10**9, 6 * 10**9 + 7, 7 * 10**9]
    assert samples["latency_ns"].tolist() == [150, 350, 0]
    assert samples["physical"][0] == (0x1234040 if physical else 0)
    unknown = 0xFFFF
    assert samples["cpu_node"].tolist() == ([0, 2, 2] if cpu else [unknown] * 3)
    assert samples["memory_node"].tolist() == ([0, 0, unknown] if cpu else [unknown] * 3)
    names = {each["tid"]: each["name"] for each in recording.of("threads")[0]["threads"]}
    assert names == {100: "solver", 101: "worker 1"}
    assert recording.begin["hostname"] == "far-away"
    assert recording.begin["command"][-1] == "./a.out"
    assert recording.end is not None
    assert recording.end["lost"] == 3
    assert attribute(recording).share == 1.0


@needs_perf
@pytest.mark.parametrize("field", [ADDR, DATA_SRC])
def test_a_recording_of_something_else_is_refused(tmp_path: Path, field: int) -> None:
    with pytest.raises(ProfileError, match="perf mem record"):
        load(tmp_path, recorded((MEMORY | WEIGHT) & ~field).content())


@needs_perf
def test_a_damaged_file_of_perf_is_read_or_refused(tmp_path: Path) -> None:
    numbers = random.Random(5)
    whole = recorded(MEMORY | WEIGHT).content()
    for cut in (8, 60, 104, 200, len(whole) // 2, len(whole) - 3):
        try:
            load(tmp_path, whole[:cut])
        except ProfileError as refused:
            assert "\n" not in str(refused)
    for _ in range(10):
        damaged = bytearray(whole)
        for _ in range(8):
            damaged[numbers.randrange(8, len(damaged))] = numbers.randrange(256)
        try:
            load(tmp_path, bytes(damaged))
        except ProfileError as refused:
            assert "\n" not in str(refused)


def test_without_perf_its_file_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ProfileError, match=r"install it .*linux-perf"):
        load(tmp_path, recorded(MEMORY | WEIGHT).content())


def test_all_the_fields_that_are_asked_for_are_known() -> None:
    assert set(FIELDS) >= {"addr", "data_src", "pid", "tid"}


def test_the_verb_imports_and_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "perf.txt").write_text(SAMPLE + "\n")
    samples = str(tmp_path / "samples")
    assert cli.main(["import", str(tmp_path / "perf.txt"), "--samples", samples]) == 0
    assert "1 samples" in capsys.readouterr().out
    assert cli.main(["show", samples]) == 0
    assert "import" in capsys.readouterr().out
