"""Targets and Host. Source: RFC 9112 section 3.2, RFC 9110 sections 4.2 and 7.2."""

from odd_requests.case import HIDDEN, NEXT, case, get, post


def read(rule, what, target, wanted="200 200"):
    return case(rule, what, get(target) + NEXT, wanted)


def refused(rule, what, target, wanted="400"):
    return case(rule, what, get(target) + HIDDEN, wanted)


def host(what, line, wanted="400", rule="9112 3.2"):
    return case(rule, what, get(host=line) + (NEXT if " 200" in wanted else HIDDEN), wanted)


CASES = [
    # origin-form
    read("9112 3.2.1", "a query", b"/~~~/a?b=c&d=%20+e"),
    read("9112 3.2.1", "an empty query", b"/~~~/a?"),
    read("9112 3.2.1", "two question marks", b"/~~~/a??b"),
    read("9110 4.2.3", "percent-encoding", b"/~~~/%61%2f%2F%e2%82%ac"),
    read("3986 3.3", "all that a path may have", b"/~~~/-._!$&'()*+,;=:@/%20"),
    read("3986 3.3", "empty segments", b"//~~~///a//"),
    read("3986 5.2.4", "dots", b"/~~~/b/./../a"),
    read("3986 5.2.4", "dots that are encoded", b"/~~~/b/%2e%2e/a"),
    read("3986 5.2.4", "dots beyond the root", b"/~~~/../../../a", "200 200 | 400"),
    read("3986 2.1", "half a percent-encoding", b"/~~~/a%", "200 200 | 400"),
    read("3986 2.1", "no hex digits", b"/~~~/a%zz", "200 200 | 400"),
    read("3986 2.1", "an encoded NUL", b"/~~~/a%00b", "200 200 | 400"),
    read("3986 2.1", "an encoded line end", b"/~~~/a%0d%0aX:%20y", "200 200 | 400"),
    read("9112 3.2", "characters that are none of a target", b'/~~~/"<>\\^`{|}', "200 200 | 400"),
    read("9112 3.2", "bytes beyond ASCII", "/~~~/\u00e9".encode(), "200 200 | 400"),
    refused("9112 3.2", "a fragment", b"/~~~/hidden#b"),
    refused("9112 3.2", "a NUL", b"/~~~/hidden\0b"),
    refused("9112 3.2", "a control character", b"/~~~/hidden\x01"),
    refused("9112 3.2", "DEL", b"/~~~/hidden\x7f"),
    refused("9112 3.2", "a tab", b"/~~~/hidden\tb"),
    refused("9112 3.2", "a carriage return", b"/~~~/hidden\rb"),
    refused("9112 3.2", "no slash", b"~~~/hidden"),
    refused("9112 3.2", "a query without a path", b"?~~~hidden"),
    refused("F19", "a long target", b"/~~~/hidden?" + b"a" * 64 * 1024, "414/431"),
    read("9112 3", "a target of 3000 bytes", b"/~~~/a?" + b"a" * 3000),
    # absolute-form
    read("9112 3.2.2", "absolute-form", b"http://a/~~~/a?b"),
    read("9110 4.2.3", "a scheme in capitals", b"HTTP://a/~~~/a", "200 200 | 400"),
    read("9112 3.2.2", "an authority other than Host", b"http://b/~~~/a", "200 200 | 400"),
    read("9112 3.2.2", "a port", b"http://a:80/~~~/a"),
    read("9112 3.2.2", "a path that looks absolute", b"/http://b/~~~/a"),
    read("9110 4.2.3", "no path", b"http://a?~~~", "200 200 | 400"),
    read("9110 4.2.2", "https", b"https://a/~~~/a", "200 200 | 400/421"),
    refused("9110 4.2.1", "no authority", b"http:///~~~/hidden"),
    refused("9110 4.2.4", "a user", b"http://u:p@a/~~~/hidden"),
    refused("9112 3.2.2", "a scheme with one slash", b"http:/~~~/hidden"),
    refused("9112 3.2.2", "a scheme that is none of ours", b"ftp://a/~~~/hidden", "400/421"),
    refused("9112 3.2.2", "a scheme that is no scheme", b"1http://a/~~~/hidden"),
    refused("9110 7.2", "a space in the authority", b"http://a /~~~/hidden"),
    refused("9110 4.2.1", "a port that is none", b"http://a:x/~~~/hidden"),
    case("9112 3.2", "absolute-form without Host", get(b"http://a/~~~/hidden", host=b"") + HIDDEN, "400"),
    # asterisk-form and authority-form
    case("9112 3.2.4", "OPTIONS *", b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n" + NEXT, "200 200"),
    case("9110 9.3.7", "OPTIONS of a path", b"OPTIONS /~~~/a HTTP/1.1\r\nHost: a\r\n\r\n" + NEXT, "200 200"),
    refused("9112 3.2.4", "GET *", b"*"),
    refused("9112 3.2.4", "an asterisk and more", b"*/~~~/hidden"),
    refused("9112 3.2.3", "GET of an authority", b"a:80"),
    case("9110 9.3.6", "CONNECT", b"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n" + HIDDEN, "400/405/501"),
    case("9112 3.2.3", "CONNECT of a path", b"CONNECT /~~~/hidden HTTP/1.1\r\nHost: a\r\n\r\n" + HIDDEN,
         "400/405/501"),
    # Host
    host("none", b""),
    host("two", b"Host: a\r\nHost: b\r\n"),
    host("the same twice", b"Host: a\r\nHost: a\r\n"),
    host("two with others between them", b"Host: a\r\nX: y\r\nhOST: b\r\n"),
    host("empty", b"Host:\r\n", "200 200 | 400", "9110 7.2"),
    host("a port", b"Host: a:8080\r\n", "200 200", "9110 7.2"),
    host("an empty port", b"Host: a:\r\n", "200 200 | 400", "3986 3.2.3"),
    host("an address", b"Host: 127.0.0.1\r\n", "200 200", "3986 3.2.2"),
    host("an IPv6 address", b"Host: [::1]:80\r\n", "200 200", "3986 3.2.2"),
    host("half a bracket", b"Host: [::1\r\n"),
    host("a list", b"Host: a, b\r\n"),
    host("a space", b"Host: a b\r\n"),
    host("a path", b"Host: a/b\r\n"),
    host("a query", b"Host: a?b\r\n"),
    host("a user", b"Host: u@a\r\n"),
    host("a whole address", b"Host: http://a\r\n"),
    host("a port that is none", b"Host: a:x\r\n"),
    host("a port beyond 65535", b"Host: a:99999\r\n", "400 | 200 200"),
    host("a NUL", b"Host: a\0\r\n"),
    host("quotes", b'Host: "a"\r\n'),
    host("bytes beyond ASCII", "Host: \u00e9\r\n".encode(), "400"),
    host("a space before the colon", b"Host : a\r\n", rule="9112 5.1"),
    host("folded", b"Host:\r\n a\r\n", rule="9112 5.2"),
    case("9112 3.2", "none in HTTP/1.0", get(version=b"HTTP/1.0", host=b"") + HIDDEN, "200"),
    case("9112 3.2", "two in HTTP/1.0", get(version=b"HTTP/1.0", host=b"Host: a\r\nHost: b\r\n") + HIDDEN,
         "400"),
    case("9112 3.2", "a wrong one before a body", post(b"Host: b\r\nContent-Length: 40", HIDDEN), "400"),
]
