"""What a chunked body looks like. Source: RFC 9112 section 7.1; its lines end in CRLF only. FAULTS F15."""

from odd_requests.case import HIDDEN, NEXT, case, chunked

END = b"0\r\n\r\n"


def read(what, body, *bodies, rule="9112 7.1"):
    return case(rule, what, chunked(body + NEXT), "200 200", *(bodies or (b"hello", b"")))


def refused(what, body, wanted="400", rule="9112 7.1"):
    return case(rule, what, chunked(body + HIDDEN), wanted)


CASES = [
    read("one chunk", b"5\r\nhello\r\n" + END),
    read("no chunk", END, b"", b""),
    read("chunks of one byte", b"".join(b"1\r\n%c\r\n" % c for c in b"hello") + END),
    read("a size of two digits, in capitals", b"1A\r\n" + b"x" * 26 + b"\r\n" + END, b"x" * 26, b""),
    read("a size in small letters", b"a\r\n" + b"x" * 10 + b"\r\n" + END, b"x" * 10, b""),
    read("leading zeros", b"0005\r\nhello\r\n" + END),
    read("several zeros for the last", b"5\r\nhello\r\n000\r\n\r\n"),
    read("data that looks like the end", b"8\r\na\r\n0\r\n\r\n\r\n" + END, b"a\r\n0\r\n\r\n", b""),
    read("data that looks like a request", b"%x\r\n" % len(HIDDEN) + HIDDEN + b"\r\n" + END, HIDDEN, b""),
    case("9112 7.1", "twenty leading zeros", chunked(b"0" * 20 + b"5\r\nhello\r\n" + END + NEXT),
         "200 200 | 400",
         b"hello", b""),
    # extensions
    read("an extension", b"5;a\r\nhello\r\n0;b\r\n\r\n", rule="9112 7.1.1"),
    read("an extension with a value", b"5;a=b\r\nhello\r\n" + END, rule="9112 7.1.1"),
    read("a quoted value", b'5;a="b;c"\r\nhello\r\n' + END, rule="9112 7.1.1"),
    read("spaces around the semicolon", b"5 ; a\r\nhello\r\n" + END, rule="9112 7.1.1"),
    refused("a line feed in an extension", b"5;a\nhello\r\n" + END, rule="9112 7.1.1"),
    refused("a line feed behind an extension", b"5;\n" + b"xxxxx\r\n" + END, rule="9112 7.1.1"),
    refused("a carriage return in an extension", b"5;a\rb\r\nhello\r\n" + END, rule="9112 7.1.1"),
    refused("a NUL in an extension", b"5;a\0\r\nhello\r\n" + END, rule="9112 7.1.1"),
    refused("an extension without an end", b"5;" + b"a" * 40_000 + b"\r\nhello\r\n" + END, "400/413/431",
            rule="9112 7.1.1"),
    # sizes
    refused("no size", b"\r\nhello\r\n" + END),
    refused("only an extension", b";a\r\nhello\r\n" + END),
    refused("a size with 0x", b"0x5\r\nhello\r\n" + END),
    refused("a plus", b"+5\r\nhello\r\n" + END),
    refused("a minus", b"-5\r\nhello\r\n" + END),
    refused("a space before", b" 5\r\nhello\r\n" + END),
    refused("two sizes", b"5 5\r\nhello\r\n" + END),
    refused("no digit", b"g\r\nhello\r\n" + END),
    refused("a digit and a letter", b"5g\r\nhello\r\n" + END),
    refused("an underscore", b"0_5\r\nhello\r\n" + END),
    refused("quotes", b'"5"\r\nhello\r\n' + END),
    refused("2^64 + 5", b"10000000000000005\r\nhello\r\n" + END, "400/413"),
    refused("2^64 - 1", b"ffffffffffffffff\r\nhello\r\n" + END, "400/413"),
    refused("2^63", b"8000000000000000\r\nhello\r\n" + END, "400/413"),
    refused("2^32 + 5", b"100000005\r\nhello\r\n" + END, "400/413 | -"),
    # line ends
    refused("a line feed behind the size", b"5\nhello\r\n" + END),
    refused("a carriage return behind the size", b"5\rhello\r\n" + END),
    refused("a line feed behind the data", b"5\r\nhello\n" + END),
    refused("a carriage return behind the data", b"5\r\nhello\r" + END),
    refused("nothing behind the data", b"5\r\nhello" + END),
    refused("more data than said", b"5\r\nhelloX\r\n" + END),
    refused("less data than said", b"5\r\nhell\r\n" + END),
    refused("a line feed behind the last chunk", b"5\r\nhello\r\n0\n\r\n"),
    refused("a line feed at the end", b"5\r\nhello\r\n0\r\n\n"),
    refused("a carriage return at the end", b"5\r\nhello\r\n0\r\n\r"),
    refused("the last line's end missing", b"5\r\nhello\r\n0\r\n"),
    case("9112 8", "no last chunk", chunked(b"5\r\nhello\r\n"), "- | 400"),
    case("9112 8", "half a chunk", chunked(b"5\r\nhel"), "- | 400"),
    # trailers
    read("a trailer", b"5\r\nhello\r\n0\r\nX: y\r\n\r\n", rule="9112 7.1.2"),
    read("a trailer with a length", b"5\r\nhello\r\n0\r\nContent-Length: 50\r\n\r\n", rule="9110 6.5.1"),
    read("a trailer with a coding", b"5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n",
         rule="9110 6.5.1"),
    read("a trailer with a host", b"5\r\nhello\r\n0\r\nHost: b\r\n\r\n", rule="9110 6.5.1"),
    refused("a trailer without a colon", b"5\r\nhello\r\n0\r\nX y\r\n\r\n", rule="9112 7.1.2"),
    refused("a trailer without a name", b"5\r\nhello\r\n0\r\n: y\r\n\r\n", rule="9112 7.1.2"),
    refused("a space before a trailer", b"5\r\nhello\r\n0\r\n X: y\r\n\r\n", rule="9112 5.2"),
    refused("a fold in a trailer", b"5\r\nhello\r\n0\r\nX: y\r\n z\r\n\r\n", rule="9112 5.2"),
    refused("a space before a trailer's colon", b"5\r\nhello\r\n0\r\nX : y\r\n\r\n", rule="9112 5.1"),
    refused("a line feed behind a trailer", b"5\r\nhello\r\n0\r\nX: y\n\r\n", rule="9112 7.1.2"),
    refused("a NUL in a trailer", b"5\r\nhello\r\n0\r\nX: \0\r\n\r\n", rule="9110 5.5"),
    refused("trailers without an end", b"0\r\n" + b"X: y\r\n" * 20_000 + b"\r\n", "400/413/431",
            rule="9112 7.1.2"),
]
