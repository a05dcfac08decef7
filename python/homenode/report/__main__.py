"""`python3 -m homenode.report`: the command homenode-report."""

import sys

from homenode.command import report

if __name__ == "__main__":
    sys.exit(report())
