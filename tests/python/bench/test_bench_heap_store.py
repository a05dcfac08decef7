"""bench/heap/store.py: results outlive an interruption and are not mixed with others."""

from pathlib import Path

import pytest
from heap.allocators import libraries
from heap.store import MismatchError, Run, Store, read, rounds

HEAD: dict[str, object] = {"version": 1, "percent": 100, "seed": 1}


def test_an_interrupted_comparison_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "results" / "raw.jsonl"
    first = Store(path, HEAD)
    first.add(Run("churn-1", "1 thread", "glibc", 0, user_s=1.0, system_s=0.5, peak_kib=9))
    first.close()
    with path.open("a") as file:
        file.write('{"benchmark": "churn-1", "gro')  # Cut off in the middle.
    again = Store(path, HEAD)
    assert again.done("churn-1", "glibc", 0)
    assert not again.done("churn-1", "glibc", 1)
    assert not again.done("churn-1", "other", 0)
    again.add(Run("churn-1", "1 thread", "glibc", 1, user_s=2.0))
    again.close()
    assert [run.cpu_s for run in read(path)[1]] == [1.5, 2.0]


def test_what_failed_once_is_not_run_again_and_has_no_figure(tmp_path: Path) -> None:
    store = Store(tmp_path / "raw.jsonl", HEAD)
    store.add(Run("churn-1", "1 thread", "glibc", 0, user_s=1.0))
    store.add(Run("churn-1", "1 thread", "other", 0, user_s=1.0))
    store.add(Run("churn-1", "1 thread", "other", 1, failed="it fell over"))
    store.close()
    assert store.done("churn-1", "other", 4)
    assert rounds(store.runs, "cpu_s") == {"churn-1": {"glibc": [1.0]}}


def test_figures_come_in_the_order_of_the_rounds() -> None:
    runs = [Run("x", "g", "a", round_, peak_kib=10 * round_) for round_ in (2, 0, 1)]
    assert rounds(runs, "peak_kib") == {"x": {"a": [0.0, 10.0, 20.0]}}


@pytest.mark.parametrize("text", ["{}\n", "[]\n", "no json\n", '{"version": 1}\n{"x": 1}\n'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "raw.jsonl"
    path.write_text(text)
    with pytest.raises(MismatchError, match="no file of these results"):
        Store(path, HEAD)


def test_results_of_other_settings_are_refused(tmp_path: Path) -> None:
    Store(tmp_path / "raw.jsonl", HEAD).close()
    with pytest.raises(MismatchError, match="another percent: choose another --raw"):
        Store(tmp_path / "raw.jsonl", {**HEAD, "percent": 50})


def test_a_library_is_found_where_the_linker_has_it() -> None:
    cache = "\n".join(
        (
            "2 libs found in cache `/etc/ld.so.cache'",
            "\tlibx.so.2 (libc6,x86-64) => /lib/x86_64-linux-gnu/libx.so.2",
            "\tlibx.so.2 (libc6) => /lib/i386-linux-gnu/libx.so.2",
        )
    )
    assert libraries(cache) == {"libx.so.2": "/lib/x86_64-linux-gnu/libx.so.2"}
