"""Bodies that are read while they come: nobody sends faster than the handler reads, and nothing piles up between."""

import gzip
import socket
import sys
import threading
import time

from wire_app import App, repeats, run

MIB = 1024 * 1024


def post(target, fields):
    return f"POST {target} HTTP/1.1\r\nHost: a\r\n{fields}\r\n".encode()


def send_all(client, size, piece=b"x" * 65536):
    for _ in range(size // len(piece)):
        client.send(piece)


def test_a_large_upload_costs_no_memory(program):
    size = repeats(64, 512) * MIB
    with App(program) as app:
        app.get("/ping")
        before = app.memory_kb()
        client = app.client().send(post("/upload", f"Content-Length: {size}\r\n"))
        send_all(client, size)
        assert client.answer().body == str(size).encode()
        assert app.memory_kb() - before < 2 * 1024
        assert client.get("/ping").body == b"pong"
        client.close()


def test_a_slow_handler_holds_back_its_client(program):
    with App(program, request_budget=2000) as app:
        client = app.client().send(post("/upload?ms=1000", f"Content-Length: {64 * MIB}\r\n"))
        client.socket.settimeout(0.5)
        sent = 0
        try:
            while sent < 64 * MIB:
                sent += client.socket.send(b"x" * 65536)
        except socket.timeout:
            pass
        assert sent < 32 * MIB, "nobody held the client back"  # the kernel's buffers, both ends: some MiB
        client.socket.settimeout(10)
        answer = client.answer()
        assert answer.status in (408, 504) and answer.closes(), answer.status
        client.close()


def test_a_body_comes_back_while_it_is_sent(program):
    size = repeats(32, 256) * MIB
    with App(program) as app:
        app.get("/ping")
        before = app.memory_kb()
        client = app.client().send(post("/copy", f"Content-Length: {size}\r\n"))
        sender = threading.Thread(target=send_all, args=(client, size))
        sender.start()
        received = 0
        head = client._until(b"\r\n\r\n")
        assert b" 200 " in head and b"chunked" in head, head
        while length := int(client._until(b"\r\n"), 16):
            received += len(client._exactly(length))
            assert client._exactly(2) == b"\r\n"
        sender.join()
        client.close()
        assert received == size
        assert app.memory_kb() - before < 2 * 1024


# FAULTS F18 (f)
def test_a_small_packed_body_does_not_fill_the_memory(program):
    bomb = gzip.compress(b"\0" * (100 * MIB), 9)
    fair = gzip.compress(b"0123456789" * 100_000)
    with App(program) as app:
        app.get("/ping")
        before = app.memory_kb()
        for body, status in (bomb, 413), (fair, 200), (bomb[:-1], 413), (fair[:-1], 400), (b"no gzip", 400):
            client = app.client().send(post("/unpack", f"Content-Encoding: gzip\r\nContent-Length: {len(body)}\r\n"))
            answer = client.send(body).answer()
            assert answer.status == status, (answer.status, status)
            client.close()
        # One of them takes up to 3 MiB while it grows to the limit, and the allocator need not give that back.
        assert app.memory_kb() - before < 8 * 1024


def test_a_client_that_goes_in_the_middle_ends_the_handler(program):
    with App(program) as app:
        for _ in range(repeats(20, 200)):
            client = app.client().send(post("/upload", f"Content-Length: {MIB}\r\n") + b"x" * 100_000)
            client.reset()


run(sys.modules[__name__])
