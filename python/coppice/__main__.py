# SPDX-License-Identifier: BSD-3-Clause
"""``python -m coppice`` is the command ``coppice``, which comes with the package."""

import os
import sys
from pathlib import Path


def main() -> int:
    program = Path(__file__).parent / "bin" / "coppice"
    if not program.exists():
        print("coppice: error: this build of the package came without the command; the wheel `coppice` contains it", file=sys.stderr)
        return 5
    sys.stdout.flush()
    os.execv(program, ["coppice", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
