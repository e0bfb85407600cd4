"""What an attack by slowhttptest came to, and a client beside it that measures what others notice."""

import csv
import os
import subprocess
import tempfile
import threading
import time

import clients
from wire_app import Client

slowhttptest = clients.program("slowhttptest")


class Attack:
    """slowhttptest against a URL, in a directory of its own. `mode` is the flags that choose and shape it."""

    def __init__(self, name, mode, url, connections, seconds):
        self.name = name
        self.directory = tempfile.TemporaryDirectory(prefix="heddle-slow-")
        command = [slowhttptest, *mode.split(), "-c", str(connections), "-r", str(connections // 2),
                   "-l", str(seconds), "-p", "5", "-g", "-o", "outcome", "-u", url]
        self.process = subprocess.Popen(command, cwd=self.directory.name, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def wait(self, timeout):
        self.said = self.process.communicate(timeout=timeout)[0].decode(errors="replace")
        assert self.process.returncode == 0, self.said
        with open(os.path.join(self.directory.name, "outcome.csv"), encoding="ascii") as file:
            lines = [line for line in csv.reader(file) if line]
        self.seconds = [[int(field) for field in line] for line in lines[1:]]
        self.directory.cleanup()
        return self

    def most_connected(self):
        return max(connected for _, _, _, connected, _ in self.seconds)

    def always_available(self):
        """What its own prober says: the last column is not 0 in any second."""
        return all(available > 0 for *_, available in self.seconds)

    def all_closed(self):
        return "No open connections left" in self.said

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Beside(threading.Thread):
    """A client that asks for /ping every five milliseconds; how late it wakes for that is the machine's doing."""

    def __init__(self, port):
        super().__init__()
        self.port, self.over = port, False
        self.answers, self.wakes, self.failures = [], [], []

    def run(self):
        client = Client(self.port)
        while not self.over:
            slept = time.monotonic()
            time.sleep(0.005)
            asked = time.monotonic()
            try:
                assert client.get("/ping").body == b"pong"
            except (AssertionError, OSError) as error:
                self.failures.append(error)
                client = Client(self.port)
            self.wakes.append(asked - slept - 0.005)
            self.answers.append(time.monotonic() - asked)
        client.close()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.join(30)


def p99(seconds):
    return sorted(seconds)[len(seconds) * 99 // 100]


def for_a_while(port, seconds):
    """The p99 of a client that is alone, and that of the machine's hiccups."""
    with Beside(port) as alone:
        time.sleep(seconds)
    assert not alone.failures, alone.failures
    return p99(alone.answers), p99(alone.wakes)
