"""Request lines, field lines and where lines end. Source: RFC 9112 sections 2.2, 3 and 5. FAULTS F15, F19."""

from odd_requests.case import HIDDEN, NEXT, case, get


def line(what, first, wanted="400", rule="9112 3"):
    return case(rule, what, first + b"\r\nHost: a\r\n\r\n" + (NEXT if " 200" in wanted else HIDDEN), wanted)


def field(what, text, wanted="400", rule="9112 5"):
    return case(rule, what, get(fields=text) + (NEXT if " 200" in wanted else HIDDEN), wanted)


CASES = [
    # line ends
    case("9112 2.2", "line feeds alone", get().replace(b"\r", b"") + NEXT, "400 | 200 200"),
    case("9112 2.2", "a line feed behind the request line", get().replace(b"\r\n", b"\n", 1) + NEXT,
         "400 | 200 200"),
    case("9112 2.2", "a line feed for the empty line", get()[:-2] + b"\n" + NEXT, "400 | 200 200"),
    case("9112 2.2", "carriage returns alone", get().replace(b"\n", b"") + HIDDEN, "400"),
    case("9112 2.2", "two carriage returns at an end", get().replace(b"\r\n", b"\r\r\n", 1) + HIDDEN, "400"),
    case("9112 2.2", "an empty line before", b"\r\n" + get() + NEXT, "200 200"),
    case("9112 2.2", "an empty line between", get() + b"\r\n" + NEXT, "200 200"),
    case("9112 2.2", "many empty lines before", b"\r\n" * 5 + get() + NEXT, "200 200 | 400"),
    case("9112 2.2", "a line feed before", b"\n" + get() + NEXT, "200 200 | 400"),
    case("9112 2.2", "a carriage return before", b"\r" + get() + HIDDEN, "400"),
    case("9112 2.2", "a space before the first field", get().replace(b"Host", b" X: y\r\nHost") + HIDDEN,
         "400"),
    case("9112 2.2", "a line of spaces", get(fields=b"  ") + HIDDEN, "400"),
    case("9112 8", "half a head", b"GET /~~~/hidden HTTP/1.1\r\nHost: a\r\n", "- | 400"),
    case("9112 8", "half a line", b"GET /~~~/hid", "- | 400"),
    # the request line
    line("a space before", b" GET /~~~/hidden HTTP/1.1"),
    line("two spaces", b"GET  /~~~/hidden HTTP/1.1"),
    line("two spaces before the version", b"GET /~~~/hidden  HTTP/1.1"),
    line("tabs for spaces", b"GET\t/~~~/hidden\tHTTP/1.1"),
    line("a vertical tab for a space", b"GET\x0b/~~~/hidden HTTP/1.1"),
    line("a space behind", b"GET /~~~/hidden HTTP/1.1 "),
    line("a fourth word", b"GET /~~~/hidden HTTP/1.1 x"),
    line("a space in the target", b"GET /~~~/hid den HTTP/1.1"),
    line("no target", b"GET HTTP/1.1"),
    line("only a method", b"GET"),
    line("no version", b"GET /~~~/hidden"),
    line("a version of two digits", b"GET /~~~/hidden HTTP/1.10", "400/505", "9112 2.3"),
    line("a version with a zero", b"GET /~~~/hidden HTTP/01.1", "400/505", "9112 2.3"),
    line("a version without a point", b"GET /~~~/hidden HTTP/11", "400/505", "9112 2.3"),
    line("a version without digits", b"GET /~~~/hidden HTTP/x.y", "400/505", "9112 2.3"),
    line("half a version", b"GET /~~~/hidden HTTP/1.", "400/505", "9112 2.3"),
    line("small letters", b"GET /~~~/hidden http/1.1", "400/505", "9112 2.3"),
    line("another protocol", b"GET /~~~/hidden ICAP/1.1", "400/505", "9112 2.3"),
    line("HTTP/0.9", b"GET /~~~/hidden HTTP/0.9", "400/505", "9110 2.5"),
    line("HTTP/2.0", b"GET /~~~/hidden HTTP/2.0", "400/505", "9110 2.5"),
    line("HTTP/3.1", b"GET /~~~/hidden HTTP/3.1", "400/505", "9110 2.5"),
    case("9110 2.5", "HTTP/1.2", get(version=b"HTTP/1.2") + NEXT, "200 200 | 505 | 400"),
    case("9113 3.4", "the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400/505"),
    line("a NUL behind the method", b"GET\0 /~~~/hidden HTTP/1.1", rule="9110 5.6.2"),
    line("a method that is no token", b"G@T /~~~/hidden HTTP/1.1", rule="9110 5.6.2"),
    line("a method with a colon", b"GET: /~~~/hidden HTTP/1.1", rule="9110 5.6.2"),
    line("no method", b" /~~~/hidden HTTP/1.1"),
    line("a method without an end", b"A" * 100_000 + b" /~~~/hidden HTTP/1.1", "400/414/431/501", "F19"),
    case("9110 9.1", "an unknown method", b"BREW /~~~/a HTTP/1.1\r\nHost: a\r\n\r\n" + NEXT,
         "200 200 | 405/501 200 | 405/501"),
    case("9110 9.1", "a method in small letters", b"get /~~~/a HTTP/1.1\r\nHost: a\r\n\r\n" + NEXT,
         "200 200 | 405/501 200 | 405/501"),
    # fields
    field("no colon", b"X"),
    field("no name", b": x"),
    field("a space in the name", b"X Y: z"),
    field("a space before the colon", b"X : y", rule="9112 5.1"),
    field("a bracket in the name", b"X(): y", rule="9110 5.6.2"),
    field("a byte beyond ASCII in the name", b"X\xe9: y", rule="9110 5.6.2"),
    field("a NUL in the name", b"X\0: y", rule="9110 5.6.2"),
    field("a NUL in the value", b"X: a\0b", rule="9110 5.5"),
    field("a carriage return in the value", b"X: a\rb", rule="9110 5.5"),
    field("a carriage return that hides a field", b"X: a\rContent-Length: 40", rule="9110 5.5"),
    field("a line feed in the value", b"X: a\nY: b", "400 | 200 200", "9112 2.2"),
    field("a folded value", b"X: a\r\n b", rule="9112 5.2"),
    field("a value folded with a tab", b"X: a\r\n\tb", rule="9112 5.2"),
    field("an empty fold", b"X: a\r\n \r\nY: b", rule="9112 5.2"),
    field("no value", b"X:", "200 200", "9110 5.5"),
    field("a value of spaces", b"X: \t ", "200 200", "9110 5.5"),
    field("bytes beyond ASCII in the value", b"X: \xe9\xff", "200 200", "9110 5.5"),
    field("a control character in the value", b"X: a\x01b", "400 | 200 200", "9110 5.5"),
    field("DEL in the value", b"X: a\x7fb", "400 | 200 200", "9110 5.5"),
    field("colons in the value", b"X: ::", "200 200", "9112 5"),
    field("a long value", b"X: " + b"y" * 3000, "200 200", "9110 5.4"),
    field("too long a value", b"X: " + b"y" * 200_000, "400/431", "F19"),
    field("too many fields", b"\r\n".join([b"X: y"] * 5000), "400/431", "F19"),
]
