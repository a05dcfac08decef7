"""Programs do the same while their allocations are recorded, and the file stays whole."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from program_texts import SQL_TABLE, numpy_program
from sampled_program import build, environment

from homenode.profile.recording import Recording, read_recording

NUMPY = numpy_program(order=300, rounds=10, child="echo $((6 * 7))")
SQL = f"""
{SQL_TABLE}
select count(*), sum(length(b)) from t order by b;
"""
SOURCE = """
#include <map>
#include <string>
#include <vector>
int main() {
  std::map<std::string, std::vector<int>> all;
  for (int i = 0; i < 100; ++i) all[std::to_string(i)].resize(5000);
  return all.size() == 100 ? 0 : 1;
}
"""


def recorded(command: list[str | Path], folder: Path, text: str = "") -> Recording:
    """Runs a command both ways; it must do the same."""
    file = folder / "samples"
    runs = [
        subprocess.run(
            [str(word) for word in command],
            input=text,
            env=variables,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=240,
        )
        for variables in (None, environment(file))
    ]
    assert runs[0].returncode == runs[1].returncode == 0, runs[1].stderr
    assert runs[0].stdout == runs[1].stdout
    assert runs[0].stderr == runs[1].stderr
    recording = read_recording(file)
    assert recording.cut == ""
    return recording


def processes(recording: Recording) -> set[int]:
    return {int(document["pid"]) for document in recording.of("process")}


def test_python_with_numpy_threads_and_children(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(NUMPY)
    recording = recorded([sys.executable, "program.py"], tmp_path)
    assert len(recording.of("sites")) > 10
    assert len(processes(recording)) >= 4
    paths = {module["path"] for item in recording.of("modules") for module in item["modules"]}
    assert any("_multiarray_umath" in path for path in paths)


@pytest.mark.skipif(not shutil.which("sqlite3"), reason="sqlite3 is not installed")
def test_sqlite(tmp_path: Path) -> None:
    recording = recorded(["sqlite3", ":memory:"], tmp_path, SQL)
    assert len(recording.events) > 0


def test_a_compiler_and_its_children(tmp_path: Path) -> None:
    (tmp_path / "all.cpp").write_text(SOURCE)
    recording = recorded(["g++", "-O1", "all.cpp", "-o", "all"], tmp_path)
    assert len(processes(recording)) >= 4  # cc1plus, as, collect2, ld …
    assert subprocess.run([tmp_path / "all"]).returncode == 0


@pytest.mark.skipif(not shutil.which("redis-server"), reason="redis is not installed")
def test_redis(tmp_path: Path) -> None:
    script = (
        "redis-server --port 0 --unixsocket s --save '' --daemonize no >/dev/null & server=$!; "
        "until redis-cli -s s ping >/dev/null 2>&1; do :; done; "
        "redis-benchmark -s s -n 20000 -q -t set,get >/dev/null; "
        "redis-cli -s s dbsize; redis-cli -s s shutdown nosave; wait $server"
    )
    assert len(recorded(["sh", "-c", script], tmp_path).events) > 0


@pytest.mark.slow
@pytest.mark.parametrize("command", [["java", "-Xmx64m", "-version"], ["node", "-e", "print = 1"]])
def test_runtimes_that_make_code(tmp_path: Path, command: list[str]) -> None:
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    assert len(recorded(list(command), tmp_path).events) > 0


# Signal handlers that map memory, threads that come and go with data of their own, forks from
# threads, all while large memory is allocated: nothing is lost in waiting for each other.
STRESS = r"""
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include "note.h"
static pthread_key_t key;
static volatile int mapped;
static void last(void* memory) { free(memory); free(malloc(9000)); }
static void on_time(int signal) {
  char* const page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  page[0] = signal;
  munmap(page, 8192);
  ++mapped;
}
static void* work(void* number) {
  pthread_setspecific(key, malloc(20000));
  for (int i = 0; i < 3000; ++i) {
    char* block = malloc(4096 + (i * 37) % 50000);
    block[0] = i;
    block = realloc(block, 4096 + (i * 91) % 90000);
    free(block);
  }
  return number;
}
static void* forks(void* number) {
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      free(malloc(100000));
      _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0) abort();
  }
  return number;
}
int main(void) {
  pthread_key_create(&key, last);
  struct sigaction action = {.sa_handler = on_time, .sa_flags = SA_RESTART};
  sigaction(SIGPROF, &action, 0);
  const struct itimerval often = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_PROF, &often, 0);
  for (int round = 0; round < 5 || mapped < 3; ++round) {
    pthread_t threads[5];
    for (size_t i = 0; i < 5; ++i) pthread_create(&threads[i], 0, i ? work : forks, (void*)i);
    for (size_t i = 0; i < 5; ++i) pthread_join(threads[i], 0);
  }
  puts("done");
}
"""


def test_signals_threads_and_forks_while_memory_is_allocated(tmp_path: Path) -> None:
    program = build(tmp_path, "stress.c", STRESS, "-O2", "-fomit-frame-pointer")
    recording = recorded([program], tmp_path)
    assert len(processes(recording)) >= 101
    assert len(recording.events) > 1000


SANITIZED = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char** words) {
  char* memory = 0;
  for (int i = 0; i < 50; ++i) {
    memory = malloc(100000);
    memset(memory, i, 100000);
    free(memory);
  }
  puts("done");
  fflush(stdout);
  return count > 1 ? memory[5] : 0;
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_programs_with_address_sanitizer_run_and_are_checked(tmp_path: Path, compiler: str) -> None:
    (tmp_path / "sanitized.c").write_text(SANITIZED)
    program = tmp_path / "sanitized"
    words = [compiler, "-fsanitize=address", str(program) + ".c", "-o", str(program)]
    if not shutil.which(compiler) or subprocess.run(words, capture_output=True).returncode != 0:
        pytest.skip(f"{compiler} has no AddressSanitizer here")
    sample = ["homenode", "sample", "--with", "sched", "--output", str(tmp_path / "samples"), "--"]
    done = subprocess.run([*sample, str(program)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    caught = subprocess.run([*sample, str(program), "bad"], capture_output=True, text=True)
    assert caught.returncode != 0
    assert "heap-use-after-free" in caught.stderr


LOOKS_UP = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
__attribute__((constructor)) static void first(void) { dlsym(RTLD_DEFAULT, "no_such_name"); }
"""


