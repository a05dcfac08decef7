"""Real programs do the same while they are sampled: by every source that works in the lab, whose
guest has protection keys, soft-dirty bits and NUMA balancing, and by the scheduler's figures here.

    ./dev test --only tests/python/profile/test_unharmed_programs.py   (with -m long)
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab_start import lab_or_skip
from program_texts import SQL_TABLE, numpy_program

from homenode.lab import Lab
from homenode.profile.recording import read_recording

pytestmark = pytest.mark.long

SOURCES = ("pkeys", "soft-dirty", "hint-faults")
POSTGRES = Path("/usr/lib/postgresql")
LONGEST_S = 900

REDIS = """
redis-server --port 0 --unixsocket s --save '' --appendonly yes >/dev/null & server=$!
until redis-cli -s s ping >/dev/null 2>&1; do sleep 0.1; done
redis-benchmark -s s -n 3000 -c 5 -r 100000 -q -t set,lpush,incr,mset >/dev/null
redis-cli -s s eval 'local s = 0 for i = 1, 5000 do redis.call("set", "n" .. i, i)
  s = s + redis.call("get", "n" .. i) end return s' 0
redis-cli -s s bgrewriteaof
until redis-cli -s s info persistence | grep -q aof_rewrite_in_progress:0; do sleep 0.1; done
redis-cli -s s llen mylist
redis-cli -s s shutdown nosave; wait $server; echo ended $?
"""
SQLITE = f"""
sqlite3 file.db "{SQL_TABLE}
create index i on t(b); update t set b = b || 'x' where a % 7 = 0;
select count(*), sum(length(b)), count(distinct b) from t; pragma integrity_check;"
"""
POSTGRESQL = """
cp -r {data} own; chmod 700 own
pg={bin}
$pg/pg_ctl -D own -o "-k $PWD -c listen_addresses='' -c shared_buffers=16MB" -w -t 300 \
  -l log start >/dev/null || cat log
$pg/pgbench -h $PWD -i -q postgres >/dev/null 2>&1
$pg/pgbench -h $PWD -n -t 40 -c 1 --random-seed=1 postgres >/dev/null 2>&1; echo pgbench $?
$pg/pgbench -h $PWD -n -t 20 -c 4 -j 2 --random-seed=2 postgres >/dev/null 2>&1; echo pgbench $?
$pg/psql -h $PWD -At postgres -c "select count(*) from pgbench_accounts" \
  -c "select sum(abalance) = (select sum(delta) from pgbench_history) from pgbench_accounts" \
  -c "select count(*) from pgbench_history"
