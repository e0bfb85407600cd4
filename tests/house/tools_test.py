#!/usr/bin/env python3
"""The tools that judge the others: check-includes finds what is wrong, count-tests counts a crash as a failure.

Usage: tools_test.py ROOT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1])


def check_includes(files):
    """What check-includes says of a tree with these files (path -> text)."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, ROOT / "tools/check-includes", folder], capture_output=True, text=True)
        return done.returncode, done.stdout


def count_tests(*tests):
    """The three numbers for a log with these tests."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as log:
        log.write("".join(json.dumps(test) + "\n" for test in tests))
        log.flush()
        done = subprocess.run([sys.executable, ROOT / "tools/count-tests", log.name], capture_output=True, text=True)
        return done.stdout.strip()


class CheckIncludes(unittest.TestCase):
    def test_accepts_what_lies_below(self):
        code, said = check_includes({"runtime/net/a.cpp": "// A.\n#include <heddle/fiber/scope.hpp>\n"})
        self.assertEqual((code, said), (0, ""))

    def test_refuses_what_lies_above(self):
        code, said = check_includes({"runtime/fiber/a.cpp": '// A.\n#include "http/router.hpp"\n'})
        self.assertEqual((code, said), (1, "runtime/fiber/a.cpp:2: fiber may not include http/router.hpp\n"))

    def test_keeps_db_and_http_apart(self):
        code, _ = check_includes({"db/lane.cpp": "// A.\n#include <heddle/http/message.hpp>\n"})
        self.assertEqual(code, 1)

    def test_lets_one_module_know_both(self):
        both = "// A.\n#pragma once\n#include <heddle/http/message.hpp>\n#include <heddle/db/lane.hpp>\n"
        code, said = check_includes({"db/include/heddle/idempotent/a.hpp": both, "db/idempotent/a.cpp": both})
        self.assertEqual((code, said), (0, ""))
        code, said = check_includes({"db/lane.cpp": "// A.\n#include <heddle/idempotent/a.hpp>\n"})
        self.assertEqual((code, said), (1, "db/lane.cpp:2: db may not include heddle/idempotent/a.hpp\n"))

    def test_keeps_the_outside_in_its_place(self):
        for name in ("boost/fiber/fiber.hpp", "sqlite3.h", "openssl/ssl.h", "boost/beast/http.hpp"):
            code, said = check_includes({"app/main.cpp": f"// A.\n#include <{name}>\n"})
            self.assertEqual(code, 1, name)
            self.assertIn(name, said)

    def test_refuses_boost_fiber_in_a_public_header(self):
        text = "// A.\n#pragma once\n#include <boost/fiber/fiber.hpp>\n"
        code, _ = check_includes({"runtime/include/heddle/fiber/scope.hpp": text})
        self.assertEqual(code, 1)

    def test_wants_a_sentence_first_and_an_issue_for_each_todo(self):
        code, said = check_includes({"app/a.hpp": "#include <vector>\n// TODO\n"})
        self.assertEqual((code, len(said.splitlines())), (1, 3))

    def test_only_warns_of_a_long_file(self):
        code, said = check_includes({"app/a.cpp": "// A.\n" * 301})
        self.assertEqual(code, 0)
        self.assertIn("301 lines", said)


class CountTests(unittest.TestCase):
    REPORT = "Test module \"a\" has {}:\n  5 test cases out of 7 passed\n  1 test case out of 7 skipped\n"

    def test_counts_the_cases_of_a_report(self):
        self.assertEqual(count_tests({"result": "FAIL", "stderr": self.REPORT.format("failed")}), "5 1 1")

    def test_counts_a_finding_after_the_report_as_a_failure(self):
        said = "  3 test cases out of 3 passed\n"
        self.assertEqual(count_tests({"result": "FAIL", "stderr": said}), "3 1 0")

    def test_counts_a_crash_as_one_failure(self):
        self.assertEqual(count_tests({"result": "FAIL", "stdout": "Running 4 test cases...\n"}), "0 1 0")
        self.assertEqual(count_tests({"result": "TIMEOUT"}), "0 1 0")

    def test_counts_what_a_script_says_last(self):
        said = "3 passed, 0 failed\n10 passed, 0 failed, 2 skipped\n"
        self.assertEqual(count_tests({"result": "OK", "stdout": said}), "10 0 2")

    def test_adds_up(self):
        self.assertEqual(count_tests({"result": "OK"}, {"result": "SKIP"}, {"result": "ERROR"}), "1 1 1")


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad else 0)
