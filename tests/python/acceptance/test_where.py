"""`homenode where` in the lab: it shows what numa_maps says, and a repair does what it claims.

One program with memory on known nodes runs in the guest, and one script asks about it; the tests
look at the answers.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab_start import lab_or_skip

from homenode.lab import Lab

PROGRAM = Path(__file__).with_name("test_where_program.c")
PAGE = 4096
SCRIPT = r"""
for node in 1 2; do
  echo 2 > /sys/devices/system/node/node$node/hugepages/hugepages-2048kB/nr_hugepages
done
numactl --physcpubind=0 PROGRAM > /tmp/said & pid=$!
until grep -q ready /tmp/said; do sleep 0.05; done
address() { sed -n "s/^$1 \([0-9a-f]*\) .*/\1/p" /tmp/said; }
answer() { echo "=== $1"; shift; "$@" 2>&1; echo "--- $?"; }
where() { name=$1; shift; answer "$name" HOMENODE where "$@"; }
answer said cat /tmp/said
where before $pid --json --huge-pages
answer maps-before cat /proc/$pid/numa_maps
where fast $pid --json --fast
where system --system --json
where largest --system 1
numactl --membind=3 dd if=/dev/zero of=/tmp/cached bs=1M count=4 2> /dev/null
where file --file /tmp/cached --json
answer strangers-file setpriv --reuid 65534 --clear-groups HOMENODE where --file /tmp/cached
answer strangers-system setpriv --reuid 65534 --clear-groups HOMENODE where --system --json
where text $pid --mappings
where several where-program
where plan $pid --repair bind@3 --only anonymous --dry-run --json
where bind $pid --repair bind@3 --at $(address bound) --json
where interleave $pid --repair interleave@0-3 --at $(address early) --json
answer maps-after cat /proc/$pid/numa_maps
kill -USR1 $pid; until grep -q nodes /tmp/said; do sleep 0.05; done
answer pages grep nodes /tmp/said
where transparent $pid --repair interleave@0-1 --at $(address transparent) --json
where after-transparent $pid --json --huge-pages
where reserved $pid --repair bind@2 --only huge --json
where kept $pid --repair bind@1 --at $(address forked) --json
where shared $pid --repair bind@1 --at $(address forked) --shared --json
where threads $pid --threads 2,7 --json
answer allowed sh -c "grep -h Cpus_allowed_list /proc/$pid/task/*/status"
answer stranger setpriv --reuid 65534 --clear-groups HOMENODE where $pid
HOMENODE where $pid --watch=0.2 --json > /tmp/watched 2>&1 & watch=$!
until [ -s /tmp/watched ]; do sleep 0.05; done
kill $pid
wait $watch; code=$?
echo "=== watch"; cat /tmp/watched; echo "--- $code"
where gone $pid
"""


class Answers:
    """What the script printed, by the names that it gave."""

    def __init__(self, text: str) -> None:
        found = re.findall(r"^=== (\S+)\n(.*?)^--- (\d+)$", text, re.MULTILINE | re.DOTALL)
        self.texts = {name: said for name, said, _ in found}
        self.codes = {name: int(code) for name, _, code in found}
        self.regions = {
            name: (int(first, 16), int(size))
            for name, first, size in re.findall(r"^(\w+) (\w+) (\d+)$", self.texts["said"], re.M)
        }

    def json(self, name: str, code: int = 0) -> Any:
        assert self.codes[name] == code, self.texts[name]
        return json.loads(self.texts[name])

    def mapping(self, name: str, region: str) -> Any:
        """A region of the program in an answer of where."""
        first = hex(self.regions[region][0])
        return next(m for m in self.json(name)["mappings"] if m["first"] == first)


@pytest.fixture(scope="module")
def answers(quad: Lab, command: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    program = tmp_path_factory.mktemp("where") / "where-program"
    subprocess.run(["cc", "-O1", "-pthread", "-o", str(program), str(PROGRAM)], check=True)
    script = SCRIPT.replace("PROGRAM", str(program)).replace("HOMENODE", command)
    result = quad.run(["sh", "-c", script], timeout_s=300)
    assert result.status == 0, result.stderr
    yield Answers(result.stdout.decode())


def pages_of(numa_maps: str) -> dict[int, dict[str, int]]:
    """Bytes on each node of every mapping, as numa_maps has them."""
    pages = {}
    for line in numa_maps.splitlines():
        size = re.search(r"kernelpagesize_kB=(\d+)", line)
        if size:
            counts = re.findall(r" N(\d+)=(\d+)", line)
            first = int(line.split()[0], 16)
            pages[first] = {node: int(n) * int(size.group(1)) * 1024 for node, n in counts}
    return pages


@pytest.mark.parametrize("name", ["before", "fast"])
def test_every_mapping_is_where_numa_maps_says(answers: Answers, name: str) -> None:
    shown = {
        int(m["first"], 16): m["on_node_bytes"]
        for m in answers.json(name)["mappings"]
        if m["on_node_bytes"]
    }
    assert shown == pages_of(answers.texts["maps-before"])
    assert len(shown) > 10


def test_regions_have_their_nodes_groups_and_policies(answers: Answers) -> None:
    bound = answers.mapping("before", "bound")
    assert bound["on_node_bytes"] == {"2": 64 * PAGE}
    assert bound["policy"]["mode"] == "bind"
    assert bound["policy"]["nodes"] == [2]
    assert bound["group"] == "anonymous"
    spread = answers.mapping("before", "spread")
    assert spread["on_node_bytes"] == {str(node): 32 * PAGE for node in range(4)}
    shared = answers.mapping("before", "shared")
    assert (shared["group"], shared["on_node_bytes"]) == ("shared", {"1": 32 * PAGE})
    reserved = answers.mapping("before", "reserved")
    assert (reserved["group"], reserved["page_bytes"]) == ("huge", 2 << 20)
    assert reserved["on_node_bytes"] == {"1": 4 << 20}
    assert answers.mapping("before", "transparent")["transparent_huge_bytes"] == 8 << 20
    assert answers.mapping("fast", "transparent")["transparent_huge_bytes"] is None


def test_policy_and_reality_are_told_apart(answers: Answers) -> None:
    first = hex(answers.regions["early"][0])
    off = {finding["mapping"]: finding for finding in answers.json("before")["off_policy"]}
    assert off[first]["off_bytes"] == {"0": 256 * PAGE}
    assert off[first]["cause"] == "before-policy"
    assert hex(answers.regions["bound"][0]) not in off
    assert "policy bind:3, but 1.00 of 1.00 MiB (100 %) on node 0" in answers.texts["text"]


def test_threads_are_in_their_order_with_their_stacks(answers: Answers) -> None:
    main, other = answers.json("before")["threads"]
    assert (main["node"], main["allowed_cpus"]) == (0, [0])
    assert (other["name"], other["node"]) == ("odd) name\n", 0)
    stacks = [m["stack_of"] for m in answers.json("before")["mappings"] if m["stack_of"]]
    assert stacks == [other["id"]]
    assert answers.json("fast")["threads"] is None


def test_a_name_of_several_processes_is_asked_back(answers: Answers) -> None:
    assert answers.codes["several"] == 2
    assert re.fullmatch(
        r"homenode where: 2 processes have the name 'where-program': [^\n]+--all\n",
        answers.texts["several"],
    )


def test_a_plan_moves_nothing(answers: Answers) -> None:
    plan = answers.json("plan")
    assert plan["pages"]["planned_bytes"] > 0
    assert plan["pages"]["moved_bytes"] == 0
    assert plan["after_bytes"] is None


def test_the_receipt_of_a_repair_is_true(answers: Answers) -> None:
    assert answers.json("bind")["pages"]["moved_bytes"] == 64 * PAGE
    interleave = answers.json("interleave")
    assert interleave["pages"]["planned_bytes"] == interleave["pages"]["moved_bytes"] == 192 * PAGE
    assert interleave["complete"] is True
    after = pages_of(answers.texts["maps-after"])
    assert after[answers.regions["bound"][0]] == {"3": 64 * PAGE}
    assert after[answers.regions["early"][0]] == {str(node): 64 * PAGE for node in range(4)}
    sums: dict[str, int] = {}
    for nodes in after.values():
        for node, size in nodes.items():
            sums[node] = sums.get(node, 0) + size
    assert interleave["after_bytes"] == sums


def test_each_page_is_on_the_node_that_the_rule_names(answers: Answers) -> None:
    nodes = [int(word) for word in answers.texts["pages"].split()[1:]]
    assert nodes == [page % 4 for page in range(256)]


def test_transparent_huge_pages_are_moved_whole(answers: Answers) -> None:
    receipt = answers.json("transparent")["pages"]
    assert receipt["moved_bytes"] == receipt["planned_bytes"] == 4 << 20
    assert "2 MiB" in receipt["notes"][0]
    after = answers.mapping("after-transparent", "transparent")
    assert after["on_node_bytes"] == {"0": 4 << 20, "1": 4 << 20}
    assert after["transparent_huge_bytes"] == 8 << 20


def test_reserved_huge_pages_move_to_another_pool(answers: Answers) -> None:
    receipt = answers.json("reserved")["pages"]
    assert receipt["moved_bytes"] == receipt["planned_bytes"] == 4 << 20


def test_shared_pages_are_kept_unless_asked_for(answers: Answers) -> None:
    kept = answers.json("kept")["pages"]
    assert (kept["kept_shared_bytes"], kept["moved_bytes"]) == (16 * PAGE, 0)
    shared = answers.json("shared")["pages"]
    assert (shared["kept_shared_bytes"], shared["moved_bytes"]) == (0, 16 * PAGE)


def test_threads_are_bound_as_the_receipt_says(answers: Answers) -> None:
    assert [thread["bound"] for thread in answers.json("threads")["threads"]] == [True, True]
    assert re.findall(r":\s*(\S+)", answers.texts["allowed"]) == ["2", "7"]


def test_anothers_process_needs_a_capability(answers: Answers) -> None:
    assert answers.codes["stranger"] == 3
    assert re.fullmatch(
        r"homenode where: cannot read [^\n]+CAP_SYS_PTRACE[^\n]+\n", answers.texts["stranger"]
    )


def test_a_watch_ends_with_its_process(answers: Answers) -> None:
    *pictures, last = answers.texts["watch"].splitlines()
    assert last == "homenode where: the process has ended"
    assert all(json.loads(picture)["schema"] == "homenode.where/2" for picture in pictures)
    assert pictures
    assert answers.codes["watch"] == 0
    assert answers.codes["gone"] == 1


def test_memory_goes_to_a_node_without_cpus(command: str, tmp_path: Path) -> None:
    script = f"""sleep 1000 & pid=$!
        {command} where $pid --repair bind@2 --only heap,stacks,anonymous --json
        {command} where $pid --json; cat /proc/$pid/numa_maps; kill $pid"""
    with lab_or_skip("cxl-3x4", tmp_path) as lab:
        result = lab.run(["sh", "-c", script], timeout_s=120)
    assert result.status == 0, result.stderr
    receipt, shown, *numa_maps = result.stdout.decode().splitlines()
    pages = json.loads(receipt)["pages"]
    assert pages["moved_bytes"] == pages["planned_bytes"] > 0
    mappings = json.loads(shown)["mappings"]
    private = [m for m in mappings if m["group"] in ("heap", "stacks", "anonymous") and m["bytes"]]
    assert all(set(m["on_node_bytes"]) == {"2"} for m in private)
    after = pages_of("\n".join(numa_maps))
    assert {int(m["first"], 16): m["on_node_bytes"] for m in mappings if m["bytes"]} == after
    node = next(n for n in json.loads(shown)["nodes"] if n["id"] == 2)
    assert (node["cpus"], node["memory_bytes"] > 0) == ([], True)


def program(answers: Answers, name: str) -> Any:
    """The program among the processes of the system."""
    pid = answers.json("before")["pid"]
    return next(one for one in answers.json(name)["processes"] if one["pid"] == pid)


def test_the_system_has_what_the_process_has(answers: Answers) -> None:
    before, found = answers.json("before"), program(answers, "system")
    assert found["on_node_bytes"] == before["on_node_bytes"]
    assert found["thread_count"] == len(before["threads"])
    assert found["threads_on_node"] == {"0": found["thread_count"]}, "they are bound to CPU 0"
    own = found["on_node_bytes"].get("0", 0) / found["bytes"]
    assert found["local_share"] == pytest.approx(own)


def test_the_system_has_huge_pages_and_counters_of_each_node(answers: Answers) -> None:
    nodes = answers.json("system")["nodes"]
    assert [node["id"] for node in nodes] == [0, 1, 2, 3]
    huge = {
        node["id"]: sum(p["page_count"] for p in node["huge_pages"] if p["page_bytes"] == 2 << 20)
        for node in nodes
    }
    assert huge == {0: 0, 1: 2, 2: 2, 3: 0}
    assert all(node["page_counters"]["hit"] > 0 for node in nodes)


def test_the_text_of_the_system_sums_what_it_leaves_out(answers: Answers) -> None:
    assert answers.codes["largest"] == 0
    assert re.search(r"^others .* \d+ more$", answers.texts["largest"], re.M)


def test_a_files_page_cache_is_on_the_node_of_who_wrote_it(answers: Answers) -> None:
    found = answers.json("file")
    assert found["on_node_bytes"] == {"3": 4 << 20}
    assert found["cached_bytes"] == found["bytes"] == 4 << 20


def test_a_stranger_is_told_what_cannot_be_seen(answers: Answers) -> None:
    assert answers.codes["strangers-file"] == 3
    assert "only to who may write it" in answers.texts["strangers-file"]
    found = program(answers, "strangers-system")
    assert found["on_node_bytes"] is None and found["bytes"] > 0
    assert "CAP_SYS_PTRACE" in answers.json("strangers-system")["notes"][0]
