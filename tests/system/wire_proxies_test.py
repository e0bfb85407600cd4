"""Behind nginx and behind haproxy, which keep connections to the server; and two servers behind haproxy, of
which one is stopped under load. Usage: ... FAULT_APP (PYTHONPATH: tests/services)"""

import signal
import sys
import threading
import time

import clients
from proxies import HaProxy, Nginx
from wire_app import App, Client, repeats, run, wait_for

clients.program("nginx")
clients.program("haproxy")
h2load = clients.program("h2load", "nghttp2-client")


def hurl(port, path, requests, connections=32):
    said = clients.said_by(h2load, "--h1", "-n", requests, "-c", connections, "-t", 1,
                           f"http://127.0.0.1:{port}{path}", timeout=100).decode()
    assert f"{requests} succeeded, 0 failed, 0 errored, 0 timeout" in said, said
    assert f"status codes: {requests} 2xx" in said, said


def connections_to(port):
    """Of this machine, towards `port`: established or on their way out."""
    with open("/proc/net/tcp", encoding="ascii") as lines:
        rows = [line.split() for line in list(lines)[1:]]
    return sum(1 for row in rows if int(row[2].split(":")[1], 16) == port)


def serves_all(app, proxy):
    many = repeats(10_000, 50_000)
    hurl(proxy.port, "/ping", many)
    hurl(proxy.port, "/big?bytes=20000", many // 10)
    hurl(proxy.port, "/stream?bytes=20000", many // 10)
    # A connection for each request would leave as many behind, waiting for their time to end.
    assert connections_to(app.port) < many / 50, connections_to(app.port)
    client = Client(proxy.port)
    try:
        body = bytes(range(256)) * 1000
        for _ in range(20):
            head = f"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            assert client.send(head + body).answer().body == body
            chunks = b"".join(b"%x\r\n%s\r\n" % (len(body[at:at + 999]), body[at:at + 999])
                              for at in range(0, len(body), 999)) + b"0\r\n\r\n"
            head = b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            assert client.send(head + chunks).answer().body == body
            assert client.get("/throw").status == 500
            assert client.send(b"HEAD /big?bytes=10 HTTP/1.1\r\nHost: a\r\n\r\n").answer(True).status == 200
            assert client.get("/no-content").status == 204
            assert client.get("/nothing-here").status == 404
    finally:
        client.close()


def test_behind_nginx(program):
    with App(program) as app:
        with Nginx([app.port]) as proxy:
            serves_all(app, proxy)
            assert not proxy.log(), proxy.log()


def test_behind_haproxy(program):
    with App(program) as app:
        with HaProxy([app.port], health="/ping") as proxy:
            serves_all(app, proxy)
            assert proxy.states() == {"s0": "UP"}, proxy.states()


class Hammer(threading.Thread):
    """One client that asks and asks, on one connection while it lasts. Keeps what was not answered 200."""

    def __init__(self, port):
        super().__init__()
        self.port, self.over, self.asked, self.failures = port, False, 0, []

    def run(self):
        client = None
        while not self.over:
            try:
                client = client or Client(self.port)
                self.asked += 1
                answer = client.get("/slow?ms=5" if self.asked % 4 else "/big?bytes=30000")
                if answer.status != 200:
                    self.failures.append((time.monotonic(), answer.status))
                if answer.closes():
                    client.close()
                    client = None
            except (AssertionError, OSError) as error:
                self.failures.append((time.monotonic(), error))
                client = None
        if client:
            client.close()


# FAULTS F25
def test_a_server_stops_behind_haproxy_and_no_request_fails(program):
    """Ten times one of the two goes, in the middle of what it answers, and is replaced."""
    apps = [App(program, operations=0), App(program, operations=0)]
    ports = [app.port for app in apps]
    checks = [app.operations_port for app in apps]
    hammers = []
    with HaProxy(ports, checks, health="/ping") as proxy:
        wait_for(lambda: set(proxy.states().values()) == {"UP"}, "not both are up", within=10)
        hammers = [Hammer(proxy.port) for _ in range(16)]
        for hammer in hammers:
            hammer.start()
        try:
            for n in range(repeats(4, 20)):
                gone = n % 2
                time.sleep(0.3)
                apps[gone].process.send_signal(signal.SIGTERM)
                assert apps[gone].process.wait(timeout=20) == 0
                wait_for(lambda: proxy.states()[f"s{gone}"] == "DOWN", "still up for haproxy", within=10)
                apps[gone] = App(program, port=ports[gone], operations=checks[gone])
                wait_for(lambda: proxy.states()[f"s{gone}"] == "UP", "not up again", within=10)
        finally:
            for hammer in hammers:
                hammer.over = True
            for hammer in hammers:
                hammer.join(20)
    failures = [failure for hammer in hammers for failure in hammer.failures]
    asked = sum(hammer.asked for hammer in hammers)
    print(f"  {asked} requests, {len(failures)} failed")
    for app in apps:
        assert app.stop() == 0
    assert asked > 200 and not failures, (asked, failures[:5])


run(sys.modules[__name__])
