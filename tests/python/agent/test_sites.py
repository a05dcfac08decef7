"""Which allocation, static variable or stack the memory of real programs belongs to, by what the
agent has recorded in them."""

import shutil
import subprocess
from pathlib import Path

import pytest
import sampled_program
from sampled_program import Sampled, build, finish, sample

SOLVER = r"""
#include "note.h"
double grid[40000];
static int counters[5000];
const double table[3000] = {1, 2, 3};
double* solve(size_t n) {
  double* const field = malloc(n * sizeof *field);
  note("solve", field, n * sizeof *field);
  return field;
}
double* guess(size_t n) { return calloc(n, sizeof(double)); }
double* both(size_t n) { return guess(n); }
int main(void) {
  double* const a = solve(100000);
  double* const b = both(50000);
  note("guess", b, 50000 * sizeof *b);
  double* other = guess(60000);
  note("other guess", other, 60000 * sizeof *other);
  other = realloc(other, 2000000);
  note("grown", other, 2000000);
  note("solve", a, 100000 * sizeof *a);
  char* const page = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  note("mapped", page, 1 << 20);
  munmap(page + (1 << 18), 1 << 18);
  note("mapped", page, 1 << 18);
  note("mapped", page + (1 << 19), 1 << 19);
  void* aligned = 0;
  if (posix_memalign(&aligned, 1 << 16, 1 << 17) != 0) return 1;
  note("aligned", aligned, 1 << 17);
  char here[3000];
  note("main stack", here, sizeof here);
  note("small", malloc(24), 24);
  note("grid", grid, sizeof grid);
  note("counters", counters, sizeof counters);
  note("table", table, sizeof table);
  note_mappings();
  printf("%p %p\n", (void*)a, (void*)b);
  return 0;
}
"""
EXPECTED = {
    "solve": ("allocation", "solve() at solver.c:7"),
    "guess": ("allocation", "guess() at solver.c:11"),
    "other guess": ("allocation", "guess() at solver.c:11"),
    "grown": ("allocation", "main() at solver.c:19"),
    "mapped": ("allocation", "main() at solver.c:22"),
    "aligned": ("allocation", "main() at solver.c:28"),
    "main stack": ("stack", "stack of the main thread"),
    "small": ("heap", "[heap]"),
    "grid": ("static data", "grid"),
    "counters": ("static data", "counters"),
    "table": ("static data", "table"),
}


def check(run: Sampled, expected: dict[str, tuple[str, str]]) -> None:
    assert {name: run.of(name) for name in expected} == {
        name: {object_} for name, object_ in expected.items()
    }
    assert run.found.share >= 0.99


