"""Entry point of `homenode report`."""

import sys

from homenode.report.cli import main

if __name__ == "__main__":
    sys.exit(main())
