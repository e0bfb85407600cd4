#!/usr/bin/env python3
"""Writes copies of the Boost.Fiber headers that free a counted object behind an acquire fence, with an acquire load
in the fence's place. The thread sanitizer does not model fences and would report each such release as a race.

Usage: replace_fences.py HEADER_DIR OUTPUT_DIR
"""
import pathlib
import re
import sys

HEADERS = ["algo/algorithm.hpp", "context.hpp", "detail/fss.hpp", "future/detail/shared_state.hpp"]
FENCE = re.compile(
    r"(1 == (\w+)->use_count_\.fetch_sub\( *1, *std::memory_order_release *\) *\) *\{\s*)"
    r"std::atomic_thread_fence\( *std::memory_order_acquire *\);")


def main(header_dir, output_dir):
    for name in HEADERS:
        relative = pathlib.Path("boost/fiber") / name
        text = (pathlib.Path(header_dir) / relative).read_text()
        text, count = FENCE.subn(r"\1(void)\2->use_count_.load(std::memory_order_acquire);", text)
        if count == 0:
            sys.exit(f"{relative}: the fence was not found: this Boost is newer than the script")
        target = pathlib.Path(output_dir) / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text() != text:
            target.write_text(text)


main(*sys.argv[1:])
