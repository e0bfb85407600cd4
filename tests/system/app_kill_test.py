"""The server is killed (SIGKILL) again and again while clients place orders and take them a step further. After each
restart what was answered is there, and nothing is there by half. Usage: app_kill_test.py HEDDLE"""
import contextlib
import http.client
import json
import os
import pathlib
import random
import sqlite3
import sys
import tempfile
import threading
import time

from app_serving import Server, run

heddle = sys.argv[1]
ROUNDS = 20 if os.environ.get('HEDDLE_REPEAT') == 'full' else 5
CLIENTS = 6
AT_LEAST = 20  # orders answered in each round before the kill
ARTICLES = ['tea', 'coffee', 'cocoa', 'sugar', 'honey', 'salt']


class Client(threading.Thread):
    """Places orders, and pays every second of them, until the connection breaks."""

    def __init__(self, port, seed):
        super().__init__()
        self.connection = http.client.HTTPConnection('127.0.0.1', port, timeout=30)
        self.random = random.Random(seed)
        self.placed, self.paid, self.others = {}, set(), []  # placed: how many items each order has
        self.failure = None

    def run(self):
        try:
            with contextlib.suppress(OSError, http.client.HTTPException):  # the kill
                while True:
                    self.place()
        except Exception as failure:  # for the test's own thread
            self.failure = failure
        finally:
            self.connection.close()

    def place(self):
        chosen = self.random.sample(ARTICLES, self.random.randint(1, len(ARTICLES)))
        answer, body = self.request('POST', '/orders', {
            'customer_id': self.random.randint(1, 1000),
            'items': [{'sku': sku, 'quantity': self.random.randint(1, 5)} for sku in chosen]})
        if answer != 201:
            return self.others.append(answer)
        order = body['id']
        self.placed[order] = len(chosen)
        if self.random.random() < 0.5:
            answer, _ = self.request('PATCH', f'/orders/{order}', {'state': 'paid'})
            self.paid.add(order) if answer == 200 else self.others.append(answer)

    def request(self, method, path, body):
        self.connection.request(method, path, json.dumps(body), {'Content-Type': 'application/json'})
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())


def write_until_killed(server, seed):
    clients = [Client(server.port, seed * CLIENTS + i) for i in range(CLIENTS)]
    for client in clients:
        client.start()
    while sum(len(client.placed) for client in clients) < AT_LEAST:
        assert server.process.poll() is None, server.output()
        assert any(client.is_alive() for client in clients), [client.failure for client in clients]
        time.sleep(0.005)
    time.sleep(random.Random(seed).uniform(0, 0.3))
    server.process.kill()
    for client in clients:
        client.join()
        if client.failure:
            raise client.failure
    server.process.wait()
    return clients


def rows(database, sql):
    return database.execute(sql).fetchall()


def check_nothing_is_there_by_half(database):
    assert rows(database, 'PRAGMA integrity_check') == [('ok',)]
    assert rows(database, 'PRAGMA foreign_key_check') == []
    half = rows(database, '''SELECT id FROM orders WHERE total_cents IS NOT
        (SELECT sum(quantity * unit_price_cents) FROM order_items WHERE order_id = orders.id)''')
    assert not half, f'orders whose items do not add up to their total: {half}'
    untold = rows(database, '''SELECT id FROM orders WHERE state IS NOT
        (SELECT note FROM order_events WHERE order_id = orders.id ORDER BY at DESC, rowid DESC LIMIT 1)''')
    assert not untold, f'orders whose history does not end with their state: {untold}'


def check_what_was_answered(server, database, placed, paid):
    items = dict(rows(database, 'SELECT order_id, count(*) FROM order_items GROUP BY order_id'))
    states = dict(rows(database, 'SELECT id, state FROM orders'))
    lost = [order for order in placed if order not in states]
    assert not lost, f'answered 201 and lost: {lost}'
    wrong = {order: items.get(order) for order, count in placed.items() if items.get(order) != count}
    assert not wrong, f'orders with another number of items than was posted: {wrong}'
    unpaid = [order for order in paid if states[order] != 'paid']
    assert not unpaid, f'answered 200 to PATCH and not paid: {unpaid}'
    for order in random.Random(len(placed)).sample(sorted(placed), 5):
        assert len(server.get(f'/orders/{order}').json()['items']) == placed[order]


def what_was_answered_survives_a_kill():
    with tempfile.TemporaryDirectory(prefix='heddle-') as directory:
        path = pathlib.Path(directory, 'heddle.db')
        placed, paid, unanswered, others, slowest = {}, set(), 0, 0, 0

        def server():
            return Server(heddle, 'serve', '--http.port={port}', f'--database.path={path}')

        with server() as first:
            assert first.terminate() == 0  # with its 10 000 orders
        for seed in range(ROUNDS):
            with server() as one:
                clients = write_until_killed(one, seed)
            for client in clients:
                placed.update(client.placed)
                paid |= client.paid
                others += len(client.others)
            log_bytes = path.with_name('heddle.db-wal').stat().st_size
            began = time.monotonic()
            with server() as one, contextlib.closing(sqlite3.connect(path, timeout=30)) as database:
                slowest = max(slowest, time.monotonic() - began)
                check_nothing_is_there_by_half(database)
                check_what_was_answered(one, database, placed, paid)
                there = rows(database, 'SELECT count(*) FROM orders')[0][0] - 10_000
                print(f'kill {seed + 1}: {sum(len(client.placed) for client in clients)} answered 201, '
                      f'log {log_bytes // 1024} KiB', flush=True)
                unanswered = there - len(placed)
                assert one.terminate() == 0
        print(f'{ROUNDS} kills: {len(placed)} orders answered 201 and {len(paid)} steps answered 200, none lost; '
              f'{unanswered} written whose answer was cut off; {others} other answers; '
              f'slowest start {slowest * 1000:.0f} ms')
        assert unanswered <= ROUNDS * CLIENTS, 'each client waits for one answer at a time'


run(what_was_answered_survives_a_kill)
