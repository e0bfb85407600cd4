"""What the server prints is bounded and says nothing it should not: FAULTS F28 over the wire. Usage: ... HEDDLE"""
import contextlib
import json
import random
import re
import socket
import sqlite3
import string
import sys
import time

import app_serving
from app_serving import Server, becomes, request

heddle = sys.argv[1]
MIB = 1024 * 1024
FLAGS = ('--http.access_log=true', '--log.format=json')


def server(*flags, **options):
    return Server(heddle, 'serve', '--http.port={port}', *FLAGS, *flags, **options)


class Raw:
    """A connection that sends what it is told, and reads answers by their Content-Length."""

    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port), 20)
        self.reader = self.socket.makefile('rb')

    def exchange(self, head, body=b''):
        self.socket.sendall(head + b'\r\n\r\n' + body)
        return self.answer()

    def answer(self):
        status = int(self.reader.readline().split()[1])
        fields = {}
        while line := self.reader.readline().strip():
            name, value = line.decode('latin-1').split(':', 1)
            fields[name.lower()] = value.strip()
        return status, fields, self.reader.read(int(fields.get('content-length', 0)))

    def close(self):
        self.reader.close()
        self.socket.close()


def all_of(port, heads):
    """The statuses of many requests, pipelined: a hundred at a time."""
    statuses, raw = [], Raw(port)
    for at in range(0, len(heads), 100):
        raw.socket.sendall(b''.join(head + b'\r\n\r\n' for head in heads[at:at + 100]))
        statuses += [raw.answer()[0] for _ in heads[at:at + 100]]
    raw.close()
    return statuses


def series(one):
    text = one.get('/metrics').body.decode()
    return {line.rsplit(' ', 1)[0] for line in text.splitlines() if line and not line.startswith('#')}


def lines(one):
    return [json.loads(line) for line in one.output().splitlines()]


def names(seed, count, letters):
    chance = random.Random(seed)
    return [''.join(chance.choices(letters, k=chance.randint(3, 20))) for _ in range(count)]


def unknown_paths_and_methods_leave_no_series_and_little_memory():
    with server() as one:
        request(one.port, 'GET', '/orders/1')
        paths = names(1, 24_000, string.ascii_letters + string.digits + '-_/')
        heads = [f'GET /{path} HTTP/1.1\r\nHost: a'.encode() for path in paths]
        methods = [f'{method} /{path} HTTP/1.1\r\nHost: a'.encode()
                   for method, path in zip(names(2, 500, string.ascii_uppercase), paths)]
        assert set(all_of(one.port, heads[:4000])) == {404}  # what all share exists after these
        before, memory = series(one), one.rss()
        assert set(all_of(one.port, heads[4000:])) == {404}
        refused = all_of(one.port, methods)
        assert set(refused) <= {404, 405, 501}, set(refused)
        grown = series(one) - before
        assert len(grown) <= 10, grown
        print(f'  {len(grown)} series and {(one.rss() - memory) // 1024} KiB more')
        assert one.rss() - memory <= 4 * MIB, one.rss() - memory
        assert not any(path in text for path in paths[:50] if len(path) > 8 for text in series(one))
        assert one.terminate() == 0


