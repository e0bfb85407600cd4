"""Starts the fault application, speaks to it in raw bytes, and checks that it is well afterwards."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def field(self, name):
        """The field's value, or None; fails if there are two."""
        values = [value for key, value in self.fields if key == name.lower()]
        assert len(values) < 2, f"{name} twice: {values}"
        return values[0] if values else None

    def json(self):
        return json.loads(self.body)

    def closes(self):
        return self.field("connection") == "close"


class Client:
    """One connection, to a port or to the path of a unix-domain socket. Understands exactly the framing that an
    answer states."""

    def __init__(self, port, timeout=10):
        if isinstance(port, str):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(timeout)
            self.socket.connect(port)
        else:
            self.socket = socket.create_connection(("127.0.0.1", port), timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.pending = b""

    def send(self, data):
        self.socket.sendall(data)
        return self

    def _more(self):
        data = self.socket.recv(65536)
        self.pending += data
        return bool(data)

    def _exactly(self, size):
        while len(self.pending) < size:
            assert self._more(), f"cut short: {len(self.pending)} of {size} bytes"
        data, self.pending = self.pending[:size], self.pending[size:]
        return data

    def _until(self, mark):
        while mark not in self.pending:
            assert self._more(), f"closed before {mark!r}: {self.pending[:200]!r}"
        at = self.pending.index(mark) + len(mark)
        data, self.pending = self.pending[:at], self.pending[at:]
        return data

    def answer(self, to_head=False):
        start, *lines = self._until(b"\r\n\r\n").decode("latin-1")[:-4].split("\r\n")
        assert start.startswith("HTTP/1.1 "), start
        fields = [line.split(":", 1) for line in lines]
        answer = Answer(int(start[9:12]), [(name.lower(), value.strip()) for name, value in fields], b"")
        if to_head or answer.status in (204, 304) or answer.status < 200:
            return answer
        if answer.field("transfer-encoding") == "chunked":
            while size := int(self._until(b"\r\n"), 16):
                answer.body += self._exactly(size)
                assert self._exactly(2) == b"\r\n"
            assert self._exactly(2) == b"\r\n"
        elif answer.field("content-length") is not None:
            answer.body = self._exactly(int(answer.field("content-length")))
        else:
            while self._more():
                pass
            answer.body, self.pending = self.pending, b""
        return answer

    def get(self, target, fields=""):
        return self.send(f"GET {target} HTTP/1.1\r\nHost: a\r\n{fields}\r\n".encode()).answer()

    def is_closed(self, within=5.0):
        """Whether the server closes, sending nothing more."""
        self.socket.settimeout(within)
        try:
            data = self.socket.recv(65536)
        except socket.timeout:
            return False
        except ConnectionResetError:
            return True
        assert not data and not self.pending, f"unexpected bytes: {(self.pending + data)[:200]!r}"
        return True

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def close(self):
        self.socket.close()


class App:
    def __init__(self, program, **options):
        arguments = [f"{name}={value}" for name, value in options.items()]
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=self.errors)
        self.port, self.operations_port = map(int, self.process.stdout.readline().split())
        self.descriptors = self.open_descriptors()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            self.process.kill()
            self.process.wait()
            return
        self.rest()
        code = self.stop()
        assert code == 0, f"exit code {code}: {self.stderr[-2000:]}"

    def client(self, port=None):
        return Client(port or self.port)

    def get(self, target):
        client = self.client()
        try:
            return client.get(target)
        finally:
            client.close()

    def open_descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu_seconds(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_kb(self):
        with open(f"/proc/{self.process.pid}/status") as lines:
            return next(int(l.split()[1]) for l in lines if l.startswith("VmRSS"))

    def rest(self):
        """After whatever happened: alive, quick, with nothing left running or open."""
        assert self.process.poll() is None, f"the process has ended: {self.process.returncode}"
        assert min(self.ping_seconds() for _ in range(3)) < 0.1, "slow afterwards"  # others use the machine too
        wait_for(lambda: self.get("/working").body == b"0", "handlers still run")
        wait_for(lambda: abs(self.open_descriptors() - self.descriptors) <= 5, "descriptors are left")

    def ping_seconds(self):
        began = time.monotonic()
        assert self.get("/ping").body == b"pong"
        return time.monotonic() - began

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)
        self.errors.seek(0)
        self.stderr = self.errors.read().decode()
        return self.process.returncode


def wait_for(holds, what, within=2.0):
    until = time.monotonic() + within
    while not holds():
        assert time.monotonic() < until, what
        time.sleep(0.01)


def unsent_bytes(port):
    """What connections of `port` have written and nobody has taken, closed ones too."""
    with open("/proc/net/tcp", encoding="ascii") as lines:
        fields = [line.split() for line in list(lines)[1:]]
    # Of a connection that listens (0A), the figure is another one.
    return sum(int(f[4].split(":")[0], 16) for f in fields
               if int(f[1].split(":")[1], 16) == port and f[3] != "0A")


def repeats(short, full):
    return full if os.environ.get("HEDDLE_REPEAT") == "full" else short


def run(module):
    """Runs every test_* function of `module` with the program's path, and says how many passed."""
    program, passed, failed = sys.argv[1], 0, 0
    for name, test in list(vars(module).items()):
        if not name.startswith("test_") or (len(sys.argv) > 2 and name != sys.argv[2]):
            continue
        began = time.monotonic()
        try:
            test(program)
            passed += 1
            print(f"{name}: ok, {time.monotonic() - began:.1f} s", flush=True)
        except Exception:
            failed += 1
            print(f"{name}: FAILED\n{traceback.format_exc()}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)
