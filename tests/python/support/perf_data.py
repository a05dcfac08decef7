"""An own writer of perf's file format, as far as memory samples need it: what perf_event_open(2)
and perf.data-file-format describe. Machines without a PMU cannot record such a file."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

IP, TID, TIME, ADDR, CPU, PERIOD = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 7, 1 << 8
WEIGHT, DATA_SRC, PHYS_ADDR, WEIGHT_STRUCT = 1 << 14, 1 << 15, 1 << 19, 1 << 24
MEMORY = IP | TID | TIME | ADDR | CPU | PERIOD | DATA_SRC
RECORD_LOST, RECORD_COMM, RECORD_FORK, RECORD_SAMPLE, RECORD_MMAP2 = 2, 3, 7, 9, 10
USER, EXECUTED, DATA = 2, 1 << 13, 1 << 13
HOSTNAME, CPU_NAME, COMMAND_LINE, EVENT_NAMES = 3, 8, 11, 12
RAW_EVENT, ATTRIBUTE_BYTES = 4, 112
SAMPLE_ID_ALL = 1 << 18


@dataclass(frozen=True)
class Access:
    """One sample of an access."""

    address: int
    source: int
    pid: int = 100
    tid: int = 100
    cpu: int = 0
    time: int = 5_000_000_000
    weight: int = 0
    ip: int = 0x401000
    physical: int = 0


def _record(kind: int, misc: int, payload: bytes) -> bytes:
    return struct.pack("<IHH", kind, misc, 8 + len(payload)) + payload


def _name(text: str) -> bytes:
    """With its zero, to a multiple of eight bytes."""
    raw = text.encode() + b"\0"
    return raw + bytes(-len(raw) % 8)


def _string(text: str) -> bytes:
    raw = _name(text)
    return struct.pack("<I", len(raw)) + raw


class PerfData:
    """A recording of one event with one sample type."""

    def __init__(self, sample_type: int, name: str = "cpu/mem-loads,ldlat=30/P") -> None:
        self.sample_type, self.name = sample_type, name
        self.records: list[bytes] = []

    def _now(self) -> int:
        """Records that are no samples follow each other from the first second on."""
        return 10**9 + len(self.records)

    def _id(self, pid: int, tid: int) -> bytes:
        """The end of every record that is no sample."""
        parts = b""
        if self.sample_type & TID:
            parts += struct.pack("<II", pid, tid)
        if self.sample_type & TIME:
            parts += struct.pack("<Q", self._now())
        if self.sample_type & CPU:
            parts += struct.pack("<II", 0, 0)
        return parts

    def comm(self, pid: int, tid: int, name: str, *, executed: bool = False) -> None:
        payload = struct.pack("<II", pid, tid) + _name(name) + self._id(pid, tid)
        self.records.append(_record(RECORD_COMM, EXECUTED if executed else 0, payload))

    def fork(self, pid: int, tid: int, parent: int, starter: int) -> None:
        payload = struct.pack("<IIIIQ", pid, parent, tid, starter, self._now())
        self.records.append(_record(RECORD_FORK, 0, payload + self._id(pid, tid)))

    def map(self, pid: int, begin: int, size: int, path: str, prot: int = 3) -> None:
        payload = struct.pack("<IIQQQ", pid, pid, begin, size, 0)
        payload += struct.pack("<IIQQII", 8, 1, 42, 0, prot, 2) + _name(path)
        payload += self._id(pid, pid)
        self.records.append(_record(RECORD_MMAP2, USER | (0 if prot & 4 else DATA), payload))

    def lost(self, count: int) -> None:
        payload = struct.pack("<QQ", 1, count) + self._id(100, 100)
        self.records.append(_record(RECORD_LOST, 0, payload))

    def sample(self, access: Access) -> None:
        fields = (
            (IP, struct.pack("<Q", access.ip)),
            (TID, struct.pack("<II", access.pid, access.tid)),
            (TIME, struct.pack("<Q", access.time)),
            (ADDR, struct.pack("<Q", access.address)),
            (CPU, struct.pack("<II", access.cpu, 0)),
            (PERIOD, struct.pack("<Q", 1)),
            (WEIGHT | WEIGHT_STRUCT, struct.pack("<Q", access.weight)),
            (DATA_SRC, struct.pack("<Q", access.source)),
            (PHYS_ADDR, struct.pack("<Q", access.physical)),
        )
        payload = b"".join(raw for bit, raw in fields if self.sample_type & bit)
        self.records.append(_record(RECORD_SAMPLE, USER, payload))

    def _attribute(self) -> bytes:
        head = struct.pack("<IIQQQQQ", RAW_EVENT, ATTRIBUTE_BYTES, 0x1CD, 1, self.sample_type, 0,
                           SAMPLE_ID_ALL)  # fmt: skip
        return head + bytes(ATTRIBUTE_BYTES - len(head))

    def content(self, command: Sequence[str] = ("perf", "mem", "record", "./a.out")) -> bytes:
        """The whole file."""
        attribute = self._attribute()
        names = struct.pack("<II", 1, ATTRIBUTE_BYTES) + attribute
        names += struct.pack("<I", 1) + _string(self.name) + struct.pack("<Q", 1)
        features = {
            HOSTNAME: _string("far-away"),
            CPU_NAME: _string("Intel(R) Xeon(R) CPU E5-2690 @ 2.00GHz"),
            COMMAND_LINE: struct.pack("<I", len(command)) + b"".join(map(_string, command)),
            EVENT_NAMES: names,
        }
        data = b"".join(self.records)
        ids_at = 104
        attributes_at = ids_at + 8
        data_at = attributes_at + len(attribute) + 16
        place = data_at + len(data) + 16 * len(features)
        sections = b""
        for raw in features.values():
            sections += struct.pack("<QQ", place, len(raw))
            place += len(raw)
        header = b"PERFILE2" + struct.pack("<QQ", 104, len(attribute) + 16)
        header += struct.pack(
            "<QQQQQQ", attributes_at, len(attribute) + 16, data_at, len(data), 0, 0
        )
        header += struct.pack("<4Q", sum(1 << bit for bit in features), 0, 0, 0)
        body = struct.pack("<Q", 1) + attribute + struct.pack("<QQ", ids_at, 8) + data
        return header + body + sections + b"".join(features.values())
