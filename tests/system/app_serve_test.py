"""The shipped server from outside: its routes, first start, metrics, and how it ends. Usage: ... HEDDLE"""
import concurrent.futures
import contextlib
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

import app_serving
from app_serving import Server

heddle = sys.argv[1]


def server(*flags, **options):
    return Server(heddle, 'serve', '--http.port={port}', *flags, **options)


def answers_its_routes():
    with server() as one:
        assert one.get('/orders/42/state').json() == {'id': 42, 'state': 'shipped'}
        view = one.get('/orders/42').json()
        assert view['order']['customer_id'] == view['customer']['id'] == 899, view
        assert view['order']['total_cents'] == sum(one['quantity'] * one['unit_price_cents']
                                                   for one in view['items']), view
        assert [event['note'] for event in view['history']] == ['placed', 'paid', 'shipped'], view
        assert one.get('/customers/899').json() == view['customer']
        assert one.get('/customers/1001').status == 404
        assert one.get('/orders/10000').status == 200
        assert one.get('/orders/10001').status == 404

        placed = one.post('/orders', {'customer_id': 7, 'sku': 'tea', 'quantity': 2})
        assert placed.status == 201 and placed.headers['Location'] == '/orders/10001', placed.body
        assert placed.json()['total_cents'] == 500
        assert one.get('/orders/10001').json()['history'][0]['note'] == 'placed'
        unknown = one.post('/orders', {'customer_id': 7, 'sku': 'gold', 'quantity': 2})
        assert unknown.status == 422 and unknown.json()['errors'][0]['pointer'] == '/sku', unknown.body
        assert one.post('/orders', {'customer_id': 7, 'sku': 'tea', 'quantity': 1001}).status == 409

        report = one.get('/reports/sales?since=2025-06-01')
        assert report.headers['Content-Type'] == 'application/x-ndjson'
        assert len(report.body.splitlines()) == 6

        assert one.get('/hello').body == b'Hello, World!\n'
        echo = app_serving.request(one.port, 'POST', '/echo', b'\x00\xff', {'Content-Type': 'x/y'})
        assert (echo.body, echo.headers['Content-Type']) == (b'\x00\xff', 'x/y')
        assert one.get('/sleep?ms=30').seconds >= 0.03
        assert one.get('/compute?ms=5').status == 200
        assert one.get('/fan-out?n=100&ms=50').seconds < 1
        assert one.get('/plaintext').body == b'Hello, World!'
        assert one.get('/json').json() == {'message': 'Hello, World!'}
        assert one.get('/readyz').status == 200
        assert one.get('/nothing/here').status == 404
        assert one.get('/debug/fibers').status == 404  # only on the operations listener


def lists_every_order_once():
    with server() as one:
        ids, target = [], '/orders?limit=100'
        while target:
            page = one.get(target).json()
            ids += [order['id'] for order in page['orders']]
            target = page['next']
        assert ids == list(range(1, 10_001)), f'{len(ids)} orders'
        of_one = one.get('/orders?customer=899&limit=100').json()['orders']
        assert 42 in [order['id'] for order in of_one], of_one
        assert {order['customer_id'] for order in of_one} == {899}, of_one
        assert one.get('/orders?limit=1000').status == 422
        assert one.get('/orders?after=x').status == 400


def a_step_is_taken_by_exactly_one():
    """Clients that do not know of each other pay the same orders at the same time."""
    with server() as one, concurrent.futures.ThreadPoolExecutor(8) as pool:
        def pay(order):
            return one.patch(f'/orders/{order}', {'state': 'paid'})

        for _ in range(20):
            order = one.post('/orders', {'customer_id': 7, 'sku': 'tea', 'quantity': 2}).json()['id']
            answers = list(pool.map(pay, [order] * 8))
            assert sorted(answer.status for answer in answers) == [200] + [409] * 7, answers
            refused = next(answer for answer in answers if answer.status == 409).json()
            assert refused['detail'] == (f'order {order} is paid and cannot become paid; '
                                         'it can become shipped or cancelled'), refused
            notes = [event['note'] for event in one.get(f'/orders/{order}').json()['history']]
            assert notes == ['placed', 'paid'], notes


def is_not_ready_while_the_database_does_not_answer():
    with server() as one, contextlib.closing(sqlite3.connect(one.path / 'heddle.db', timeout=30)) as database:
        def becomes(status):
            deadline = time.monotonic() + 30
            while one.get('/readyz').status != status:
                assert time.monotonic() < deadline, f'/readyz does not become {status}\n{one.output()}'
                time.sleep(0.05)

        becomes(200)
        database.execute('ALTER TABLE orders RENAME TO elsewhere')
        becomes(503)
        assert one.get('/healthz').status == 200
        database.execute('ALTER TABLE elsewhere RENAME TO orders')
        becomes(200)
        assert one.output().count('not ready') == 1, one.output()
        assert one.terminate() == 0


