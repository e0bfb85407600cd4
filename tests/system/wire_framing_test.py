"""Bytes on the wire that could be read in two ways: FAULTS F15, F16, F17."""

import sys

from wire_app import App, run

HIT = b"GET /hit HTTP/1.1\r\nHost: a\r\n\r\n"

AMBIGUOUS = [
    "Content-Length: 5\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 5",
    "Content-Length: 0\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 0",
    "Transfer-Encoding: gzip\r\nContent-Length: 5",
    "Transfer-Encoding: chunked, gzip",
    "Transfer-Encoding: identity",
    "Content-Length: 5\r\nContent-Length: 6",
    "Content-Length: 5, 6",
    "Content-Length: +5",
    "Content-Length: -5",
    "Content-Length: 0x5",
    "Content-Length: 5 5",
    "Content-Length:",
    "Content-Length: 18446744073709551621",
    "Content-Length : 5",
    "Host: b",
    "Transfer-Encoding:\r\n chunked",
    "Transfer-Encoding: chunked,\r\n\tchunked",
]


# FAULTS F15
def test_ambiguous_framing_is_refused(program):
    with App(program) as app:
        for fields in AMBIGUOUS:
            client = app.client().send(f"POST /echo HTTP/1.1\r\nHost: a\r\n{fields}\r\n\r\n".encode() + HIT)
            answer = client.answer()
            assert answer.status in (400, 413, 501), (fields, answer.status)
            assert answer.closes(), fields
            assert client.is_closed(), fields
            client.close()
        client = app.client().send(b"POST /echo HTTP/1.1\r\nContent-Length: 5\r\n\r\n" + HIT)
        assert client.answer().status == 400 and client.is_closed(), "no Host"
        client.close()
        assert app.get("/count").body == b"0"


# FAULTS F16
def test_an_unread_body_is_not_the_next_request(program):
    body = HIT + b"x" * (64 * 1024 - len(HIT))
    head = f"Host: a\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with App(program) as app:
        client = app.client()
        for target, status in (("/ignore", 200), ("/no-such", 404), ("/ping", 405)):
            client.send(f"POST {target} HTTP/1.1\r\n".encode() + head + body)
            answer = client.answer()
            assert answer.status == status, (target, answer.status)
            if answer.closes():
                assert client.is_closed()
                client = app.client()
        assert client.get("/ping").body == b"pong"
        client.close()
        assert app.get("/count").body == b"0"


# FAULTS F17
def test_answers_without_a_body_have_none(program):
    with App(program) as app:
        client = app.client()
        client.send(b"HEAD /big?bytes=100 HTTP/1.1\r\nHost: a\r\n\r\n")
        assert client.answer(to_head=True).field("content-length") == "100"
        assert len(client.get("/big?bytes=100").body) == 100
        for target, status in (("/no-content", 204), ("/not-modified", 304)):
            answer = client.get(target)
            assert answer.status == status
            assert answer.field("content-length") is None and answer.field("transfer-encoding") is None
        client.send(b"HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        assert client.answer(to_head=True).status == 200
        assert len(client.get("/big?bytes=100").body) == 100
        client.close()


# FAULTS F17
def test_http_1_0_is_never_chunked(program):
    with App(program) as app:
        for fields in ("", "Connection: keep-alive\r\n"):
            client = app.client().send(f"GET /stream?bytes=30000 HTTP/1.0\r\n{fields}\r\n".encode())
            answer = client.answer()
            assert answer.field("transfer-encoding") is None and len(answer.body) == 30000
            client.close()
        client = app.client().send(b"GET /ping HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        assert client.answer().field("connection") == "keep-alive"
        client.send(b"GET /ping HTTP/1.0\r\n\r\n")
        assert client.answer().body == b"pong" and client.is_closed()
        client.close()


# FAULTS F17
def test_a_stream_is_whole(program):
    with App(program) as app:
        client = app.client()
        for size in (0, 1, 10_000, 1_000_000):
            assert len(client.get(f"/stream?bytes={size}").body) == size
        client.close()


run(sys.modules[__name__])
