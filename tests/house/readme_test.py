#!/usr/bin/env python3
"""What the README shows of a file is in that file: each indented block under a line that ends in "from `FILE`:".

Usage: readme_test.py ROOT
"""
import pathlib
import re
import sys
import textwrap

SHOWN = re.compile(r"from `([^`\s]+)`:\n\n((?: {4}.*\n|\n)+)")


def main(root):
    wrong = 0
    shown = SHOWN.findall((root / "README.md").read_text())
    for name, block in shown:
        if textwrap.dedent(block).strip("\n") not in (root / name).read_text():
            print(f"README.md shows of {name} what is not there:\n{block}")
            wrong += 1
    print(f"{len(shown) - wrong} passed, {wrong} failed")
    return 1 if wrong or not shown else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
