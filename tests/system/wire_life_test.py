"""Clients that go away, and a server that stops: FAULTS F09, F22, F25."""

import signal
import socket
import sys
import threading
import time

from wire_app import App, repeats, run, unsent_bytes, wait_for

HALF_A_BODY = b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + b"x" * 500
SLOW = b"GET /slow?ms=%d HTTP/1.1\r\nHost: a\r\n\r\n"


# FAULTS F09 (a): the handler that nobody waits for ends
def test_a_reset_cancels(program):
    with App(program, request_budget=60_000) as app:
        client = app.client().send(SLOW % 60_000)
        wait_for(lambda: app.get("/working").body == b"1", "the handler does not start")
        client.reset()
        wait_for(lambda: app.get("/working").body == b"0", "the handler goes on", within=0.5)


# FAULTS F09 (b)
def test_an_end_of_file_does_not_cancel(program):
    with App(program) as app:
        client = app.client().send(SLOW % 300)
        client.socket.shutdown(socket.SHUT_WR)
        answer = client.answer()
        assert answer.status == 200 and answer.body == b"slow"
        assert client.is_closed()
        client.close()


def test_the_deadline_is_answered(program):
    with App(program, request_budget=200) as app:
        client = app.client()
        began = time.monotonic()
        assert client.get("/slow?ms=5000").status == 504
        assert 0.15 < time.monotonic() - began < 0.5
        assert client.get("/ping").status == 200
        client.close()


