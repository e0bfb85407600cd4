"""What these tests share: a real server on a free port, in a directory of its own, and requests to it."""
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def ask_services(command):
    """Of services/with_postgres.py: see services.hpp."""
    with socket.socket(socket.AF_UNIX) as services:
        services.connect(os.environ['HEDDLE_TEST_SERVICES'])
        services.sendall(f'{command}\n'.encode())
        answer = services.makefile().readline().rstrip('\n')
    assert not answer.startswith('failed'), answer
    return answer


def clean_environment():
    """This process's, without what would configure a server."""
    return {name: value for name, value in os.environ.items() if not name.startswith('HEDDLE_')}


class Answer:
    def __init__(self, status, headers, body, seconds):
        self.status, self.headers, self.body, self.seconds = status, headers, body, seconds

    def json(self):
        return json.loads(self.body)


def request(port, method, path, body=None, headers=None, timeout=10):
    """One request on a connection of its own."""
    start = time.monotonic()
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=timeout)
    try:
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read(), time.monotonic() - start)
    finally:
        connection.close()


class Server:
    """A program started in a temporary directory; ended, at the latest, at the end of its `with`."""

    def __init__(self, *command, environment=None, port=None, ready='/readyz'):
        self.directory = tempfile.TemporaryDirectory(prefix='heddle-')
        self.path = pathlib.Path(self.directory.name)
        self.port, self.ready = port or free_port(), ready
        self.command = [os.path.abspath(command[0])]  # it starts in another directory
        self.command += [word.replace('{port}', str(self.port)) for word in command[1:]]
        self.environment = clean_environment() | (environment or {})

    def __enter__(self):
        self.log = open(self.path / 'log', 'wb')
        self.process = subprocess.Popen(self.command, cwd=self.path, env=self.environment,
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if self.get(self.ready).status < 500:
                    return self
            except OSError:
                time.sleep(0.02)
        text = self.output()
        self.__exit__()
        raise AssertionError(f'the server did not start:\n{text}')

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.log.close()
        self.directory.cleanup()

    def get(self, path, **options):
        return request(self.port, 'GET', path, **options)

    def post(self, path, body, **options):
        return self.send('POST', path, body, **options)

    def patch(self, path, body, **options):
        return self.send('PATCH', path, body, **options)

    def send(self, method, path, body, headers=None, **options):
        headers = {'Content-Type': 'application/json', **(headers or {})}
        return request(self.port, method, path, json.dumps(body), headers, **options)

    def output(self):
        return (self.path / 'log').read_text(errors='replace')

    def metric(self, series):
        """The value of a line of /metrics, given as its name with its labels."""
        for line in self.get('/metrics').body.decode().splitlines():
            if line.startswith(series + ' '):
                return float(line.split()[-1])
        raise AssertionError(f'/metrics has no {series}')

    def rss(self):
        """Resident memory in bytes."""
        status = pathlib.Path(f'/proc/{self.process.pid}/status').read_text()
        return int(re.search(r'VmRSS:\s+(\d+)', status)[1]) * 1024

    def terminate(self, timeout=15):
        """Sends SIGTERM; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout)


def becomes(true, server, limit=60):
    """Waits until `true()`, for `limit` seconds at most."""
    deadline = time.monotonic() + limit
    while not true():
        assert time.monotonic() < deadline, f'it does not become true\n{server.output()}'
        time.sleep(0.05)


def run(*tests):
    """Runs each test, prints what failed, and ends the program with the outcome."""
    failed = 0
    for test in tests:
        start = time.monotonic()
        try:
            test()
            outcome = 'passed'
        except Exception:
            traceback.print_exc()
            outcome, failed = 'FAILED', failed + 1
        print(f'{test.__name__}: {outcome} ({time.monotonic() - start:.1f} s)', flush=True)
    print(f'{len(tests) - failed} passed, {failed} failed')
    sys.exit(bool(failed))