$pg/pg_ctl -D own -w -t 300 stop >/dev/null; echo stopped $?
"""
NUMPY = numpy_program(order=200, rounds=5)
JAVA = """
import java.util.stream.*;
class Sums {
  public static void main(String[] words) throws Exception {
    System.out.println(IntStream.range(0, 300000).parallel().mapToObj(i -> new int[] {i})
        .collect(Collectors.summingLong(one -> one[0])));
    long[] all = new long[1 << 20];
    for (int round = 0; round < 20; ++round)
      for (int i = 0; i < all.length; ++i) all[i] += i ^ round;
    System.gc();
    System.out.println(LongStream.of(all).sum());
    Object none = words.length > 0 ? words : null;
    try { none.toString(); } catch (NullPointerException e) { System.out.println("null"); }
  }
}
"""
NODE = """
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");
if (!isMainThread) {
  const all = new Float64Array(1 << 17).map((_, i) => (i * workerData) % 1013);
  parentPort.postMessage(all.reduce((a, b) => a + b, 0));
} else {
  const sums = [];
  for (let i = 1; i <= 3; ++i)
    new Worker(__filename, { workerData: i }).on("message", (sum) => {
      sums.push(sum);
      if (sums.length == 3) console.log(sums.sort().join(), JSON.stringify(process.argv.slice(2)));
    });
}
"""
MPI = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char** words) {
  int rank, size;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  enum { MANY = 300000 };
  long *mine = malloc(MANY * sizeof *mine), *all = malloc(MANY * sizeof *all), sum = 0;
  for (int round = 0; round < 5; ++round) {
    for (long i = 0; i < MANY; ++i) mine[i] = i * (rank + 1) + round;
    MPI_Allreduce(mine, all, MANY, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (long i = 0; i < MANY; ++i) sum += all[i] ^ i;
  }
  if (rank == 0) printf("%d ranks: %ld\n", size, sum);
  MPI_Finalize();
}
"""
CHARM = """
from charm4py import Chare, Group, charm
class Part(Chare):
    def work(self):
        return sum(i * (charm.myPe() + 1) for i in range(100000))
def main(words):
    parts = Group(Part)
    print(parts.work(ret=True).get())
    exit()
charm.start(main)
"""
COMPILED = """
#include <map>
#include <string>
#include <vector>
int main() {
  std::map<std::string, std::vector<int>> all;
  for (int i = 0; i < 100; ++i) all[std::to_string(i)].resize(5000);
  return all.size() == 100 ? 0 : 1;
}
"""
FORTRAN = """
program heat
  implicit none
  integer, parameter :: n = 300
  real(8), allocatable :: u(:,:), v(:,:)
  integer :: i, j, step
  allocate(u(n,n), v(n,n))
  u = 0; u(:,1) = 1; v = u
  do step = 1, 30
    !$omp parallel do private(i)
    do j = 2, n - 1
      do i = 2, n - 1
        v(i,j) = 0.25d0 * (u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1))
      end do
    end do
    u = v
  end do
  print '(f20.12)', sum(u)
end program
"""
SAMPLED_PYTHON = sys.executable


@dataclass(frozen=True)
class Program:
    """A program: the commands that it needs, what it runs in a folder of its own, files that it is
    made of, and how these are compiled."""

    needs: tuple[str, ...]
    script: str
    files: tuple[tuple[str, str], ...] = ()
    compiled: tuple[str, ...] = ()
    own_user: bool = False


PROGRAMS = {
    "redis": Program(("redis-server",), REDIS),
    "sqlite": Program(("sqlite3",), SQLITE),
    "postgresql": Program(("setpriv",), POSTGRESQL, own_user=True),
    "numpy": Program((), f"OPENBLAS_NUM_THREADS=2 {SAMPLED_PYTHON} fields.py",
                     (("fields.py", NUMPY),)),
    "jvm": Program(("java", "javac"), "java -Xmx64m -cp . Sums", (("Sums.java", JAVA),),
                   ("javac", "Sums.java")),
    "node": Program(("node",), "node workers.js a b", (("workers.js", NODE),)),
    "open mpi": Program(
        ("mpirun.openmpi", "mpicc.openmpi"),
        "TMPDIR=$PWD mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none "
        "-n 2 ./ranks",
        (("ranks.c", MPI),), ("mpicc.openmpi", "-O1", "ranks.c", "-o", "ranks")),
    "charm4py": Program((), f"{SAMPLED_PYTHON} -m charmrun.start +p2 parts.py 2>&1 | grep '^\\['",
                        (("parts.py", CHARM),)),
    "gcc": Program(("g++",), "g++ -O1 all.cpp -o all && ./all; echo $?; cksum < all",
                   (("all.cpp", COMPILED),)),
    "fortran": Program(("gfortran",), "OMP_NUM_THREADS=4 ./heat", (("heat.f90", FORTRAN),),
                       ("gfortran", "-O2", "-fopenmp", "heat.f90", "-o", "heat")),
}  # fmt: skip

# Node protects the code that it makes by keys of its own, from version 20 on.
OWN_KEYS = {"node": {"it uses protection keys itself"}}


def postgres_folder() -> Path:
    """That of PostgreSQL's programs."""
    found = sorted(POSTGRES.glob("*/bin"), key=lambda path: int(path.parent.name))
    if not found:
        pytest.skip("PostgreSQL is not installed")
    return found[-1]


def as_nobody(line: str) -> str:
    return f"setpriv --reuid=65534 --regid=65534 --clear-groups sh -c {shlex.quote(line)}"


