"""The programs of others that these tests run: where they are, or the package that is missing."""

import os
import shutil
import subprocess
import sys


def program(name, package=None):
    """The path of `name`. Without it the whole test is skipped: tools/setup could not have its package."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if not found:
        skip(f"{name}, of the package {package or name}, is not installed")
    return found


def file_of(package, *places):
    """The first of `places` that exists; skips like program()."""
    for place in places:
        if os.path.exists(place):
            return place
    skip(f"nothing of the package {package} at {' or '.join(places)}")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def said_by(*command, timeout=60, **options):
    """What a command writes to stdout; it must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, timeout=timeout, **options)
    said = f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{said}"
    return done.stdout
