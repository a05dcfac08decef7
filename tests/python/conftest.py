"""What holds for every test."""

import signal

# What a shell starts in the background inherits interrupts as ignored, and so would the programs
# that tests interrupt.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, default)
