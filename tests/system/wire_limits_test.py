"""Clients that send too much, too slowly, or too many: FAULTS F18, F19, F20."""

import resource
import socket
import sys
import threading
import time

from wire_app import App, repeats, run, wait_for

MIB = 1024 * 1024


def post(length=None, fields="", body=b""):
    size = f"Content-Length: {length}\r\n" if length is not None else ""
    return f"POST /echo HTTP/1.1\r\nHost: a\r\n{size}{fields}\r\n".encode() + body


def status_of(app, data):
    client = app.client().send(data)
    try:
        return client.answer().status
    finally:
        client.close()


# FAULTS F18 (a), (c), (d), (f)
def test_a_body_over_the_limit_is_refused(program):
    with App(program) as app:
        app.get("/ping")
        began = time.monotonic()
        assert status_of(app, post(MIB + 1)) == 413
        assert time.monotonic() - began < 0.5
        before = app.memory_kb()
        chunk = b"400\r\n" + b"x" * 1024 + b"\r\n"
        assert status_of(app, post(fields="Transfer-Encoding: chunked\r\n", body=chunk * 1025)) == 413
        assert app.memory_kb() - before < 2 * 1024 + 1024
        client = app.client().send(post(MIB, body=b"x" * MIB))
        assert len(client.answer().body) == MIB
        client.close()
        assert status_of(app, post(5, "Content-Encoding: gzip\r\n", b"\x1f\x8b\x08\0\0")) == 415


# FAULTS F18 (b)
def test_413_is_heard_by_a_client_that_sends_first(program):
    attempts = repeats(20, 100)
    heard = 0
    with App(program) as app:
        for _ in range(attempts):
            client = app.client()
            try:
                client.send(post(50 * MIB, body=b"x" * (8 * MIB)))
                heard += client.answer().status == 413
            except OSError:
                pass
            client.close()
    assert heard >= attempts * 0.99, f"{heard} of {attempts}"


# FAULTS F18 (e)
def test_100_continue(program):
    expect = "Expect: 100-continue\r\n"
    with App(program) as app:
        client = app.client()
        began = time.monotonic()
        assert client.send(post(MIB, expect)).answer().status == 100
        assert time.monotonic() - began < 0.1
        assert client.send(b"x" * MIB).answer().status == 200
        client.close()
        assert status_of(app, post(MIB + 1, expect)) == 413
        assert status_of(app, post(5, "Expect: tea\r\n", b"hello")) == 417
        old = b"POST /echo HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello"
        assert status_of(app, old) == 200


# FAULTS F19
def test_slow_headers_end(program):
    with App(program, header_time=2000) as app:
        clients = [app.client() for _ in range(200)]
        began = time.monotonic()
        ended = {}
        sent = 0
        data = b"GET / HTTP/1.1\r\nX: yyyyyyyyyyyyyy"
        while len(ended) < len(clients) and time.monotonic() - began < 6:
            for client in clients:
                if client in ended:
                    continue
                try:
                    client.socket.sendall(data[sent : sent + 1])
                    client.socket.setblocking(False)
                    if client.socket.recv(4096):
                        ended[client] = time.monotonic() - began
                except BlockingIOError:
                    pass
                except OSError:
                    ended[client] = time.monotonic() - began
                client.socket.settimeout(10)
            sent += 1
            assert app.get("/ping").status == 200
            time.sleep(0.25)
        assert len(ended) == len(clients), f"{len(clients) - len(ended)} are still open"
        times = sorted(ended.values())
        assert 1.5 < times[0] and times[-1] < 3.5, (times[0], times[-1])
        for client in clients:
            client.close()


