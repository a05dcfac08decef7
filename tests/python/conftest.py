"""What holds for every test."""

import shlex
import signal

import pytest

# What a shell starts in the background inherits interrupts as ignored, and so would the programs
# that tests interrupt.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, default)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Ends with the command that repeats each failed test alone."""
    stats = terminalreporter.stats
    failed = [*stats.get("failed", []), *stats.get("error", [])]
    for node in dict.fromkeys(report.nodeid for report in failed if report.nodeid):
        terminalreporter.write_line(f"repeat it: ./dev test --only {shlex.quote(node)}")
