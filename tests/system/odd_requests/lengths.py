"""How long a body is: Content-Length, Transfer-Encoding, both and neither. FAULTS F15."""

from odd_requests.case import HIDDEN, NEXT, case, get, post

HELLO = b"5\r\nhello\r\n0\r\n\r\n"
BOTH = b"0\r\n\r\n" + HIDDEN


def sized(rule, what, value, wanted, *bodies):
    return case(rule, what, post(b"Content-Length:" + value, b"hello" + NEXT), wanted, *bodies)


def refused_length(what, value, wanted="400", rule="9110 8.6"):
    return case(rule, what, post(b"Content-Length:" + value, b"hello" + HIDDEN), wanted)


def coded(rule, what, fields, wanted, *bodies):
    return case(rule, what, post(fields, HELLO + NEXT), wanted, *bodies)


def refused(rule, what, fields, wanted="400", body=BOTH):
    return case(rule, what, post(fields, body), wanted)


CASES = [
    # what a length looks like
    sized("9112 6.3", "a length", b" 5", "200 200", b"hello", b""),
    sized("9110 5.5", "a length without a space before it", b"5", "200 200", b"hello", b""),
    sized("9110 5.5", "a length between tabs", b"\t5 \t", "200 200", b"hello", b""),
    sized("9110 8.6", "leading zeros", b" 005", "200 200", b"hello", b""),
    sized("9110 8.6", "many leading zeros", b" " + b"0" * 40 + b"5", "200 200 | 400", b"hello", b""),
    case("9112 6.3", "a length of 0", post(b"Content-Length: 0", NEXT), "200 200"),
    case("9112 6.3", "neither: no body", post(b"", NEXT), "200 200"),
    case("9110 5.1", "its name in capitals", post(b"CONTENT-LENGTH: 5", b"hello" + NEXT), "200 200",
         b"hello", b""),
    case("9110 9.3.1", "GET with a body", get(fields=b"Content-Length: 5") + b"hello" + NEXT,
         "200 200", b"hello", b""),
    case("9110 9.3.2", "HEAD with a body",
         b"HEAD /~~~/a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello" + NEXT,
         "200 200", b"hello", b""),
    case("9110 9.3.5", "DELETE with a body",
         b"DELETE /~~~/a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello" + NEXT, "200 200",
         b"hello", b""),
    case("F16", "a body that looks like a request", post(b"Content-Length: %d" % len(HIDDEN), HIDDEN + NEXT),
         "200 200", HIDDEN, b""),
    case("9112 8", "a body that ends early", post(b"Content-Length: 50", b"hello"), "- | 400"),
    refused_length("a plus", b" +5"),
    refused_length("a minus", b" -5"),
    refused_length("hex", b" 0x5"),
    refused_length("two numbers", b" 5 5"),
    refused_length("a fraction", b" 5.0"),
    refused_length("an exponent", b" 5e0"),
    refused_length("a parameter", b" 5;a=b"),
    refused_length("quotes", b' "5"'),
    refused_length("nothing", b""),
    refused_length("only spaces", b"  "),
    refused_length("a vertical tab", b" \x0b5"),
    refused_length("a NUL behind it", b" 5\0"),
    refused_length("Arabic digits", " \u0665".encode()),
    refused_length("a comma behind it", b" 5,", "400"),
    refused_length("2^64 + 5", b" 18446744073709551621", "400/413"),
    refused_length("2^64 - 1", b" 18446744073709551615", "413"),
    refused_length("2^63", b" 9223372036854775808", "413"),
    refused_length("2^32 + 5", b" 4294967301", "413"),
    refused_length("a fold behind it", b" 5\r\n 0", rule="9112 5.2"),
    refused("9112 5.1", "a space before the colon", b"Content-Length : 5", body=b"hello" + HIDDEN),
    refused("9112 5.1", "a tab before the colon", b"Content-Length\t: 5", body=b"hello" + HIDDEN),
    refused("9110 5.1", "a space in the name", b"Content Length: 5", body=b"hello" + HIDDEN),
    # more lengths than one
    case("9112 6.3", "twice the same", post(b"Content-Length: 5\r\nContent-Length: 5", b"hello" + NEXT),
         "400 | 200 200", b"hello", b""),
    case("9112 6.3", "the same as a list", post(b"Content-Length: 5, 5", b"hello" + NEXT),
         "400 | 200 200", b"hello", b""),
    refused("9112 6.3", "two that differ", b"Content-Length: 5\r\nContent-Length: 6", body=b"hello" + HIDDEN),
    refused("9112 6.3", "0 and another", b"Content-Length: 0\r\nContent-Length: 5", body=b"hello" + HIDDEN),
    refused("9112 6.3", "a list of two", b"Content-Length: 5, 6", body=b"hello" + HIDDEN),
    refused("9112 6.3", "the same number written twice", b"Content-Length: 5\r\nContent-Length: 05",
            "400", b"hello" + HIDDEN),
    # a length and a coding
    refused("9112 6.3", "length, then chunked", b"Content-Length: 5\r\nTransfer-Encoding: chunked"),
    refused("9112 6.3", "chunked, then length", b"Transfer-Encoding: chunked\r\nContent-Length: 5"),
    refused("9112 6.3", "length 0, then chunked", b"Content-Length: 0\r\nTransfer-Encoding: chunked"),
    refused("9112 6.3", "chunked, then length 0", b"Transfer-Encoding: chunked\r\nContent-Length: 0"),
    refused("9112 6.3", "a wrong length, then chunked", b"Content-Length: x\r\nTransfer-Encoding: chunked"),
    refused("9112 6.3", "gzip and a length", b"Transfer-Encoding: gzip\r\nContent-Length: 5", "400/501"),
    # what a coding looks like
    coded("9112 7.1", "chunked", b"Transfer-Encoding: chunked", "200 200", b"hello", b""),
    coded("9112 7", "capitals", b"transfer-encoding: CHUNKED", "200 200", b"hello", b""),
    coded("9110 5.5", "tabs around it", b"Transfer-Encoding:\tchunked\t", "200 200", b"hello", b""),
    coded("9110 5.6.1", "an empty list element", b"Transfer-Encoding: , chunked", "200 200 | 400/501",
          b"hello", b""),
    case("9112 6.1", "chunked in HTTP/1.0", post(b"Transfer-Encoding: chunked", BOTH, b"HTTP/1.0"), "400"),
    refused("9112 6.3", "chunked, gzip", b"Transfer-Encoding: chunked, gzip", "400/501"),
    refused("9112 6.1", "gzip, chunked", b"Transfer-Encoding: gzip, chunked", "400/501"),
    refused("9112 6.1", "identity", b"Transfer-Encoding: identity", "400/501"),
    refused("9112 6.1", "an unknown one", b"Transfer-Encoding: xchunked", "400/501"),
    refused("9112 7.1", "chunked on two lines", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "400/501"),
    refused("9112 7.1", "chunked, chunked", b"Transfer-Encoding: chunked, chunked", "400/501"),
    refused("9112 6.3", "chunked, then another line", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
            "400/501"),
    refused("9112 6.1", "another line, then chunked", b"Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
            "400/501"),
    refused("9112 7", "a parameter", b"Transfer-Encoding: chunked;q=1", "400/501"),
    refused("9112 7", "quotes", b'Transfer-Encoding: "chunked"', "400/501"),
    refused("9110 5.5", "a vertical tab", b"Transfer-Encoding: \x0bchunked", "400/501"),
    refused("9110 5.5", "a NUL before it", b"Transfer-Encoding: \0chunked"),
    refused("9110 5.5", "a NUL in the name", b"Transfer-Encoding\0: chunked"),
    refused("9112 6.1", "nothing", b"Transfer-Encoding:", "400/501"),
    refused("9112 5.1", "a space before the colon", b"Transfer-Encoding : chunked"),
    refused("9112 5.2", "folded", b"Transfer-Encoding:\r\n chunked"),
    refused("9112 5.2", "folded with a tab", b"Transfer-Encoding: chunked,\r\n\tchunked"),
    refused("9112 5.2", "in a fold of another field", b"X: y\r\n Transfer-Encoding: chunked"),
    refused("9110 5.1", "a space before the name",
            b"X: y\r\nContent-Length: 5\r\n Transfer-Encoding: chunked"),
    case("9110 5.1", "an underscore for the hyphen", post(b"Transfer_Encoding: chunked", NEXT), "200 200"),
    case("9110 5.1", "a name that ends so", post(b"X-Transfer-Encoding: chunked", NEXT), "200 200"),
]
