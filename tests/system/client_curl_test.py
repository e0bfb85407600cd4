"""curl and h2load as clients: what people have, and what pushes hardest. Usage: ... FAULT_APP"""

import os
import re
import sys
import tempfile

import clients
from wire_app import App, repeats, run

curl = clients.program("curl")
h2load = clients.program("h2load", "nghttp2-client")


def fetch(app, *arguments, path="/ping"):
    """What curl writes of one or more requests; an answer of any status is fine, a broken one is not."""
    return clients.said_by(curl, "-sS", "--max-time", 20, *arguments, f"http://127.0.0.1:{app.port}{path}")


def test_many_requests_use_one_connection(program):
    with App(program) as app:
        urls = [f"http://127.0.0.1:{app.port}/big?bytes={n}" for n in range(50)]
        said = clients.said_by(curl, "-sS", "-w", "\n%{num_connects} %{http_code}\n", *urls).decode()
        outcomes = re.findall(r"^(\d+) (\d+)$", said, re.M)
        assert len(outcomes) == 50 and {status for _, status in outcomes} == {"200"}, outcomes
        assert sum(int(new) for new, _ in outcomes) == 1, outcomes


# RFC 9110 §10.1.1
def test_expect_100_continue(program):
    """curl waits a second for the 100 before it sends a large body regardless."""
    with App(program) as app, tempfile.NamedTemporaryFile() as file:
        file.write(os.urandom(1024 * 1024))
        file.flush()
        common = ("-H", "Expect: 100-continue", "--expect100-timeout", "15", "-v")
        done = clients.said_by(curl, "-sS", *common, "--data-binary", f"@{file.name}", "-w", "%{time_total}",
                               "-o", os.devnull, "--stderr", "-", f"http://127.0.0.1:{app.port}/echo")
        text = done.decode("latin-1")
        assert "< HTTP/1.1 100 Continue" in text and "< HTTP/1.1 200 OK" in text, text[-1500:]
        assert float(re.search(r"([\d.]+)$", text)[1]) < 10, "the 100 did not come"
        file.write(b"x")
        file.flush()
        refused = clients.said_by(curl, "-sS", *common, "--data-binary", f"@{file.name}", "-o", os.devnull,
                                  "--stderr", "-", f"http://127.0.0.1:{app.port}/echo").decode("latin-1")
        assert "< HTTP/1.1 413" in refused and "100 Continue" not in refused, refused[-1500:]


# RFC 9112 §7.1
def test_a_chunked_upload(program):
    with App(program) as app, tempfile.NamedTemporaryFile() as file:
        data = os.urandom(700_001)
        file.write(data)
        file.flush()
        echoed = fetch(app, "-H", "Transfer-Encoding: chunked", "--data-binary", f"@{file.name}",
                       path="/echo")
        assert echoed == data
        echoed = clients.said_by(curl, "-sS", "-T", "-", "-X", "POST", f"http://127.0.0.1:{app.port}/echo",
                                 input=data)
        assert echoed == data


# RFC 9110 §9.3.2
def test_head_has_the_length_and_no_body(program):
    with App(program) as app:
        head = fetch(app, "--head", "-w", "%{size_download}", path="/big?bytes=12345").decode()
        assert re.search(r"^content-length: 12345\r$", head, re.I | re.M) and head.endswith("\r\n\r\n0"), head
        url = f"http://127.0.0.1:{app.port}/ping"
        both = clients.said_by(curl, "-sS", "-I", "-w", "%{num_connects}", url, url).decode()
        assert both.endswith("\r\n\r\n0"), "no second request on the connection after a HEAD"


# RFC 9112 §9.3: the connection ends if nobody asks to keep it, and with it a body without a known length.
def test_http_1_0(program):
    with App(program) as app:
        said = fetch(app, "-0", "-i").decode()
        assert said.startswith("HTTP/1.1 200") and said.endswith("\r\n\r\npong"), said
        assert re.search(r"^connection: close\r$", said, re.I | re.M), said
        assert len(fetch(app, "-0", path="/stream?bytes=123456")) == 123456
        said = fetch(app, "-0", "-i", path="/stream?bytes=10").decode()
        assert "transfer-encoding" not in said.lower(), said


def test_a_streamed_answer_is_whole_or_known_to_be_cut(program):
    with App(program) as app:
        assert len(fetch(app, path="/stream?bytes=1234567")) == 1234567
        try:
            fetch(app, path="/stream?bytes=1234567&fail=500000")
        except AssertionError as error:
            assert "exit code 18" in str(error) or "exit code 56" in str(error), error
        else:
            raise AssertionError("curl took a cut answer for a whole one")


def hurl(app, requests, connections, pipelined, path):
    """h2load's own count; every request must have been answered 200."""
    said = clients.said_by(h2load, "--h1", "-n", requests, "-c", connections, "-m", pipelined, "-t", 1,
                           f"http://127.0.0.1:{app.port}{path}", timeout=100).decode()
    line = re.search(r"requests: (\d+) total, (\d+) started, (\d+) done, (\d+) succeeded, (\d+) failed, "
                     r"(\d+) errored, (\d+) timeout", said)
    assert line and int(line[4]) == requests and [int(n) for n in line.groups()[4:]] == [0, 0, 0], said
    assert f"status codes: {requests} 2xx" in said, said
    return re.search(r"finished in ([\d.]+m?s), ([\d.]+) req/s", said)[0]


def test_h2load_sees_no_error(program):
    with App(program) as app:
        many = repeats(20_000, 200_000)
        for connections, pipelined, path, requests in (
                (1, 1, "/ping", many // 10), (64, 1, "/ping", many), (64, 16, "/ping", many),
                (16, 8, "/stream?bytes=30000", many // 10), (200, 4, "/big?bytes=2000", many // 2)):
            said = hurl(app, requests, connections, pipelined, path)
            print(f"  {connections} x {pipelined} {path}: {said}")


run(sys.modules[__name__])
