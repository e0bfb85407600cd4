"""What the tests of SQLite's faults share: the application over a file of its own, and many clients at once."""
import os
import tempfile
import threading
import time

from wire_app import App


class Lite(App):
    def __init__(self, program, **options):
        self.directory = tempfile.TemporaryDirectory(prefix="heddle-")
        self.file = os.path.join(self.directory.name, "lite.db")
        super().__init__(program, file=self.file, **options)
        # Every connection is open before the descriptors are counted.
        at_once(8, lambda _: self.get("/lite/snapshot?ms=200"))
        self.descriptors = self.open_descriptors_when_quiet()

    def __exit__(self, *failure):
        try:
            super().__exit__(*failure)
        finally:
            self.directory.cleanup()

    def open_descriptors_when_quiet(self):
        """When those of the clients that have gone are closed."""
        before, now = -1, self.open_descriptors()
        while now != before:
            time.sleep(0.1)
            before, now = now, self.open_descriptors()
        return now

    def post(self, target, body=b""):
        client = self.client()
        try:
            return post(client, target, body)
        finally:
            client.close()

    def log_bytes(self):
        return os.path.getsize(self.file + "-wal")


def post(client, target, body=b""):
    head = f"POST {target} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return client.send(head.encode() + body).answer()


def at_once(count, work):
    """Runs work(0), work(1), ... side by side. Returns what they return; raises what one of them raises."""
    results, failures = [None] * count, []

    def run(i):
        try:
            results[i] = work(i)
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return results


class Watch(threading.Thread):
    """In a `with`: looks again and again, and notes how late the machine wakes who sleeps for 10 ms."""

    def __init__(self, look=lambda: None):
        super().__init__()
        self.look, self.over, self.hiccup = look, threading.Event(), 0.0

    def run(self):
        while not self.over.is_set():
            self.look()
            due = time.monotonic() + 0.01
            time.sleep(0.01)
            self.hiccup = max(self.hiccup, time.monotonic() - due)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def ping_seconds(app, seconds, rate=50):
    """How long each answer took, at a steady rate."""
    client, taken, began = app.client(), [], time.monotonic()
    for i in range(int(seconds * rate)):
        time.sleep(max(0.0, began + i / rate - time.monotonic()))
        start = time.monotonic()
        assert client.get("/ping").status == 200
        taken.append(time.monotonic() - start)
    client.close()
    return taken
