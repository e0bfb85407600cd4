#!/usr/bin/env python3
"""Prints the public headers as they are included, one a line: heddle/fiber/scope.hpp

Usage: public_headers.py ROOT
"""
import pathlib
import sys

for top in ("runtime/include", "db/include"):
    folder = pathlib.Path(sys.argv[1]) / top
    for path in sorted(folder.rglob("*.hpp")):
        print(path.relative_to(folder))
