"""``python -m cardlab`` is the command ``cardlab``."""

import sys

from cardlab.cli import main

if __name__ == "__main__":
    sys.exit(main())
