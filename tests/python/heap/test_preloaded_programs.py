"""Programs that people use every day do the same with the allocator preloaded as without."""

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from heap_programs import run

SOURCE = r"""
#include <map>
#include <string>
#include <cstdio>
int main() {
  std::map<std::string, int> counts;
  const std::string text = "the cat and the dog and the end ";
  for (std::size_t i = 0, end; (end = text.find(' ', i)) != text.npos; i = end + 1) {
    counts[text.substr(i, end - i)]++;
  }
  for (const auto& [name, count] : counts) std::printf("%s %d\n", name.c_str(), count);
}
"""
PYTHON = """
import json, re, subprocess, sys, threading, zlib
words = {str(i): [i, str(i) * (i % 50)] for i in range(20000)}
assert json.loads(json.dumps(words)) == words
assert zlib.decompress(zlib.compress(json.dumps(words).encode())) == json.dumps(words).encode()
def work(rank):
    found[rank] = len(re.findall("[0-9]+", " ".join(words)))
found = {}
threads = [threading.Thread(target=work, args=(rank,)) for rank in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert set(found.values()) == {20000}
child = subprocess.run([sys.executable, "-c", "print(sum(range(1000)))"], capture_output=True)
print(child.stdout.decode().strip(), len(words))
"""
SQL = """
create table t(id integer primary key, name text, value real);
with recursive c(n) as (select 1 union all select n + 1 from c where n < 20000)
insert into t select n, printf('name %d', n * 7919 % 20011), n / 3.0 from c;
create index by_name on t(name);
select count(*), sum(value), max(name) from t where name between 'name 1' and 'name 5';
select group_concat(name) from (select name from t order by value desc limit 5);
"""


def needs(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"needs {program}")
    return found


def same_with_and_without(command: list[str | Path], **environment: str) -> str:
    """Runs a command with libc's allocator and with the one under test; what both print."""
    plain = run(command, library="", environment=environment)
    ours = run(command, environment=environment)
    assert plain.returncode == 0, plain.stderr
    assert (ours.returncode, ours.stderr) == (plain.returncode, plain.stderr)
    assert ours.stdout == plain.stdout
    return ours.stdout


def test_a_compiler_makes_the_same_program(tmp_path: Path) -> None:
    source = tmp_path / "words.cpp"
    source.write_text(SOURCE)
    objects = []
    for name, library in (("plain.o", ""), ("ours.o", None)):
        command = [needs("g++"), "-std=c++17", "-O0", "-c", source, "-o", tmp_path / name]
        assert run(command, library=library).returncode == 0
        objects.append((tmp_path / name).read_bytes())
    assert objects[0] == objects[1]
    built = tmp_path / "words"
    subprocess.run(["g++", tmp_path / "ours.o", "-o", built], check=True)
    assert "the 3\n" in same_with_and_without([built])


def test_python_without_an_allocator_of_its_own() -> None:
    said = same_with_and_without([sys.executable, "-c", PYTHON], PYTHONMALLOC="malloc")
    assert said == "499500 20000\n"


def test_git_makes_the_same_history(tmp_path: Path) -> None:
    git = needs("git")
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=main"]
    origin = tmp_path / "origin"
    script = "\n".join(
        [f"{git} init -q {origin} && cd {origin}"]
        + [
            f"seq {i} {i * 100} > {i}.txt && {git} add . && {git} {' '.join(who)} commit -qm {i}"
            for i in range(1, 6)
        ]
        + [f"{git} gc -q && {git} clone -q --no-local {origin} {tmp_path}/copy"]
    )
    assert (result := run(["sh", "-ec", script])).returncode == 0, result.stderr
    log = [git, "-C", tmp_path / "copy", "log", "--stat", "--format=%s"]
    assert "5.txt" in same_with_and_without(log)
    same_with_and_without([git, "-C", tmp_path / "copy", "fsck", "--strict"])


def test_sqlite_answers_the_same(tmp_path: Path) -> None:
    script = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(':memory:')\n"
        "for statement in sys.argv[1].split(';'): print(connection.execute(statement).fetchall())\n"
    )
    assert sqlite3.complete_statement(SQL)
    said = same_with_and_without([sys.executable, "-c", script, SQL])
    assert said.count("name") >= 6
