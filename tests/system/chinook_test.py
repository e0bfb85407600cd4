"""Every row of the Chinook database, as the second program answers it and as the sqlite3 shell reads it.
Where services/with_postgres.py has started a server, the program reads the same rows from there.
Usage: chinook_test.py PROGRAM SOURCE_ROOT"""
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import app_serving

program, source = sys.argv[1:]
original = pathlib.Path(os.environ.get('HEDDLE_CHINOOK') or
                        pathlib.Path(source).parent / 'shared/data/chinook/chinook.sqlite')
script = original.parent / 'chinook_postgres.sql'
postgres = os.environ.get('HEDDLE_TEST_POSTGRES')

CUSTOMERS = '''SELECT c.CustomerId AS customer_id, c.FirstName || ' ' || c.LastName AS name,
    c.Company AS company, c.City AS city, c.Country AS country, c.PostalCode AS postal_code,
    c.Phone AS phone, c.Email AS email,
    (SELECT FirstName || ' ' || LastName FROM Employee WHERE EmployeeId = c.SupportRepId) AS representative
    FROM Customer c ORDER BY 1'''
BOUGHT = '''SELECT CustomerId AS customer, InvoiceId AS invoice_id, InvoiceDate AS date, Total AS total
    FROM Invoice ORDER BY InvoiceDate, InvoiceId'''
INVOICES = '''SELECT InvoiceId AS invoice_id, FirstName || ' ' || LastName AS customer, InvoiceDate AS date,
    BillingCity AS city, BillingState AS state, Total AS total FROM Invoice, Customer
    WHERE Invoice.CustomerId = Customer.CustomerId ORDER BY InvoiceId'''
LINES = '''SELECT InvoiceId AS invoice, InvoiceLineId AS line_id, Name AS track, Composer AS composer,
    InvoiceLine.UnitPrice AS unit_price, Quantity AS quantity FROM InvoiceLine, Track
    WHERE InvoiceLine.TrackId = Track.TrackId ORDER BY InvoiceId, InvoiceLineId'''
TRACKS = '''SELECT t.TrackId AS track_id, t.Name AS name,
    (SELECT Title FROM Album WHERE AlbumId = t.AlbumId) AS album,
    (SELECT Artist.Name FROM Album, Artist
        WHERE AlbumId = t.AlbumId AND Artist.ArtistId = Album.ArtistId) AS artist,
    (SELECT Name FROM Genre WHERE GenreId = t.GenreId) AS genre, t.Composer AS composer,
    t.Milliseconds AS milliseconds, t.UnitPrice AS unit_price FROM Track t {} ORDER BY 1'''
INVOICE_CENTS = '''SELECT BillingCountry AS country, CustomerId AS customer,
    CAST(round(Total * 100) AS INTEGER) AS cents FROM Invoice'''


def shell(query):
    command = ['sqlite3', '-readonly', '-json', original.resolve().as_uri() + '?immutable=1', query]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout or '[]')
    return [{name: as_the_server_has_it(value) for name, value in row.items()} for row in rows]


def as_the_server_has_it(value):
    """PostgreSQL takes the N'...' of its script for a CHAR, whose blanks at the end are lost in a VARCHAR."""
    return value.rstrip(' ') if postgres and isinstance(value, str) else value


def with_parts(heads, key, part_name, parts, part_key):
    """Each head by its id, with the parts that name it."""
    whole = {head[key]: {'head': head, part_name: []} for head in heads}
    for part in parts:
        whole[part.pop(part_key)][part_name].append(part)
    return whole


def ask(path, **query):
    """The value of a 200."""
    connection.request('GET', path + ('?' + urllib.parse.urlencode(query) if query else ''))
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, (path, query, answer.status, body)
    return json.loads(body)


def refused(path):
    return server.get(path).status


def customers_are_what_the_shell_reads():
    expected = with_parts(shell(CUSTOMERS), 'customer_id', 'invoices', shell(BOUGHT), 'customer')
    assert len(expected) > 50 and sum(len(one['invoices']) for one in expected.values()) > 400
    for number, account in expected.items():
        answer = ask(f'/customers/{number}')
        assert answer == account, (answer, account)
    assert refused('/customers/0') == 404
    assert refused('/customers/x') == 400


