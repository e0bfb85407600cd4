"""Orders through the shipped server over SQLite: it is killed again and again; and its disk fills up and is freed.
In the end what was answered and what is there are the same. Usage: ... HEDDLE [FULL_DISK_LIBRARY]"""
import contextlib
import os
import pathlib
import sqlite3
import sys
import tempfile
import time

import app_serving
import ledger
from app_serving import Server

heddle, full_disk = sys.argv[1], sys.argv[2:]  # none: a sanitizer would have to be loaded before it
KILLS = 50 if os.environ.get('HEDDLE_REPEAT') == 'full' else 6
FILLINGS = 8 if os.environ.get('HEDDLE_REPEAT') == 'full' else 3
CLIENTS = 12


def server(path, port=None, **environment):
    return Server(heddle, 'serve', '--http.port={port}', f'--database.path={path}', '--database.sample_orders=0',
                  port=port, environment=environment)


def compare(book, path):
    with contextlib.closing(sqlite3.connect(path, timeout=30)) as database:
        assert database.execute('PRAGMA integrity_check').fetchall() == [('ok',)]
        ledger.compare(book, lambda text: database.execute(text).fetchall())


def what_was_answered_survives_kills():
    book = ledger.Ledger()
    with tempfile.TemporaryDirectory(prefix='heddle-') as directory:
        path = pathlib.Path(directory, 'heddle.db')
        with server(path) as first:
            assert first.terminate() == 0  # with its customers
        for number in range(KILLS):
            with server(path) as one, ledger.Crowd(one.port, book, CLIENTS, seed=number + 1):
                placed = len(book.orders)
                deadline = time.monotonic() + 30
                while len(book.orders) < placed + 20:
                    assert time.monotonic() < deadline and one.process.poll() is None, one.output()
                    time.sleep(0.002)
                one.process.kill()
        with server(path) as last:
            ledger.settle(last.port, book)
            compare(book, path)
            assert last.terminate() == 0
    assert book.unknown, 'no kill has cut off an answer'


def what_was_answered_survives_a_full_disk():
    book = ledger.Ledger()
    with tempfile.TemporaryDirectory(prefix='heddle-') as directory:
        path = pathlib.Path(directory, 'heddle.db')
        sign = pathlib.Path(directory, 'full')
        with server(path, LD_PRELOAD=os.path.abspath(full_disk[0]), HEDDLE_TEST_FULL_DISK=str(sign)) as one:
            with ledger.Crowd(one.port, book, CLIENTS):
                for _ in range(FILLINGS):
                    wait_for(lambda placed=len(book.orders): len(book.orders) > placed + 50)
                    sign.touch()
                    wait_for(lambda refused=len(book.refused): len(book.refused) > refused + 20)
                    assert one.get('/orders?limit=1').status == 200
                    sign.unlink()
            ledger.settle(one.port, book)
            compare(book, path)
            assert one.terminate() == 0


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


tests = [what_was_answered_survives_kills]
if full_disk:
    tests.append(what_was_answered_survives_a_full_disk)
app_serving.run(*tests)