# FAULTS F19
def test_endless_heads_cost_little(program):
    with App(program) as app:
        app.get("/ping")
        memory, cpu = app.memory_kb(), app.cpu_seconds()
        endless = [
            (b"x" * (2 * MIB), (431,)),
            (b"GET / HTTP/1.1\r\nHost: a\r\n" + b"a: b\r\n" * 10_000 + b"\r\n", (431,)),
            (b"GET / HTTP/1.1\r\nHost: a\r\n" + b"a: b\r\n" * 200 + b"\r\n", (431,)),
            (b"GET /" + b"x" * 65536 + b" HTTP/1.1\r\nHost: a\r\n\r\n", (414, 431)),
            (b"GET /" + b"x" * 10000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", (414, 431)),
        ]
        for data, right in endless:
            client = app.client()
            threading.Thread(target=lambda: quietly(client.socket.sendall, data)).start()
            answer = client.answer()
            assert answer.status in right and answer.closes(), answer.status
            client.close()
        assert app.memory_kb() - memory < 512
        assert app.cpu_seconds() - cpu < 0.02 * len(endless) + 0.05


def quietly(f, *arguments):
    try:
        f(*arguments)
    except OSError:
        pass


# FAULTS F19
def test_a_slow_body_and_an_idle_connection_end(program):
    with App(program, request_budget=1000, idle_time=2000) as app:
        idle = app.client()
        idle.get("/ping")
        rested = time.monotonic()
        slow = app.client().send(post(1024))
        began = time.monotonic()
        slow.socket.settimeout(0.1)
        status = None
        while status is None and time.monotonic() - began < 5:
            slow.send(b"x")
            try:
                status = slow.answer().status
            except socket.timeout:
                pass
        assert status == 408 and 0.8 < time.monotonic() - began < 1.7, (status, time.monotonic() - began)
        slow.close()
        assert idle.is_closed(within=5)
        assert 1.0 < time.monotonic() - rested < 3.0, time.monotonic() - rested
        idle.close()


# FAULTS F20
def test_running_out_of_descriptors_is_survived(program):
    with App(program, descriptors=64, idle_time=5000) as app:
        early = app.client()
        assert early.get("/ping").status == 200
        held = [socket.create_connection(("127.0.0.1", app.port)) for _ in range(200)]
        cpu, began = app.cpu_seconds(), time.monotonic()
        while time.monotonic() - began < repeats(3, 10):
            assert early.get("/ping").status == 200
            time.sleep(0.05)
        assert app.cpu_seconds() - cpu < 0.2 * (time.monotonic() - began)
        for one in held:
            one.close()
        began = time.monotonic()
        assert app.get("/ping").status == 200
        assert time.monotonic() - began < 1
        early.close()
        for _ in range(repeats(200, 1000)):
            one = socket.create_connection(("127.0.0.1", app.port))
            one.sendall(b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\n")
            one.close()
        wait_for(lambda: close_waits(app.port) == 0, "sockets are left in CLOSE_WAIT", within=6)
    lines = [l for l in app.stderr.splitlines() if "cannot accept" in l]
    assert 1 <= len(lines) <= 12, app.stderr


def close_waits(port):
    with open("/proc/net/tcp") as lines:
        fields = [l.split() for l in lines]
    return sum(1 for f in fields[1:] if f[3] == "08" and int(f[1].split(":")[1], 16) == port)


def test_a_connection_too_many_is_turned_away(program):
    with App(program, max_connections=2) as app:
        clients = [app.client(), app.client()]
        for client in clients:
            assert client.get("/ping").status == 200
        answer = app.client().answer()
        assert answer.status == 503 and answer.field("retry-after") == "1" and answer.closes()
        for client in clients:
            client.close()
        wait_for(lambda: answers(app), "places do not come back")


def test_a_client_turned_away_hears_why_though_it_has_spoken(program):
    with App(program, max_connections=8) as app:
        clients = [app.client() for _ in range(8)]
        for client in clients:
            assert client.get("/ping").status == 200
        heard = 0
        for _ in range(20):
            try:
                heard += app.client().get("/ping").status == 503
            except OSError:  # the request came when the connection was closed already
                pass
        assert heard > 0
        for client in clients:
            client.close()
        wait_for(lambda: answers(app), "its place does not come back")


def answers(app):
    try:
        return app.get("/ping").status == 200
    except (AssertionError, OSError):
        return False


def test_a_request_too_many_is_refused_at_once(program):
    with App(program, max_requests=2) as app:
        busy = [app.client() for _ in range(2)]
        for client in busy:
            client.send(b"GET /slow?ms=500 HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(0.1)
        began = time.monotonic()
        answer = app.get("/ping")
        assert answer.status == 503 and answer.field("retry-after") == "1"
        assert time.monotonic() - began < 0.05
        for client in busy:
            assert client.answer().status == 200
            client.close()


def bytes_each(app, count, request, is_answered):
    """RSS that each of `count` connections adds once it has sent `request` and been answered, if it is. Half of
    them come first, so that what all share exists before it is measured."""
    clients, memory = [], []
    for _ in range(2):
        more = [app.client().send(request) for _ in range(count // 2)]
        for client in more:
            if is_answered:
                assert client.answer().status == 200
        clients += more
        assert app.get("/ping").status == 200  # comes after all that was sent before it has been looked at
        time.sleep(0.5)
        memory.append(app.memory_kb())
    for client in clients:
        client.close()
    return (memory[1] - memory[0]) * 1024 / (count // 2)


def test_connections_at_rest_cost_little(program):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(repeats(4000, 10_000), hard - 500)
    half = b"GET /ping HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 200
    with App(program, idle_time=60_000, header_time=60_000) as app:
        each = bytes_each(app, count, b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\n", True)
        assert each < 1024, f"{each:.0f} bytes each"
        print(f"  {count} idle connections: {each:.0f} bytes each")
    with App(program, idle_time=60_000, header_time=60_000) as app:
        each = bytes_each(app, count, half, False)
        assert each < 3 * 1024, f"{each:.0f} bytes each"
        print(f"  {count} connections with half a head: {each:.0f} bytes each")


run(sys.modules[__name__])
