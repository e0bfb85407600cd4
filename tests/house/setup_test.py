#!/usr/bin/env python3
"""tools/setup beside a made-up package manager: what it asks for, what it never asks for, and that it asks once.

Usage: setup_test.py ROOT
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1])

# They keep in $FAKE: `installed`, a package a line; `asked`, apt-get's arguments; `conflict`, if Boost's packages do.
FAKES = {
    "apt-get": """
        echo "$*" >>"$FAKE/asked"
        command=$1
        shift
        case $command in
            install)
                [[ $* != *libboost* ]] || [ ! -f "$FAKE/conflict" ] || exit 100
                [[ " $* " == *" -s "* ]] || printf '%s\\n' "$@" | grep -v '^-' >>"$FAKE/installed" ;;
            download) printf '%s.deb\\n' "${@:2}" | xargs touch ;;
        esac""",
    "dpkg": 'mkdir -p "$3/usr/lib/here" "$3/usr/include" && touch "$3/usr/lib/here/libboost_fiber.a"',
    "dpkg-query": 'touch "$FAKE/installed"; sed "s/^/installed /" "$FAKE/installed"',
    "sudo": 'exec env "$@"',
}


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fake, self.clone = pathlib.Path(folder.name) / "fake", pathlib.Path(folder.name) / "clone"
        self.fake.mkdir()
        for name, body in FAKES.items():
            (self.fake / name).write_text("#!/bin/bash\n" + body + "\n")
            (self.fake / name).chmod(0o755)
        (self.clone / "tools").mkdir(parents=True)
        shutil.copy(ROOT / "tools/setup", self.clone / "tools/setup")

    def asks(self):
        """apt-get's arguments in one run of tools/setup."""
        asked = self.fake / "asked"
        asked.write_text("")
        environment = os.environ | {"PATH": f"{self.fake}:{os.environ['PATH']}", "FAKE": str(self.fake)}
        done = subprocess.run([self.clone / "tools/setup", "run"], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        return [line.split() for line in asked.read_text().splitlines()]

    def test_installs_what_is_missing_and_removes_nothing(self):
        asked = self.asks()
        self.assertEqual({one[0] for one in asked}, {"update", "install"})
        for one in asked:
            self.assertTrue(one[0] == "update" or "--no-remove" in one, one)
        installed = (self.fake / "installed").read_text().split()
        self.assertIn("libsqlite3-dev", installed)
        self.assertTrue(any(one.startswith("libboost-fiber") for one in installed), installed)

    def test_asks_nothing_when_nothing_is_missing(self):
        self.asks()
        self.assertEqual(self.asks(), [])

    def test_unpacks_boost_beside_an_older_one_once(self):
        (self.fake / "conflict").touch()
        asked = self.asks()
        self.assertEqual({one[0] for one in asked}, {"update", "install", "download"})
        self.assertNotIn("libboost", (self.fake / "installed").read_text())
        native = (self.clone / "build/boost.native").read_text()
        self.assertIn(f"boost_librarydir = '{self.clone}/build/prefix/usr/lib/here'", native)
        self.assertEqual(self.asks(), [])


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad else 0)
