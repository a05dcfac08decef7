"""`homenode run` beside numactl: its test suite, and command lines that both are given."""
