"""One odd case: bytes for one connection, and what our server must make of them.

`wanted` lists the answers' statuses in order: "200 200". "400/501" is either, "-" no answer at all, and a '|'
stands between whole lists where the rule leaves a choice. What the list does not name must not be answered: it
ends where the connection must. `bodies` are those of the requests that ran.

In the bytes, ~~~ is the case's own mark, a part of a target. A target with "hidden" must never run: it lies
where one reading sees a request, and the right one does not.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Case:
    rule: str  # "9112 6.3" is RFC 9112 section 6.3
    what: str
    sent: bytes
    wanted: str
    bodies: tuple


def case(rule, what, sent, wanted, *bodies):
    return Case(rule, what, sent, wanted, tuple(bodies))


NEXT = b"GET /~~~/next HTTP/1.1\r\nHost: a\r\n\r\n"
HIDDEN = b"GET /~~~/hidden HTTP/1.1\r\nHost: a\r\n\r\n"


def get(target=b"/~~~/first", fields=b"", version=b"HTTP/1.1", host=b"Host: a\r\n"):
    """`fields` are whole lines without the last line's end."""
    return b"GET " + target + b" " + version + b"\r\n" + host + lines(fields) + b"\r\n"


def post(fields, body=b"", version=b"HTTP/1.1"):
    return b"POST /~~~/first " + version + b"\r\nHost: a\r\n" + lines(fields) + b"\r\n" + body


def chunked(body):
    return post(b"Transfer-Encoding: chunked", body)


def lines(fields):
    return fields + b"\r\n" if fields else b""
