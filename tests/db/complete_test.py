"""Compiles incomplete/leaving.cpp: what is complete may leave a transaction's body, and each of the others is refused
with a message that says why (SEMANTICS 105).

Usage: complete_test.py BUILD_DIR SOURCE"""
import json
import pathlib
import re
import shlex
import subprocess
import sys

build, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
REASON = re.compile(r"error: static.?assert.*(?:only complete values leave a transaction|complete values: no)")


def compiler():
    """How this build compiles the tests of rows, without the file and what becomes of it."""
    commands = json.loads((build / "compile_commands.json").read_text())
    command = next(one["command"] for one in commands if one["output"].startswith("tests/db_rows.p/"))
    words, kept = iter(shlex.split(command)), []
    for word in words:
        if word in ("-o", "-MF", "-MQ", "-c"):
            next(words)
        elif word not in ("-MD", "ccache"):
            kept.append(word)
    is_clang = "clang" in kept[0]
    plain = ["-fno-color-diagnostics", "-ferror-limit=0"] if is_clang else ["-fdiagnostics-color=never"]
    return kept + ["-fsyntax-only", *plain]


def compile_it(*more):
    return subprocess.run([*compiler(), *more, str(source)], cwd=build, capture_output=True, text=True)


def complete_values_leave():
    done = compile_it()
    assert done.returncode == 0, done.stderr


def everything_else_is_refused_with_a_reason():
    lines = [n for n, line in enumerate(source.read_text().splitlines(), 1) if line.endswith("// refused")]
    assert len(lines) >= 12
    done = compile_it("-DREFUSED", "-Wno-error")
    assert done.returncode != 0
    for n in lines:
        assert f"{source.name}:{n}:" in done.stderr, f"line {n} is not refused"
    reasons = len(REASON.findall(done.stderr))
    print(f"{len(lines)} lines, {reasons} reasons given")
    assert reasons >= len(lines), done.stderr


failed = 0
for test in (complete_values_leave, everything_else_is_refused_with_a_reason):
    try:
        test()
    except AssertionError as failure:
        failed += 1
        print(f"{test.__name__}: FAILED\n{failure}")
print(f"{2 - failed} passed, {failed} failed")
sys.exit(failed > 0)
