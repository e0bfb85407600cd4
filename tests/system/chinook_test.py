"""Every invoice of the Chinook database, as the second program answers it and as the sqlite3 shell reads it.
Usage: chinook_test.py PROGRAM SOURCE_ROOT"""
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import app_serving

program, source = sys.argv[1:]
original = pathlib.Path(os.environ.get('HEDDLE_CHINOOK') or
                        pathlib.Path(source).parent / 'shared/data/chinook/chinook.sqlite')

HEAD = '''SELECT InvoiceId AS invoice_id, FirstName || ' ' || LastName AS customer, InvoiceDate AS date,
    BillingCity AS city, BillingState AS state, Total AS total FROM Invoice, Customer
    WHERE Invoice.CustomerId = Customer.CustomerId ORDER BY InvoiceId'''
LINES = '''SELECT InvoiceId AS invoice, InvoiceLineId AS line_id, Name AS track, Composer AS composer,
    InvoiceLine.UnitPrice AS unit_price, Quantity AS quantity FROM InvoiceLine, Track
    WHERE InvoiceLine.TrackId = Track.TrackId ORDER BY InvoiceId, InvoiceLineId'''


def shell(query):
    command = ['sqlite3', '-readonly', '-json', original.resolve().as_uri() + '?immutable=1', query]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def every_invoice_is_what_the_shell_reads():
    expected = {head['invoice_id']: {'head': head, 'lines': []} for head in shell(HEAD)}
    for line in shell(LINES):
        expected[line.pop('invoice')]['lines'].append(line)
    assert len(expected) > 400 and sum(len(one['lines']) for one in expected.values()) > 2000

    with tempfile.TemporaryDirectory() as directory:
        copy = pathlib.Path(directory) / 'chinook.sqlite'
        shutil.copyfile(original, copy)
        with app_serving.Server(program, str(copy), '{port}', ready='/invoices/1') as server:
            connection = http.client.HTTPConnection('127.0.0.1', server.port, timeout=10)
            for number, invoice in expected.items():
                connection.request('GET', f'/invoices/{number}')
                answer = connection.getresponse()
                body = answer.read()
                assert answer.status == 200, (number, answer.status, body)
                assert json.loads(body) == invoice, (number, body, invoice)
            connection.close()
            assert server.get(f'/invoices/{max(expected) + 1}').status == 404
            assert server.get('/invoices/first').status == 400
            assert server.terminate() == 0


if not original.exists():
    print(f'skipped: there is no {original}; HEDDLE_CHINOOK may name another place')
    sys.exit(77)
if not shutil.which('sqlite3'):
    print('skipped: the sqlite3 shell is not installed')
    sys.exit(77)
app_serving.run(every_invoice_is_what_the_shell_reads)