def test_a_name_that_was_not_found_before_the_first_free_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "looks_up.c").write_text(LOOKS_UP)
    library = tmp_path / "looks_up.so"
    words = ["gcc", "-shared", "-fPIC", "-o", str(library), str(tmp_path / "looks_up.c")]
    subprocess.run(words, check=True)
    variables = environment(tmp_path / "samples")
    variables["LD_PRELOAD"] += f":{library}"  # The last one begins first.
    done = subprocess.run(["echo", "hello"], env=variables, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "hello\n", "")


CLOSES = r"""
#include "note.h"
int main(void) {
  for (int file = 3; file < 1024; ++file) close(file);
  FILE* const own = fopen("own", "w");
  for (int file = 490; file < 520; ++file) dup2(fileno(own), file);
  for (int i = 0; i < 400; ++i) memset(malloc(100000 + i), 1, 100);
  fprintf(own, "own");
  fclose(own);
}
"""


def test_a_program_that_closes_all_files_keeps_its_own(tmp_path: Path) -> None:
    recording = recorded([build(tmp_path, "closes.c", CLOSES)], tmp_path)
    assert (tmp_path / "own").read_text() == "own"
    assert len(recording.events) >= 400


def test_a_file_that_is_none_is_told_of_once_and_the_program_runs(tmp_path: Path) -> None:
    variables = environment(tmp_path / "samples")
    (tmp_path / "samples").write_text("something else")
    done = subprocess.run(["true"], env=variables, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert "HOMENODE_SAMPLE" in done.stderr
    assert (tmp_path / "samples").read_text() == "something else"


def test_a_full_disk_costs_blocks_and_nothing_else(tmp_path: Path) -> None:
    program = build(tmp_path, "closes.c", CLOSES)
    file = tmp_path / "samples"
    variables = environment(file)
    limited = f"ulimit -f 8; exec {program}"
    done = subprocess.run(["bash", "-c", limited], env=variables, cwd=tmp_path)
    assert done.returncode == 0
    assert read_recording(file).cut == ""
    assert file.stat().st_size <= 8192
