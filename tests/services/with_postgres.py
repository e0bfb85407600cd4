#!/usr/bin/env python3
"""Runs a test program beside a throw-away PostgreSQL and a relay before it.

Usage: with_postgres.py PROGRAM [ARGUMENT...]

The program finds them by its environment:

    HEDDLE_TEST_POSTGRES   a connection string, over a socket
    HEDDLE_TEST_TCP        the same over 127.0.0.1, without a host
    HEDDLE_TEST_RELAY      the same through the relay
    HEDDLE_TEST_POOLER     the same through pgbouncer, without a database: "session" or "transaction";
                           unset where it is not installed
    HEDDLE_TEST_FILES      a directory with ca.crt
    HEDDLE_TEST_SERVICES   a socket that takes commands, see services.hpp

Exit code 77 (skipped) where PostgreSQL is not installed.
"""

import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time

from pgbouncer import PgBouncer, program
from postgres import Postgres, die_with_parent, programs
from relay import Relay


def error_response(severity, sqlstate):
    """The server's message "E", with a text of no importance."""
    fields = b"".join(name + text.encode() + b"\0" for name, text in
                      ((b"S", severity), (b"V", severity), (b"C", sqlstate), (b"M", "made up")))
    return b"E" + (4 + len(fields) + 1).to_bytes(4, "big") + fields + b"\0"


class Services:
    def __init__(self):
        self.postgres = Postgres()
        self.postgres.start()
        self.relay = Relay(self.postgres.port)
        self.pooler = PgBouncer(self.postgres) if program() else None
        self.standby = None
        self.for_main = queue.Queue()
        self.path = os.path.join(self.postgres.directory, "commands")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def environment(self):
        files = self.postgres.directory
        common = "user=postgres dbname=postgres port="
        found = {"POSTGRES": f"{common}{self.postgres.port} host={files}",
                 "TCP": f"{common}{self.postgres.port}",
                 "RELAY": f"{common}{self.relay.port} host=127.0.0.1 sslmode=disable",  # it reads along
                 "FILES": files,
                 "SERVICES": self.path}
        if self.pooler:
            found["POOLER"] = f"user=postgres port={self.pooler.port} host=127.0.0.1"
        return {**os.environ, **{f"HEDDLE_TEST_{name}": value for name, value in found.items()}}

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(client,), daemon=True).start()

    def answer(self, client):
        with client, client.makefile("rw") as lines:
            for line in lines:
                try:
                    reply = self.obey(*line.rstrip("\n").split(" ", 1))
                except Exception as failure:  # the test shows it
                    reply = f"failed: {failure}".replace("\n", " ")
                lines.write(f"{'ok' if reply is None else reply}\n")
                lines.flush()

    def obey(self, command, argument=""):
        if command == "stop":
            return self.postgres.stop(signal.SIGINT if argument == "gently" else signal.SIGQUIT)
        if command == "start":
            return self.start(self.postgres)
        if command == "standby":  # made and started; where it is
            self.standby = self.postgres.follow()
            self.start(self.standby)
            return f"{self.standby.directory} {self.standby.port}"
        if command == "promote":
            return self.standby.promote()
        if command == "relay-to-standby":
            self.relay.target = self.standby.port
            return None
        if command == "restart-after":  # ms; answers at once
            self.postgres.stop()
            later = threading.Thread(target=self.start_later, args=(float(argument) / 1000,), daemon=True)
            return later.start()
        if command == "sql":
            return self.postgres.sql(argument)
        if command == "mode":
            self.relay.mode = argument
            return None
        if command == "delay":
            self.relay.connect_delay = float(argument) / 1000
            return None
        if command == "cut-after":
            self.relay.cut_after = argument.encode()
            return None
        if command == "cut-before":
            self.relay.cut_before = argument.encode()
            return None
        if command == "last-words":  # "SEVERITY SQLSTATE", or nothing
            self.relay.last_words = error_response(*argument.split()) if argument else b""
            return None
        if command == "cut":
            return self.relay.cut()
        if command == "accepted":
            return str(self.relay.accepted)
        if command == "turns":
            return str(self.relay.turns)
        raise ValueError(f"unknown command {command}")

    def start_later(self, seconds):
        time.sleep(seconds)
        self.start(self.postgres)

    def start(self, server):
        """The server dies with the thread that has started it, so that is the main one."""
        done = threading.Event()
        self.for_main.put((server, done))
        done.wait()

    def run(self, command):
        child = subprocess.Popen(command, env=self.environment(), preexec_fn=die_with_parent)
        while child.poll() is None:
            try:
                server, done = self.for_main.get(timeout=0.02)
            except queue.Empty:
                continue
            server.start()
            done.set()
        return child.returncode

    def remove(self):
        self.listener.close()
        self.relay.close()
        if self.pooler:
            self.pooler.remove()
        if self.standby:
            self.standby.remove()
        self.postgres.remove()


def main():
    if not programs():
        print("skipped: PostgreSQL is not installed (Debian: apt install postgresql)")
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that everything is removed
    services = Services()
    try:
        return services.run(sys.argv[1:])
    finally:
        services.remove()


sys.exit(main())
