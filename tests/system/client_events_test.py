"""Server-sent events, to the eventsource client of npm: it hears each at once, and each once, though it has to come
back. Usage: ... FAULT_APP"""

import json
import os
import sys

import clients
from wire_app import App, run, wait_for

node = clients.program("node", "nodejs")
clients.file_of("node-eventsource", "/usr/share/nodejs/eventsource", "/usr/lib/nodejs/eventsource")
script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "events.js")


def heard(app, target, count):
    """What the client writes until it has heard so many events."""
    environment = os.environ | {"NODE_PATH": "/usr/share/nodejs:/usr/lib/nodejs"}
    said = clients.said_by(node, script, f"http://127.0.0.1:{app.port}{target}", count, env=environment)
    lines = [json.loads(line) for line in said.splitlines()]
    return [line for line in lines if "id" in line], [line for line in lines if "again" in line]


def test_nothing_is_lost_where_the_client_comes_back(program):
    with App(program) as app:
        events, again = heard(app, "/events?count=7&ms=1", 30)
        assert [event["id"] for event in events] == [str(n) for n in range(1, 31)], events
        assert [event["data"] for event in events] == [f"number {n}\nof many" for n in range(1, 31)], events
        assert len(again) == 4, again


def test_events_come_when_they_are_sent(program):
    with App(program) as app:
        events, again = heard(app, "/events?count=4&ms=300", 4)
        assert not again, again
        took = (events[-1]["at"] - events[0]["at"]) / 1000
        assert 0.6 < took < 5, took  # and not all of them when the answer ends


def test_a_listener_that_goes_ends_its_stream(program):
    with App(program, request_budget=100_000) as app:
        heard(app, "/events?count=1000000&ms=20", 3)
        wait_for(lambda: app.get("/working").body == b"0", "the stream goes on", within=5)


run(sys.modules[__name__])
