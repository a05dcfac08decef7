"""homenode.lab.watched: what the guest saw of mappings and threads."""

from homenode.lab.watched import looks

MAPS = (
    "00400000-00401000 r--p 00000000 00:1b 42                         /root/usr/bin/a b\n"
    "7f0000000000-7f0000002000 rw-p 00001000 00:00 0 \n"
    "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                  [stack]\n"
)
THREADS = "7 main\n9 a worker\n"


def record(kind: str, pid: int, time_ns: int, text: str) -> bytes:
    return f"{kind} {pid} {time_ns} {len(text)}\n{text}".encode()


BOTH = record("maps", 7, 100, MAPS) + record("threads", 7, 200, THREADS)


def test_mappings_and_threads_are_read() -> None:
    maps, threads = looks(BOTH)
    assert maps.document() == {
        "kind": "mappings",
        "time_ns": 100,
        "pid": 7,
        "mappings": [
            {
                "begin": 0x400000,
                "end": 0x401000,
                "permissions": "r--p",
                "offset": 0,
                "path": "/usr/bin/a b",
            },
            {
                "begin": 0x7F0000000000,
                "end": 0x7F0000002000,
                "permissions": "rw-p",
                "offset": 4096,
                "path": "",
            },
            {
                "begin": 0x7FFC00000000,
                "end": 0x7FFC00021000,
                "permissions": "rw-p",
                "offset": 0,
                "path": "[stack]",
            },
        ],
    }
    assert threads.document() == {
        "kind": "threads",
        "time_ns": 200,
        "pid": 7,
        "threads": [{"tid": 7, "name": "main"}, {"tid": 9, "name": "a worker"}],
    }


def test_what_was_cut_is_left_out() -> None:
    whole = len(record("maps", 7, 100, MAPS))
    for length in range(len(BOTH)):
        assert len(list(looks(BOTH[:length]))) == (length >= whole)
