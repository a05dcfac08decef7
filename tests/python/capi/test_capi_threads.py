"""Python's threads on CPUs."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

import homenode
from homenode import threads


def test_a_thread_is_bound_alone() -> None:
    before = threads.cpus()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(threads.bind, str(before[-1])).result()
        assert pool.submit(threads.cpus).result() == [before[-1]]
        cpu, node = pool.submit(threads.where).result()
        assert cpu == before[-1]
        assert str(node) in {str(n["id"]) for n in homenode.machine()["nodes"]}
    assert threads.cpus() == before


def test_a_pool_takes_the_ranks_in_order() -> None:
    cpus = [threads.cpus()[-1], threads.cpus()[0]]
    thread_map = ",".join(map(str, cpus))
    together = Barrier(4)

    def own_cpus() -> int:
        together.wait()  # Each thread answers once.
        return threads.cpus()[0]

    with ThreadPoolExecutor(4, initializer=threads.in_order(thread_map)) as pool:
        answers = [pool.submit(own_cpus) for _ in range(4)]
        assert sorted(a.result() for a in answers) == sorted(cpus * 2)


def test_policies_are_taken_and_the_rest_refused() -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(threads.place, "local").result()
        pool.submit(threads.place, "default").result()
    for rule in ("cyclic", "nonsense", ""):
        with pytest.raises(homenode.HomenodeError, match=r"^[^\n]+$"):
            threads.place(rule)


def test_errors_are_one_line() -> None:
    for cpus in ("", "x", "65000"):
        with pytest.raises(homenode.HomenodeError, match=r"^[^\n]+$"):
            threads.bind(cpus)
        with pytest.raises(homenode.HomenodeError, match=r"^[^\n]+$"):
            threads.bind_rank(cpus, 0)
    with pytest.raises(ValueError, match="rank"):
        threads.bind_rank("0", -1)