@pytest.mark.parametrize(
    "options",
    [
        ("-pie", "-fPIE"),
        ("-no-pie", "-fno-pie"),
        ("-fomit-frame-pointer", "-O2"),
        ("-fno-omit-frame-pointer",),
    ],
    ids=["pie", "no-pie", "no frame pointers", "frame pointers"],
)
def test_each_address_belongs_to_what_the_program_says(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    check(sample(build(tmp_path, "solver.c", SOLVER, *options), tmp_path), EXPECTED)


def test_the_stacks_of_one_line_differ_by_who_called_it(tmp_path: Path) -> None:
    run = sample(build(tmp_path, "solver.c", SOLVER, "-no-pie"), tmp_path)
    stacks = {item.source for item in run.found.objects if item.name == "guess() at solver.c:11"}
    assert len(stacks) == 2
    assert any(stack[1] == "both() at solver.c:12" for stack in stacks)


def test_stripped_programs_have_places_instead_of_names(tmp_path: Path) -> None:
    program = build(tmp_path, "solver.c", SOLVER)
    subprocess.run(["strip", "--strip-all", program], check=True)
    run = sample(program, tmp_path)
    assert run.found.share >= 0.99
    ((kind, name),) = run.of("solve")
    assert kind == "allocation"
    assert name.startswith("solver+0x")
    assert run.of("grid") == {("static data", "static data of solver")}


REUSED = r"""
#include "note.h"
double* first(void) { return malloc(1 << 16); }
double* second(void) { return malloc(1 << 16); }
int main(void) {
  for (int i = 0; i < 200; ++i) {
    double* const a = first();
    note("first", a, 1 << 16);
    free(a);
    double* const b = second();
    note("second", b, 1 << 16);
    if (b != a) return 1;
    free(b);
  }
  note_mappings();
}
"""


def test_an_address_belongs_to_whom_it_is_given_at_the_time(tmp_path: Path) -> None:
    run = sample(build(tmp_path, "reused.c", REUSED), tmp_path)
    check(
        run,
        {
            "first": ("allocation", "first() at reused.c:3"),
            "second": ("allocation", "second() at reused.c:4"),
        },
    )
    objects = {item.name: item for item in run.found.objects}
    assert len(objects["first() at reused.c:3"].instances) == 200


LOOP = r"""
#include "note.h"
int main(void) {
  for (int i = 0; i < 100000; ++i) {
    char* const a = malloc(1 << 16);
    if (i % 10000 == 0) note("loop", a, 1 << 16);
    free(a);
  }
}
"""


def test_a_loop_that_frees_and_allocates_again_needs_no_space(tmp_path: Path) -> None:
    run = sample(build(tmp_path, "loop.c", LOOP), tmp_path)
    check(run, {"loop": ("allocation", "main() at loop.c:5")})
    assert len(run.recording.events) < 100


THREADS = r"""
#include <pthread.h>
#include "note.h"
char* blocks[4];
void* work(void* number) {
  char here[3000];
  memset(here, 1, sizeof here);
  note("stack of a thread", here, sizeof here);
  for (int i = 0; i < 200; ++i) {
    char* const block = malloc(5000 + i * 64);
    note("of a thread", block, 5000 + i * 64);
    free(block);
  }
  note("small of a thread", malloc(40), 40);
  blocks[(size_t)number] = malloc(1 << 20);
  if (number == (void*)3) note_mappings();
  return number;
}
int main(void) {
  pthread_t threads[4];
  for (size_t i = 0; i < 4; ++i) {
    pthread_create(&threads[i], 0, work, (void*)i);
    if (i != 3) pthread_join(threads[i], 0);
  }
  pthread_join(threads[3], 0);
  for (int i = 0; i < 4; ++i) note("kept", blocks[i], 1 << 20);
}
"""


def test_threads_have_stacks_and_allocations_of_their_own(tmp_path: Path) -> None:
    run = sample(build(tmp_path, "threads.c", THREADS), tmp_path)
    check(
        run,
        {
            "of a thread": ("allocation", "work() at threads.c:10"),
            "kept": ("allocation", "work() at threads.c:15"),
            "small of a thread": ("heap", "heap of threads"),
        },
    )
    assert {kind for kind, _ in run.of("stack of a thread")} == {"stack"}


FORKS = r"""
#include "note.h"
char* before(void) { return malloc(1 << 20); }
char* within(void) { return malloc(1 << 20); }
int main(int count, char** arguments) {
  if (count > 1) {
    char* const a = within();
    note("executed", a, 1 << 20);
    note_mappings();
    return 0;
  }
  char* const a = before();
  char* const gone = before();
  free(gone);
  if (fork() == 0) {
    note("inherited", a, 1 << 20);
    char* const b = within();
    note("of the child", b, 1 << 20);
    free(a);
    if (fork() == 0) {
      note("of the child", b, 1 << 20);
      execl(arguments[0], arguments[0], "again", (char*)0);
    }
    wait(0);
    _exit(0);
  }
  wait(0);
  note("inherited", a, 1 << 20);
  note_mappings();
}
"""


def test_children_begin_with_what_their_parent_has_and_go_on_alone(tmp_path: Path) -> None:
    run = sample(build(tmp_path, "forks.c", FORKS), tmp_path)
    check(
        run,
        {
            "inherited": ("allocation", "before() at forks.c:3"),
            "of the child": ("allocation", "within() at forks.c:4"),
            "executed": ("allocation", "within() at forks.c:4"),
        },
    )
    assert len({item.pid for item in run.found.objects}) == 3


CLASSES = r"""
#include <memory>
#include <vector>
#include "note.h"
namespace physics {
int steps[5000];
struct Field {
  explicit Field(std::size_t n) : values(new double[n]) { note("array", values, n * 8); }
  double* values;
};
template <class T>
std::vector<T> zeros(std::size_t n) {
  std::vector<T> values(n);
  note("vector", values.data(), n * sizeof(T));
  return values;
}
}
int main() {
  physics::Field field(100000);
  const auto values = physics::zeros<float>(100000);
  note("steps", physics::steps, sizeof physics::steps);
  note_mappings();
  delete[] field.values;
}
"""


def test_cpp_names_are_written_as_in_the_source(tmp_path: Path) -> None:
    run = sample(build(tmp_path, "classes.cpp", CLASSES), tmp_path)
    ((_, array),) = run.of("array")
    assert array == "physics::Field::Field(unsigned long) at classes.cpp:8"
    ((_, vector),) = run.of("vector")
    assert "physics::zeros<float>(unsigned long) at classes.cpp:13" in vector
    assert run.of("steps") == {("static data", "physics::steps")}
    assert run.found.share >= 0.99


FORTRAN = r"""
module fields
  double precision :: fixed(20000)
end module
subroutine solve(n)
  use fields
  integer, intent(in) :: n
  double precision, allocatable :: field(:)
  interface
    subroutine say(name, memory, bytes) bind(c)
      use iso_c_binding
      character(kind=c_char), intent(in) :: name(*)
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes
    end subroutine
  end interface
  allocate(field(n))
  call say("field" // char(0), field, int(n, 8) * 8)
  call say("fixed" // char(0), fixed, 160000_8)
  deallocate(field)
end subroutine
program main
  call solve(100000)
end program
"""
SAY = r"""
#include "note.h"
void say(const char* name, const void* memory, size_t bytes) {
  note(name, memory, bytes);
  note_mappings();
}
"""


@pytest.mark.skipif(not shutil.which("gfortran"), reason="gfortran is not installed")
def test_fortran_arrays_are_found(tmp_path: Path) -> None:
    (tmp_path / "note.h").write_text(sampled_program.HEADER)
    (tmp_path / "say.c").write_text(SAY)
    subprocess.run(
        ["gcc", "-c", "-I", tmp_path, tmp_path / "say.c", "-o", tmp_path / "say.o"], check=True
    )
    program = build(tmp_path, "physics.f90", FORTRAN, str(tmp_path / "say.o"))
    check(
        sample(program, tmp_path),
        {
            "field": ("allocation", "solve() at physics.f90:17"),
            "fixed": ("static data", "fields::fixed"),
        },
    )


def test_a_killed_program_has_told_of_what_it_had(tmp_path: Path) -> None:
    source = SOLVER.replace("return 0;", "fflush(stdout); raise(9);").replace(
        '#include "note.h"', '#include "note.h"\n#include <signal.h>', 1
    )
    program = build(tmp_path, "solver.c", source, "-no-pie")
    file = tmp_path / "samples"
    done = subprocess.run(
        [program], env=sampled_program.environment(file), capture_output=True, text=True
    )
    assert done.returncode == -9
    run = finish(file, done.stdout)
    assert run.found.share >= 0.99
    assert run.of("mapped") == {("allocation", "main() at solver.c:23")}