def keeps_its_orders_over_a_restart():
    with server() as one:
        one.post('/orders', {'customer_id': 7, 'sku': 'tea', 'quantity': 2})
        assert one.terminate() == 0
        database = one.path / 'heddle.db'
        with server(f'--database.path={database}') as two:
            assert two.get('/orders/10001/state').json()['state'] == 'placed'
            assert two.post('/orders', {'customer_id': 7, 'sku': 'tea', 'quantity': 2}).json()['id'] == 10002
            assert two.terminate() == 0


def shows_metrics_and_fibers_on_the_operations_listener_only():
    port = app_serving.free_port()
    with server(f'--operations.port={port}', ready='/orders/1/state') as one:
        for path in ('/healthz', '/readyz', '/metrics', '/debug/fibers'):
            assert one.get(path).status == 404, path
            assert app_serving.request(port, 'GET', path).status == 200, path
        assert app_serving.request(port, 'GET', '/orders/1').status == 404

        sleeper = threading.Thread(target=lambda: one.get('/sleep?ms=500'))
        sleeper.start()
        time.sleep(0.2)
        dump = app_serving.request(port, 'GET', '/debug/fibers').body.decode()
        sleeper.join()
        assert any('/sleep' in line for line in dump.splitlines()), dump
        assert one.terminate() == 0


def metrics_can_be_read_by_prometheus():
    with server() as one:
        one.get('/orders/1')
        answer = one.get('/metrics')
        assert answer.headers['Content-Type'].startswith('text/plain; version=0.0.4')
        names = set()
        for line in answer.body.decode().splitlines():
            if line.startswith('# TYPE '):
                name = line.split()[2]
                assert name not in names, f'{name} is there twice'
                names.add(name)
            elif not line.startswith('#'):
                float(line.rsplit(' ', 1)[1])
        assert 'heddle_fiber_steals_total' in names, names


def a_busy_worker_does_not_delay_the_others():
    """One handler computes for 300 ms on one of two workers."""
    with server('--runtime.workers=2') as one:
        one.get('/healthz')
        worst = 0
        for _ in range(3):
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                busy = pool.submit(one.get, '/compute?ms=300')
                while not busy.done():
                    worst = max(worst, one.get('/healthz').seconds)
                assert busy.result().status == 200
        assert worst < 0.1, f'{worst * 1000:.1f} ms'  # 300 ms if it had to wait for the worker


def sigterm_lets_requests_finish():
    with server() as one:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            running = [pool.submit(one.get, '/sleep?ms=600') for _ in range(8)]
            time.sleep(0.2)
            one.process.send_signal(signal.SIGTERM)
            assert [answer.result().status for answer in running] == [200] * 8
        assert one.process.wait(10) == 0
        try:
            one.get('/hello', timeout=1)
            raise AssertionError('it still listens')
        except OSError:
            pass


def sigterm_ends_an_idle_server_at_once():
    with server() as one:
        idle = socket.create_connection(('127.0.0.1', one.port))
        start = time.monotonic()
        assert one.terminate() == 0
        assert time.monotonic() - start < 2
        idle.close()


def sigterm_cuts_off_what_does_not_finish():
    with server('--http.drain_budget=300ms', '--http.request_budget=1min') as one:
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            endless = pool.submit(one.get, '/sleep?ms=60000')
            time.sleep(0.2)
            start = time.monotonic()
            one.terminate()
            assert time.monotonic() - start < 5
            assert endless.exception() is not None or endless.result().status >= 500


def says_what_commands_there_are():
    version = subprocess.run([heddle, '--version'], capture_output=True, text=True)
    assert version.returncode == 0 and version.stdout.startswith('heddle '), version
    for words in ([heddle, '--help'], [heddle, 'serve', '--help']):
        shown = subprocess.run(words, capture_output=True, text=True)
        assert shown.returncode == 0 and 'serve' in shown.stdout and not shown.stderr, shown
    for words in ([heddle], [heddle, 'sevre']):
        refused = subprocess.run(words, capture_output=True, text=True)
        assert refused.returncode == 2 and 'heddle serve' in refused.stderr, refused


app_serving.run(answers_its_routes, lists_every_order_once, a_step_is_taken_by_exactly_one,
                is_not_ready_while_the_database_does_not_answer, keeps_its_orders_over_a_restart,
                shows_metrics_and_fibers_on_the_operations_listener_only, metrics_can_be_read_by_prometheus,
                a_busy_worker_does_not_delay_the_others, sigterm_lets_requests_finish,
                sigterm_ends_an_idle_server_at_once, sigterm_cuts_off_what_does_not_finish,
                says_what_commands_there_are)