def prepared(program: Program, folder: Path) -> str:
    """Writes and compiles what it consists of; its script."""
    for command in program.needs:
        if not shutil.which(command):
            pytest.skip(f"{command} is not installed")
    if "charmrun" in program.script:
        pytest.importorskip("charmrun")
    for name, content in program.files:
        (folder / name).write_text(content)
    if program.compiled:
        subprocess.run(program.compiled, cwd=folder, check=True)
    if not program.own_user:
        return program.script
    own = postgres_folder()
    # Not below pytest's folders, which are root's own.
    data = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True).stdout.strip())
    os.chown(data, 65534, 65534)
    line = f"{own}/initdb -D {data}/data -A trust -N -E UTF8 --locale=C >/dev/null"
    subprocess.run(["sh", "-c", as_nobody(line)], check=True, cwd="/")
    shutil.copytree(data / "data", folder / "data")
    shutil.rmtree(data)
    return program.script.format(data="data", bin=own)


def in_folder(script: str, files: Path, program: Program, sampler: str = "") -> str:
    """A line that runs the script in a fresh copy of the folder, in memory."""
    run = f"{sampler}sh script"
    if program.own_user:
        # What samples from within writes to the file as the program's user.
        within = "--with pkeys" in sampler
        run = as_nobody(run) if within else sampler + as_nobody("sh script")
        run = f"chown -R 65534:65534 . && {run}"
    (files / "script").write_text(script)
    return (
        f"rm -rf /dev/shm/run && cp -r {files} /dev/shm/run && cd /dev/shm/run && "
        f"chmod 755 . && {run}"
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def guest(results: Path) -> Iterator[Lab]:
    with lab_or_skip("tiny-2x2", results, timing=False, node_memory_mib=1024) as lab:
        yield lab


def ran(lab: Lab, line: str) -> tuple[int, str, str]:
    result = lab.run(["sh", "-c", line], timeout_s=LONGEST_S, cwd="/")
    return result.status, result.stdout.decode(), result.stderr.decode()


def sampler_line(source: str, output: str) -> str:
    """The words before a program that is sampled."""
    return f"homenode sample --with {source} --overhead 50% --output {output} -- "


BEFORE: dict[str, tuple[int, str]] = {}


@pytest.mark.lab
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_the_same_in_the_lab(
    name: str, source: str, guest: Lab, results: Path
) -> None:
    program, files = PROGRAMS[name], results / name.replace(" ", "-")
    if not files.exists():
        files.mkdir()
        script = prepared(program, files)
        status, out, err = ran(guest, in_folder(script, files, program))
        assert status == 0 and out, err
        BEFORE[name] = status, out
    if name not in BEFORE:
        pytest.skip("it does not run here without a sampler")
    script = (files / "script").read_text()
    line = in_folder(script, files, program, sampler_line(source, "/dev/shm/run/samples"))
    kept = results / f"{files.name}-{source}"
    status, out, err = ran(
        guest, f"{line}; status=$?; cp /dev/shm/run/samples {kept}; exit $status"
    )
    recording = read_recording(kept)
    assert recording.end is not None and recording.cut == ""
    refused = {one["refused"] for one in recording.of("pkeys") if "refused" in one}
    assert refused <= OWN_KEYS.get(name, set()), err
    status_before, out_before = BEFORE[name]
    assert (status, out) == (125 if refused else status_before, out_before), err
    print(name, source, f"{recording.end['samples']} samples", *sorted(refused), sep=", ")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_the_same_here(name: str, tmp_path: Path) -> None:
    program, files = PROGRAMS[name], tmp_path / "files"
    files.mkdir()
    script = prepared(program, files)
    found = []
    for sampler in ("", sampler_line("sched", "/dev/shm/run/samples")):
        line = in_folder(script, files, program, sampler)
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd="/")
        found.append((done.returncode, done.stdout))
        assert done.returncode == 0 and done.stdout, done.stderr
    assert found[0] == found[1]