def each_request_is_one_line_whatever_is_in_it():
    hostile = [
        b'GET /orders/%0d%0aFORGED HTTP/1.1\r\nHost: a',
        b'GET /%0d%0aFORGED%20line HTTP/1.1\r\nHost: a',
        b'GET /%1b%5b31mFORGED HTTP/1.1\r\nHost: a',
        b'GET /orders?customer=%0aFORGED HTTP/1.1\r\nHost: a',
        b'GET /hello HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\tb FORGED',
        b'GET /hello HTTP/1.1\r\nHost: a\r\nUser-Agent: \xc2\x9b31m\xff\xfeFORGED',
        b'GET /hello HTTP/1.1\r\nHost: a\r\nUser-Agent: ' + b'u' * 12_000,
        b'GET /' + b'p' * 8000 + b' HTTP/1.1\r\nHost: a',
        b'F' * 30 + b' /hello HTTP/1.1\r\nHost: a',
    ]
    refused = [
        b'GET /hello HTTP/1.1\r\nHost: a\r\nUser-Agent: \x1b[31mFORGED',
        b'GET /hello HTTP/1.1\r\nHost: a\r\nUser-Agent: ' + b'u' * 16 * 1024,
        b'GET /hello\x1b[31mFORGED HTTP/1.1\r\nHost: a',
        b'GET /hello HTTP/1.1\r\nHost: a\r\nX: a\rFORGED: b',
    ]
    with server() as one:
        began = len(lines(one))
        for head in hostile:
            raw = Raw(one.port)
            status, _, _ = raw.exchange(head)
            raw.close()
            assert 200 <= status < 500 and status != 431, (status, head[:80])
        becomes(lambda: len(lines(one)) >= began + len(hostile), one)
        for head in refused:
            raw = Raw(one.port)
            status, _, _ = raw.exchange(head)
            raw.close()
            assert status in (400, 431), (status, head[:80])
        request(one.port, 'GET', '/hello')
        becomes(lambda: len(lines(one)) > began + len(hostile), one)
        assert one.terminate() == 0
        output = one.output()
        written = lines(one)  # and each of them is JSON
        of_requests = [line['target'] for line in written[began:]
                       if line['message'] == 'request' and line['target'] != '/readyz']
        # What is no request, and was refused as such, need not have a line: but not two.
        assert len(hostile) < len(of_requests) <= len(hostile) + len(refused) + 1, of_requests
        assert not re.search(r'[\x00-\x09\x0b-\x1f\x7f-\x9f]', output), 'control bytes in the log'
        assert all(len(line) < 1000 for line in output.splitlines()), 'a long value is not cut'
        assert not any(line.lstrip().startswith('FORGED') for line in output.splitlines())


def says_nothing_of_the_database(answers, secrets):
    for status, body in answers:
        text = body.decode(errors='replace')
        for secret in secrets:
            assert secret.lower() not in text.lower(), f'{status} says {secret!r}: {text}'


def an_error_in_sql_is_told_to_the_log_alone():
    with server() as one, contextlib.closing(sqlite3.connect(one.path / 'heddle.db', timeout=30)) as database:
        database.execute('ALTER TABLE orders RENAME COLUMN state TO elsewhere')
        database.commit()
        answers = [one.get('/orders/42/state'), one.get('/orders/42'), one.get('/orders'),
                   one.post('/orders', {'customer_id': 7, 'sku': 'tea', 'quantity': 2})]
        assert {answer.status for answer in answers} == {500}, [answer.status for answer in answers]
        says_nothing_of_the_database([(answer.status, answer.body) for answer in answers],
                                     ['sql', 'select', 'no such column', 'orders.', 'heddle.db', str(one.path)])
        becomes(lambda: 'elsewhere' in one.output() or 'state' in one.output(), one)
        for answer in answers:
            name = answer.json()['request_id']
            assert one.output().count(name) >= 1, f'{name} is not in the log\n{one.output()}'
        assert one.terminate() == 0


def a_database_that_cannot_be_had_is_not_named():
    port = app_serving.free_port()  # where nobody listens
    url = f'postgresql://carla@127.0.0.1:{port}/treasure'
    with server(f'--database.url={url}', ready='/healthz') as one:
        began = time.monotonic()
        answers = []
        while time.monotonic() < began + 3 and len(answers) < 20:
            answers += [one.get('/orders/42'), one.get('/readyz')]
        assert {answer.status for answer in answers} == {503}, {answer.status for answer in answers}
        says_nothing_of_the_database([(answer.status, answer.body) for answer in answers],
                                     ['carla', 'treasure', '127.0.0.1', str(port), 'refused', 'sql'])
        one.terminate()


app_serving.run(unknown_paths_and_methods_leave_no_series_and_little_memory,
                each_request_is_one_line_whatever_is_in_it,
                an_error_in_sql_is_told_to_the_log_alone,
                a_database_that_cannot_be_had_is_not_named)
