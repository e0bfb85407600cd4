"""Connection, Expect, Upgrade, and requests one behind the other. FAULTS F16-F18.

Source: RFC 9110 sections 7.6, 7.8 and 10.1.1; RFC 9112 section 9."""

from odd_requests.case import HIDDEN, NEXT, case, chunked, get, post


def closes(rule, what, fields):
    return case(rule, what, get(fields=fields) + HIDDEN, "200")


def stays(rule, what, fields):
    return case(rule, what, get(fields=fields) + NEXT, "200 200")


def expects(what, value, sent, wanted, *bodies):
    return case("9110 10.1.1", what, sent.replace(b"Host: a\r\n",
    b"Host: a\r\nExpect: " + value + b"\r\n", 1),
                wanted, *bodies)


HELLO = post(b"Content-Length: 5", b"hello")
CHUNKS = chunked(b"5\r\nhello\r\n0\r\n\r\n")
ONCE = b"100-continue"

CASES = [
    closes("9112 9.6", "close", b"Connection: close"),
    closes("9110 7.6.1", "Close", b"Connection: Close"),
    closes("9110 7.6.1", "close in a list", b"Connection: x, close"),
    closes("9110 5.6.1", "close behind an empty element", b"Connection: ,close"),
    closes("9110 7.6.1", "close without spaces", b"Connection:x,close,y"),
    closes("9112 9.3", "keep-alive, close", b"Connection: keep-alive, close"),
    closes("9112 9.3", "close, keep-alive", b"Connection: close, keep-alive"),
    closes("9112 9.3", "keep-alive, and close on a line of its own",
           b"Connection: keep-alive\r\nConnection: close"),
    closes("9112 9.3", "close, and keep-alive on a line of its own",
           b"Connection: close\r\nConnection: keep-alive"),
    stays("9110 7.6.1", "a name that begins like close", b"Connection: closed"),
    stays("9110 7.6.1", "the name of a field that frames",
          b"Connection: content-length, transfer-encoding, host"),
    stays("9112 C.2.2", "Proxy-Connection", b"Proxy-Connection: close"),
    stays("9110 7.8", "an upgrade to WebSocket", b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
          b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="),
    stays("9110 7.8", "an upgrade to h2c", b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
          b"HTTP2-Settings: AAMAAABkAAQAAP__"),
    stays("9110 10.1.4", "TE", b"TE: trailers\r\nConnection: TE"),
    case("9110 7.6.1", "Content-Length named in Connection",
         post(b"Connection: content-length\r\nContent-Length: 5", b"hello" + NEXT), "200 200", b"hello", b""),
    case("9110 7.6.1", "Transfer-Encoding named in Connection",
         post(b"Connection: transfer-encoding\r\nTransfer-Encoding: chunked",
              b"5\r\nhello\r\n0\r\n\r\n" + NEXT),
         "200 200", b"hello", b""),
    # HTTP/1.0
    case("9112 9.3", "HTTP/1.0", get(version=b"HTTP/1.0") + HIDDEN, "200"),
    case("9112 C.2.2", "HTTP/1.0 that is kept alive",
         get(fields=b"Connection: keep-alive", version=b"HTTP/1.0") + NEXT,
         "200 200 | 200"),
    case("9112 C.2.2", "HTTP/1.0 with Keep-Alive only",
         get(fields=b"Keep-Alive: timeout=5", version=b"HTTP/1.0") + HIDDEN,
         "200"),
    case("9112 9.3", "HTTP/1.0 with a body", post(b"Content-Length: 5", b"hello" + HIDDEN, b"HTTP/1.0"),
         "200", b"hello"),
    # Expect
    expects("100-continue, and the body at once", ONCE, HELLO + NEXT, "100 200 200 | 200 200", b"hello", b""),
    expects("100-continue and chunks", ONCE, CHUNKS + NEXT, "100 200 200 | 200 200", b"hello", b""),
    expects("in capitals", b"100-Continue", HELLO + NEXT, "100 200 200 | 200 200", b"hello", b""),
    expects("100-continue without a body", ONCE, get() + NEXT, "200 200 | 100 200 200"),
    expects("100-continue in HTTP/1.0", ONCE, post(b"Content-Length: 5", b"hello" + HIDDEN, b"HTTP/1.0"),
            "200",
            b"hello"),
    expects("an unknown expectation", b"wonders", HELLO + HIDDEN, "417"),
    expects("an unknown one beside it", b"100-continue, wonders", HELLO + HIDDEN, "417"),
    expects("a value beside it", b"100-continue=x", HELLO + HIDDEN, "417"),
    # one behind the other
    case("9112 9.3.2", "ten at once", b"".join(get(b"/~~~/%d" % i) for i in range(10)),
         " ".join(["200"] * 10)),
    case("9112 9.3.2", "bodies and none by turns", HELLO + get() + CHUNKS + NEXT, "200 200 200 200",
         b"hello", b"", b"hello", b""),
    case("9112 9.3.2", "chunks, then a length", CHUNKS + HELLO + NEXT, "200 200 200", b"hello", b"hello",
         b""),
    case("9112 9.3.2", "HEAD, then GET", b"HEAD /~~~/a HTTP/1.1\r\nHost: a\r\n\r\n" + NEXT, "200 200"),
    case("9112 9.3.2", "a good one, then a bad one", get() + b"GET\r\n\r\n" + HIDDEN, "200 400"),
    case("9112 9.3.2", "a good body, then ambiguous framing",
         HELLO + post(b"Content-Length: 5\r\nTransfer-Encoding: chunked", b"0\r\n\r\n" + HIDDEN),
         "200 400", b"hello"),
    case("9112 6.3", "more bytes than the length says", HELLO + b"\0\0\0\0" + HIDDEN, "200 400", b"hello"),
    case("9112 2.2", "a line end too many behind a body", HELLO + b"\r\n" + NEXT, "200 200", b"hello", b""),
]
