"""Odd requests straight to the server, and through nginx and haproxy: nobody splits them in another way than
the server does, and what lies hidden in one never runs. Arguments: the program odd_app; numbers of cases, if not
all are wanted. (PYTHONPATH: tests/services)"""

import re
import signal
import socket
import subprocess
import sys
import time

import clients
from odd_requests import chunks, connections, heads, lengths, targets
from odd_requests.proxies import Haproxy, Nginx

CASES = lengths.CASES + chunks.CASES + heads.CASES + targets.CASES + connections.CASES


class Server:
    """odd_app, and what it was asked since the last look."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())
        self.seen = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == 0, self.process.returncode

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), 20)

    def asked(self):
        """[(method, target, body)] in bytes."""
        answer = exchange(self.connect, b"GET /asked HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        lines = answer.split(b"\r\n\r\n", 1)[1].decode().splitlines()
        new, self.seen = lines[self.seen:], len(lines)
        return [tuple(bytes.fromhex(word[1:]) for word in line.split(" ")) for line in new]


def exchange(connect, sent):
    """Sends it, and nothing more: whoever waits for more sees the end. What comes back, until it ends."""
    answer = b""
    with connect() as client:
        try:
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it has been answered and closed before it was all sent
        try:
            while data := client.recv(65536):
                answer += data
        except ConnectionResetError:
            pass
    return answer


def answers(data):
    """[(status, number in X-Asked or None)]: what the server of this test says is framed by lengths alone."""
    found = []
    while data.startswith(b"HTTP/1."):
        head, _, rest = data.partition(b"\r\n\r\n")
        status = int(head[9:12])
        length = re.search(rb"(?i)\r\nContent-Length: *(\d+)", head)
        number = re.search(rb"(?i)\r\nX-Asked: *(\d+)", head)
        found.append((status, int(number[1]) if number else None))
        data = rest[int(length[1]) if length else 0:] if status >= 200 else rest
    assert not data or not found, f"bytes behind the last answer: {data[:200]!r}"
    return found


def allowed(wanted, statuses):
    """Whether the statuses are one of the lists that a case wants."""
    for one in wanted.split("|"):
        words = [] if one.strip() == "-" else one.split()
        if len(words) == len(statuses) and all(str(s) in w.split("/") for w, s in zip(words, statuses)):
            return True
    return False


def marked(sent, number):
    """With the case's number in the targets; as many bytes as before, so that lengths stay right."""
    return sent.replace(b"~~~", b"%03d" % number)


def mark_of(target):
    found = re.search(rb"(?:^|[/?])(\d{3})(?=$|[/?])", target)
    return found[1].decode() if found else "without a mark"


def path_and_query(target):
    """Of absolute-form; a proxy may pass it on as origin-form."""
    return re.sub(rb"(?i)^[a-z]+://[^/?]*", b"", target) or b"/"


def comparable(requests):
    groups = {}
    for method, target, body in requests:
        path = path_and_query(target)
        groups.setdefault(mark_of(path), []).append((method, path if path[:1] != b"?" else b"/" + path, body))
    return groups


def alone(server, number, case):
    """What is wrong with the server's answers to the case, or nothing."""
    statuses = [status for status, _ in answers(exchange(server.connect, marked(case.sent, number)))]
    asked = server.asked()
    bodies = [body for _, _, body in asked]
    wanted_bodies = [marked(body, number) for body in case.bodies] or [b""] * len(bodies)
    if not allowed(case.wanted, statuses):
        return f"answered {statuses}"
    if len(asked) != statuses.count(200):
        return f"{statuses.count(200)} were answered 200, but ran: {asked}"
    if any(b"hidden" in target for _, target, _ in asked):
        return f"what was hidden has run: {asked}"
    if bodies != wanted_bodies[:len(bodies)]:
        return f"the bodies were {bodies}"
    return None


def through(proxy, server, number, case):
    """Sends the case, and then, as somebody else, a plain request. Returns what is wrong, and what ran."""
    first = server.seen + 1
    given = [asked for _, asked in answers(exchange(proxy.connect, marked(case.sent, number))) if asked]
    ran = server.asked()
    after = b"/%03d/after" % number
    answer = answers(exchange(proxy.connect, b"GET " + after + b" HTTP/1.1\r\nHost: a\r\n\r\n"))
    ran_after = server.asked()
    wrong = None
    if given != sorted(given) or any(not first <= one < first + len(ran) for one in given):
        wrong = f"answers {given}, but the requests were {first} and the {len(ran)} from it on"
    elif ran_after != [(b"GET", after, b"")] or answer != [(200, server.seen)]:
        wrong = f"the next client's request: {ran_after}, {answer}"
    return wrong, ran + ran_after


def behind(proxy, server, cases):
    """Whether the server takes for requests exactly what the proxy takes for requests."""
    ran, faults = [], []
    with proxy:
        for number, case in cases:
            wrong, asked = through(proxy, server, number, case)
            ran += asked
            if wrong:
                faults.append(told(number, case, f"behind {proxy.name}: {wrong}"))
    taken, ran = comparable(proxy.taken()), comparable(ran)
    for mark in sorted(taken.keys() | ran.keys()):
        if taken.get(mark) != ran.get(mark):
            faults.append(f"{mark}: {proxy.name} took {taken.get(mark)}\n  but the server {ran.get(mark)}")
    count = sum(map(len, taken.values()))
    assert count > len(cases), f"{proxy.name} passed on {count} requests only: {proxy.lines[:3]}"
    print(f"behind {proxy.name}: {count} requests, {len(faults)} of {len(cases)} cases wrong", flush=True)
    return faults


def told(number, case, wrong):
    sent = marked(case.sent, number)
    cut = repr(sent) if len(sent) < 400 else f"{sent[:400]!r} and {len(sent) - 400} bytes more"
    return f"{number:03d}, {case.rule}, {case.what}: {wrong}\n  wanted: {case.wanted}\n  sent: {cut}"


def main(program, *numbers):
    clients.program("nginx")
    clients.program("haproxy")
    cases = [(n, case) for n, case in enumerate(CASES) if not numbers or str(n) in numbers]
    began = time.monotonic()
    with Server(program) as server:
        found = [(number, case, alone(server, number, case)) for number, case in cases]
        faults = [told(number, case, wrong) for number, case, wrong in found if wrong]
        print(f"alone: {len(faults)} of {len(cases)} cases wrong", flush=True)
        for proxy in (Nginx, Haproxy):
            faults += behind(proxy(server.port), server, cases)
    for fault in faults:
        print(fault)
    print(f"{len(cases)} cases in {time.monotonic() - began:.1f} s")
    print(f"{3 * len(cases) - len(faults)} passed, {len(faults)} failed")
    sys.exit(len(faults) > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