def customers_come_in_pages():
    expected = shell(CUSTOMERS)
    listed = []
    while page := ask('/customers', after=listed[-1]['customer_id'] if listed else 0, limit=7):
        assert len(page) <= 7
        listed += page
    assert listed == expected

    countries = {one['country'] for one in expected}
    assert len(countries) > 20
    for country in countries:
        answer = ask('/customers', country=country)
        assert answer == [one for one in expected if one['country'] == country], (country, answer)
    assert ask('/customers', country='Atlantis') == []


def invoices_are_what_the_shell_reads():
    expected = with_parts(shell(INVOICES), 'invoice_id', 'lines', shell(LINES), 'invoice')
    assert len(expected) > 400 and sum(len(one['lines']) for one in expected.values()) > 2000
    for number, invoice in expected.items():
        answer = ask(f'/invoices/{number}')
        assert answer == invoice, (answer, invoice)
    assert refused(f'/invoices/{max(expected) + 1}') == 404
    assert refused('/invoices/first') == 400


def search(name, limit):
    """All pages of a search."""
    found, after = [], 0
    while after is not None:
        answer = ask('/tracks', name=name, after=after, limit=limit)
        assert len(answer['tracks']) <= limit
        assert answer['next'] is None or len(answer['tracks']) == limit
        found += answer['tracks']
        after = answer['next']
    return found


def tracks_are_what_the_shell_finds():
    everything = shell(TRACKS.format(''))
    assert len(everything) > 3000
    assert search('', 100) == everything

    searches = (('love', 10), ('LOVE', 100), ("don't", 3), ('%', 5), ('_', 5), ('Ê', 1), ('no such name', 5))
    for name, limit in searches:
        pattern = name.replace("'", "''").replace('%', r'\%').replace('_', r'\_')
        expected = shell(TRACKS.format(rf"WHERE Name LIKE '%{pattern}%' ESCAPE '\'"))
        found = search(name, limit)
        assert found == expected, (name, len(found), len(expected))
    assert len(search('love', 100)) > 100  # so that there were pages to turn


def a_page_has_its_limits():
    for path in ('/tracks?limit=0', '/tracks?limit=101', '/customers?limit=-1'):
        assert refused(path) == 422, path
    assert refused('/tracks?limit=many') == 400
    assert len(ask('/tracks')['tracks']) == 20


def sales_are_the_sums_of_the_invoices():
    countries = {}
    for invoice in shell(INVOICE_CENTS):
        countries.setdefault(invoice['country'], []).append(invoice)
    expected = [{'country': country, 'customers': len({one['customer'] for one in invoices}),
                 'invoices': len(invoices), 'total_cents': sum(one['cents'] for one in invoices)}
                for country, invoices in countries.items()]
    expected.sort(key=lambda one: (-one['total_cents'], one['country']))
    assert len(expected) > 20
    answer = ask('/sales')
    assert answer == expected, (answer, expected)


def ends_on_sigterm():
    assert server.terminate() == 0, server.output()


def database_in(directory):
    """A copy, so that nothing happens to the original; returns what the program finds it by."""
    if postgres:
        quietly = os.environ | {'PGOPTIONS': '-c client_min_messages=error'}
        subprocess.run(['psql', '-qXv', 'ON_ERROR_STOP=1', '-d', postgres, '-f', script], check=True,
                       stdout=subprocess.DEVNULL, env=quietly)
        return postgres.replace('dbname=postgres', 'dbname=chinook')
    copy = pathlib.Path(directory) / 'chinook.sqlite'
    shutil.copyfile(original, copy)
    return str(copy)


for needed in [original] + [script] * bool(postgres):
    if not needed.exists():
        print(f'skipped: there is no {needed}; HEDDLE_CHINOOK may name another place of chinook.sqlite')
        sys.exit(77)
if not shutil.which('sqlite3'):
    print('skipped: the sqlite3 shell is not installed')
    sys.exit(77)
with tempfile.TemporaryDirectory() as directory:
    with app_serving.Server(program, database_in(directory), '{port}', ready='/sales') as server:
        connection = http.client.HTTPConnection('127.0.0.1', server.port, timeout=10)
        app_serving.run(customers_are_what_the_shell_reads, customers_come_in_pages,
                        invoices_are_what_the_shell_reads, tracks_are_what_the_shell_finds,
                        a_page_has_its_limits, sales_are_the_sums_of_the_invoices, ends_on_sigterm)
