"""Texts of programs that tests run as they are and watched: both must do the same."""

# A table of 20,000 rows, between other statements.
SQL_TABLE = """create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000)
insert into t select x, hex(zeroblob(x % 50)) from c;"""


def numpy_program(order: int, rounds: int, child: str = "") -> str:
    """Four threads of Python multiply matrices of `order` with numpy; then come two forked
    processes, after `child`, a command of the shell, if there is one."""
    run = f"subprocess.run(['sh', '-c', {child!r}], capture_output=True)"
    return f"""
import multiprocessing, threading
import numpy
def work(rank):
    field = numpy.ones(({order}, {order})) * rank
    for _ in range({rounds}):
        field = field @ field / field.max()
    found[rank] = float(field.sum())
found = {{}}
if __name__ == "__main__":
    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(1, 5)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    print(sorted(found.items()))
    {f"import subprocess; print({run}.stdout)" if child else ""}
    pool = multiprocessing.get_context("fork").Pool(2)
    print(sum(pool.map(abs, range(-500, 500))))
    pool.close()  # terminate() might kill one that has not begun yet.
    pool.join()
"""
