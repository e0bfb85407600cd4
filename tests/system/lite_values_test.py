"""Values that are too large, too many, or not what they look like: FAULTS F23, as far as SQLite goes."""
import json
import sys

from lite_serving import Lite
from wire_app import run

LARGEST, SMALLEST = 2**63 - 1, -2**63
NO_INTEGERS = [str(LARGEST + 1), str(SMALLEST - 1), "18446744073709551617", "9" * 30, "abc", "1e3", "0x1", "+1",
               "%201", "%EF%BC%91", "%00", "1%00", ""]


# FAULTS F23
def test_an_id_is_exact_or_refused(program):
    with Lite(program) as app:
        assert app.post("/lite/item", b'{"name": "tea", "n": 1}').json()["id"] == 1
        for text in NO_INTEGERS:
            status = app.get(f"/lite/item/{text}").status
            assert status == 400 or (text == "" and status == 404), (text, status)
        for extreme in (LARGEST, SMALLEST):
            assert app.get(f"/lite/item/{extreme}").status == 404
        assert app.get("/lite/item/1").json() == {"id": 1, "name": "tea", "n": 1}
        assert app.get("/lite/snapshot?ms=%00").status == 400


# FAULTS F23
def test_numbers_come_back_whole_or_are_refused(program):
    with Lite(program) as app:
        for n in (LARGEST, SMALLEST):
            made = app.post("/lite/item", json.dumps({"name": "n", "n": n}).encode()).json()
            assert made["n"] == n and app.get(f"/lite/item/{made['id']}").json()["n"] == n
        for n in (LARGEST + 1, SMALLEST - 1):
            assert app.post("/lite/item", json.dumps({"name": "n", "n": n}).encode()).status == 400
        assert app.get("/lite/count").body == b"2"


# FAULTS F23
def test_a_bulk_insert_works_whole_or_not_at_all(program):
    with Lite(program) as app:
        for count, allowed in ((1000, {200}), (80_000, {200, 400, 413})):
            before = int(app.get("/lite/count").body)
            answer = app.post("/lite/bulk", json.dumps(list(range(count))).encode())
            print(f"{count} parameters: {answer.status}")
            assert answer.status in allowed, (count, answer.status, answer.body)
            rows = int(app.get("/lite/count").body) - before
            assert rows == (count if answer.status == 200 else 0), rows


# FAULTS F23
def test_a_nul_is_kept_or_refused(program):
    with Lite(program) as app:
        answer = app.post("/lite/item", b'{"name": "a\\u0000b", "n": 1}')
        assert answer.status in (201, 400), answer.status
        if answer.status == 201:
            assert app.get(f"/lite/item/{answer.json()['id']}").json()["name"] == "a\0b"
        raw = app.client().send(b"GET /lite/item/1 HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n").answer()
        assert raw.status == 400


run(sys.modules[__name__])
