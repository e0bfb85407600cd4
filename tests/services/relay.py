"""A relay before a server that delays, swallows and cuts on command."""

import select
import socket
import threading
import time


class Relay:
    """Forwards 127.0.0.1:port to `target`, a port. One thread a connection."""

    def __init__(self, target):
        self.target = target
        self.mode = "forward"  # or "swallow": sockets stay open, nothing passes
        self.connect_delay = 0.0  # seconds before a new connection is passed on
        self.cut_after = None  # when a client has said this, it is passed on and the answer is not
        self.cut_before = None  # when a client says this, it is not passed on
        self.last_words = b""  # what it is told instead
        self.accepted = 0
        self.turns = 0  # how often a client has spoken after its server had
        self.pairs = set()
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.accepted += 1
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        server = None
        try:
            until = time.monotonic() + self.connect_delay
            while time.monotonic() < until or self.mode == "swallow":
                time.sleep(0.005)
            server = socket.create_connection(("127.0.0.1", self.target))
            with self.lock:
                self.pairs.add((client, server))
            self.forward(client, server)
        except OSError:
            pass
        finally:
            with self.lock:
                self.pairs.discard((client, server))
            for one in (client, server):
                if one:
                    one.close()

    def forward(self, client, server):
        silent = False
        last = server
        while True:
            readable, _, _ = select.select([client, server], [], [], 0.01)
            if self.mode == "swallow":
                time.sleep(0.005)
                continue
            for source in readable:
                data = source.recv(65536)
                if not data:
                    return
                self.turns += source is client and last is server
                last = source
                if source is client and self.cut_before is not None and self.cut_before in data:
                    self.cut_before = None
                    return
                if source is client:
                    server.sendall(data)
                    silent = silent or (self.cut_after is not None and self.cut_after in data)
                elif silent:
                    self.cut_after = None
                    client.sendall(self.last_words)
                    return
                else:
                    client.sendall(data)

    def cut(self):
        with self.lock:
            for client, server in self.pairs:
                for one in (client, server):
                    try:
                        one.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass

    def close(self):
        self.listener.close()
        self.cut()