# FAULTS F22
def test_clients_that_vanish_hurt_nobody(program):
    with App(program) as app:
        other = app.client()
        for _ in range(repeats(50, 500)):
            client = app.client().send(b"GET /big?bytes=50000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            client.socket.recv(1024)
            client.reset()
            app.client().send(b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\n").close()
            app.client().send(HALF_A_BODY).reset()
            assert other.get("/ping").status == 200
        other.close()


# FAULTS F22
def test_what_a_handler_throws(program):
    with App(program) as app:
        client = app.client()
        assert client.get("/throw").status == 500
        assert client.get("/throw-int").status == 500
        client.send(b"GET /stream?bytes=100000&fail=50000 HTTP/1.1\r\nHost: a\r\n\r\n")
        data = b""
        try:
            while more := client.socket.recv(65536):
                data += more
        except ConnectionResetError:
            pass
        assert b"xxx" in data and not data.endswith(b"0\r\n\r\n")
        client.close()


def test_a_client_that_does_not_read_is_given_up(program):
    with App(program, write_stall=500) as app:
        client = app.client().send(b"GET /big?bytes=50000000 HTTP/1.1\r\nHost: a\r\n\r\n")
        streaming = app.client().send(b"GET /stream?bytes=50000000 HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(1.5)
        wait_for(lambda: app.open_descriptors() <= app.descriptors + 1, "still open")
        client.close()
        streaming.close()


def test_the_kernel_holds_little_for_a_client_that_does_not_read(program):
    with App(program) as app:
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", app.port))
            client.sendall(b"GET /stream?bytes=20000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            wait_for(lambda: unsent_bytes(app.port) > 50_000, "the answer does not come")
            time.sleep(0.3)
            assert unsent_bytes(app.port) < 512 * 1024, unsent_bytes(app.port)


def test_what_a_client_has_not_taken_does_not_outlive_its_connection_for_long(program):
    with App(program, write_stall=500, idle_time=500) as app:
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", app.port))
            client.sendall(b"GET /big?bytes=300000 HTTP/1.1\r\nHost: a\r\n\r\n")
            wait_for(lambda: unsent_bytes(app.port) > 50_000, "the answer does not come")
            wait_for(lambda: unsent_bytes(app.port) == 0, "the kernel keeps the answer", within=10)


def test_a_client_that_reads_slowly_is_waited_for(program):
    """Slower than the kernel's buffers give back what they must before they report room to the server."""
    with App(program, write_stall=500) as app:
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * 1024)
            slow.connect(("127.0.0.1", app.port))
            slow.sendall(b"GET /big?bytes=20000000 HTTP/1.0\r\nHost: a\r\n\r\n")
            began, size = time.monotonic(), 0
            while time.monotonic() < began + 2.5:
                size += len(slow.recv(4096))
                time.sleep(0.02)
            slow.settimeout(10)
            while data := slow.recv(1 << 20):
                size += len(data)
        assert size > 20_000_000, f"cut after {size} bytes"


def test_pipelined_answers_come_in_order(program):
    with App(program) as app:
        client = app.client()
        client.send(b"".join(b"GET /big?bytes=%d HTTP/1.1\r\nHost: a\r\n\r\n" % n for n in range(2000)))
        assert [len(client.answer().body) for _ in range(2000)] == list(range(2000))
        client.close()


def test_an_answer_does_not_wait_for_the_next_one(program):
    with App(program) as app:
        client = app.client()
        client.send(b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\n" + SLOW % 500)
        began = time.monotonic()
        assert client.answer().body == b"pong"
        assert time.monotonic() - began < 0.25
        assert client.answer().body == b"slow"
        client.close()


# FAULTS F25
def test_shutdown_finishes_what_was_accepted(program):
    for times in (1, 2):
        with_signal(program, times)


def with_signal(program, times):
    app = App(program, request_budget=6000)
    running = [app.client().send(SLOW % 2000) for _ in range(8)]
    idle = [app.client() for _ in range(20)]
    for client in idle:
        client.get("/ping")
    busy = app.client()
    last = []

    def hammer():
        while not last:
            answer = busy.get("/ping")
            assert answer.body == b"pong"
            if answer.closes():
                last.append(answer)

    hammering = threading.Thread(target=hammer)
    hammering.start()
    time.sleep(0.3)
    for _ in range(times):
        app.process.send_signal(signal.SIGTERM)
    asked = time.monotonic()
    for client in idle:
        assert client.is_closed(within=1)
    assert time.monotonic() - asked < 0.2, "idle connections stay open"
    hammering.join(timeout=1)
    assert last, "the busy client was not told"
    try:
        refused = app.client()
        assert refused.is_closed(within=1)
    except ConnectionRefusedError:
        pass
    for client in running:
        answer = client.answer()
        assert answer.body == b"slow" and answer.closes()
    ended = time.monotonic()
    assert app.process.wait(timeout=5) == 0
    assert time.monotonic() - ended < 1, "slow to exit"


def test_operations_are_served_whatever_else_is_busy(program):
    with App(program, operations=0, max_requests=1) as app:
        busy = app.client().send(SLOW % 500)
        wait_for(lambda: app.get("/ping").status == 503, "not busy")
        operations = app.client(app.operations_port)
        assert operations.get("/ping").body == b"pong"
        operations.close()
        assert busy.answer().status == 200
        busy.close()
    with App(program, operations=0, max_connections=8) as app:
        clients = [app.client() for _ in range(8)]
        for client in clients:
            assert client.get("/ping").status == 200
        operations = app.client(app.operations_port)
        assert operations.get("/ping").body == b"pong"
        operations.close()
        for client in clients:
            client.close()
        wait_for(lambda: has_room(app), "places do not come back")


def has_room(app):
    try:
        return app.get("/ping").status == 200
    except (AssertionError, OSError):
        return False


def test_a_signal_writes_the_fibers_to_the_log(program):
    app = App(program)
    client = app.client().send(SLOW % 600)
    wait_for(lambda: app.get("/working").body == b"1", "the handler does not start")
    app.process.send_signal(signal.SIGUSR1)
    assert client.answer().status == 200
    client.close()
    assert app.stop() == 0
    assert "/slow" in app.stderr, app.stderr


# FAULTS F25
def test_shutdown_has_a_bound(program):
    app = App(program, request_budget=60_000, drain_budget=500)
    client = app.client().send(SLOW % 60_000)
    wait_for(lambda: app.get("/working").body == b"1", "the handler does not start")
    began = time.monotonic()
    assert app.stop() == 0
    assert 0.4 < time.monotonic() - began < 2
    client.close()



def test_what_does_not_end_is_named(program):
    app = App(program, drain_budget=200, interrupt_budget=300)
    client = app.client().send(b"GET /stubborn?ms=10000 HTTP/1.1\r\nHost: a\r\n\r\n")
    time.sleep(0.2)
    began = time.monotonic()
    assert app.stop() == 1
    assert time.monotonic() - began < 2
    assert "/stubborn" in app.stderr, app.stderr
    client.close()


run(sys.modules[__name__])
