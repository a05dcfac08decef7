"""Entry point of `homenode study`."""

import sys

from homenode.study.cli import main

if __name__ == "__main__":
    sys.exit(main())
