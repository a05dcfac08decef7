"""What holds for every test."""

import shlex
import signal
from pathlib import Path

import pytest

# Files whose tests take the most time, which ./dev test --quick leaves to ./dev test.
SLOW = {
    "agent/test_agent_refusals.py",
    "bench/test_bench_npb.py",
    "capi/test_examples.py",
    "heap/test_correct.py",
    "heap/test_misuse.py",
    "heap/test_preloaded_programs.py",
    "lab/test_lab_boot.py",
    "lab/test_lab_machine_fuzz.py",
    "lab/test_lab_new.py",
    "lab/test_lab_preload.py",
    "report/test_odd_records.py",
    "study/test_session.py",
    "test_refused_calls.py",
}
HERE = Path(__file__).parent
if missing := [name for name in SLOW if not (HERE / name).is_file()]:
    raise pytest.UsageError(f"SLOW in {__file__} names files that are not there: {missing}")

# What a shell starts in the background inherits interrupts as ignored, and so would the programs
# that tests interrupt.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, default)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of slow files."""
    for item in items:
        if item.path.relative_to(HERE).as_posix() in SLOW:
            item.add_marker(pytest.mark.slow)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Ends with the command that repeats each failed test alone."""
    stats = terminalreporter.stats
    failed = [*stats.get("failed", []), *stats.get("error", [])]
    for node in dict.fromkeys(report.nodeid for report in failed if report.nodeid):
        terminalreporter.write_line(f"repeat it: ./dev test --only {shlex.quote(node)}")
