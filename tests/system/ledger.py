"""Clients that place orders, each under a key of its own, while something goes wrong all the time; and the account
of what they were told, to be compared with the tables."""
import contextlib
import http.client
import json
import random
import socket
import struct
import threading
import time
import uuid

ARTICLES = ['tea', 'coffee', 'cocoa', 'sugar', 'honey', 'salt']
UNKNOWN = 'urn:heddle:commit-unknown'


class Ledger:
    """Per key the order that a client was told of; or that it was refused; or that nobody knows."""

    def __init__(self):
        self.lock = threading.Lock()
        self.orders = {}  # key: (order, how many items)
        self.refused = set()  # told that nothing was written, and not asked for again
        self.unknown = {}  # key: the body to ask again with
        self.wrong = []
        self.answers = {}  # status: how many; and why there was none: how many

    def note(self, what):
        with self.lock:
            self.answers[what] = self.answers.get(what, 0) + 1

    def place(self, key, order, items):
        with self.lock:
            before = self.orders.setdefault(key, (order, items))
            if before != (order, items):
                self.wrong.append(f'{key}: order {before} first, {(order, items)} later')


class Client(threading.Thread):
    """Places orders until `stop` is set. Whatever happens to it goes into the ledger."""

    def __init__(self, port, ledger, seed, stop):
        super().__init__(daemon=True)
        self.port, self.ledger, self.stop = port, ledger, stop
        self.random = random.Random(seed)
        self.connection = None

    def run(self):
        try:
            while not self.stop.is_set():
                self.one_order()
        except Exception as failure:  # for the test's own thread
            with self.ledger.lock:
                self.ledger.wrong.append(f'a client ended: {failure!r}')

    def one_order(self):
        chosen = self.random.sample(ARTICLES, self.random.randint(1, 3))
        body = json.dumps({'customer_id': self.random.randint(1, 1000),
                           'items': [{'sku': sku, 'quantity': 1} for sku in chosen]})
        key = str(uuid.UUID(int=self.random.getrandbits(128)))
        if self.random.random() < 0.1:
            return self.ask_and_go_away(key, body)
        outcome = self.ask(key, body)
        if outcome == 'refused':
            with self.ledger.lock:
                self.ledger.refused.add(key)
            self.stop.wait(0.01)
        elif outcome == 'unknown':
            with self.ledger.lock:
                self.ledger.unknown[key] = body
            self.stop.wait(0.01)
        elif self.random.random() < 0.1:  # a client that has not got the answer
            if self.ask(key, body) == 'unknown':
                self.ledger.note('unknown the second time')

    def ask(self, key, body):
        """'placed', 'refused' or 'unknown'."""
        try:
            if not self.connection:
                self.connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=30)
            self.connection.request('POST', '/orders', body, {'Content-Type': 'application/json',
                                                              'Idempotency-Key': key})
            answer = self.connection.getresponse()
            told = json.loads(answer.read())
        except (OSError, http.client.HTTPException) as failure:
            self.ledger.note(type(failure).__name__)
            self.forget_connection()
            return 'unknown'
        self.ledger.note(answer.status)
        if answer.status == 201:
            self.ledger.place(key, told['id'], len(json.loads(body)['items']))
            return 'placed'
        if answer.status in (409, 503, 504):
            return 'refused'
        if answer.status == 500 and told.get('type') == UNKNOWN:
            return 'unknown'
        raise AssertionError(f'{answer.status} {told}')

    def ask_and_go_away(self, key, body):
        """Resets the connection while the server is at work, or before, or after."""
        head = (f'POST /orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: {key}\r\n'
                f'Content-Length: {len(body)}\r\n\r\n')
        with contextlib.suppress(OSError), socket.create_connection(('127.0.0.1', self.port), timeout=30) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            one.sendall((head + body).encode())
            time.sleep(self.random.uniform(0, 0.02))
        self.ledger.note('went away')
        with self.ledger.lock:
            self.ledger.unknown[key] = body

    def forget_connection(self):
        if self.connection:
            self.connection.close()
        self.connection = None


class Crowd:
    """Clients at work for as long as the `with` lasts."""

    def __init__(self, port, ledger, count, seed=0):
        self.stop = threading.Event()
        self.clients = [Client(port, ledger, seed * 1000 + i, self.stop) for i in range(count)]

    def __enter__(self):
        for client in self.clients:
            client.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for client in self.clients:
            client.join(60)
            assert not client.is_alive(), 'a client was not answered for a minute'
            client.forget_connection()


def settle(port, ledger):
    """Asks for every outcome that is not known, until it is. Everything works again."""
    client = Client(port, ledger, 0, threading.Event())
    deadline = time.monotonic() + 120
    for key, body in list(ledger.unknown.items()):
        while client.ask(key, body) != 'placed':
            assert time.monotonic() < deadline, f'{key} cannot be settled; {ledger.answers}'
            time.sleep(0.02)
    client.forget_connection()


def compare(ledger, rows):
    """`rows(sql)` gives the lines of a query, each a tuple of texts, over tables that had no order before."""
    assert not ledger.wrong, ledger.wrong[:5]
    items = {int(order): int(count)
             for order, count in rows('SELECT order_id, count(*) FROM order_items GROUP BY order_id')}
    events = {int(order): int(count)
              for order, count in rows('SELECT order_id, count(*) FROM order_events GROUP BY order_id')}
    there = {int(order) for order, in rows('SELECT id FROM orders')}
    keys = {key for key, in rows('SELECT key FROM idempotency_keys')}
    told = [order for order, _ in ledger.orders.values()]

    twice = {order for order in told if told.count(order) > 1} if len(set(told)) != len(told) else set()
    assert not twice, f'two keys were told the same order: {sorted(twice)[:5]}'
    lost = [order for order in told if order not in there]
    assert not lost, f'answered 201 and not there: {lost[:5]}'
    untold = there - set(told)
    assert not untold, f'there, and nobody was told 201 of it: {sorted(untold)[:5]}'
    half = [order for order, count in ledger.orders.values() if items.get(order) != count or events.get(order) != 1]
    assert not half, f'there by half: {half[:5]}'
    assert not set(items) - there and not set(events) - there, 'items or events without an order'
    refused_and_there = ledger.refused & keys
    assert not refused_and_there, f'answered 503 or 504 and there: {sorted(refused_and_there)[:5]}'
    assert keys == set(ledger.orders), f'{len(keys)} keys are stored, {len(ledger.orders)} were answered'
    print(f'{len(there)} orders: each told 201 of, once; {len(ledger.refused)} refused: none there; '
          f'{len(ledger.unknown)} unknown: each settled; answers {dict(sorted(ledger.answers.items(), key=str))}')
