"""pgbouncer before the throw-away server: one database for each of its modes, and one that a test makes."""

import os
import shutil
import socket
import subprocess
import time

from postgres import die_with_parent, free_port, run_as

SETTINGS = """
[databases]
session = host=127.0.0.1 port={server} dbname=postgres user=postgres pool_mode=session pool_size=4
transaction = host=127.0.0.1 port={server} dbname=postgres user=postgres pool_mode=transaction pool_size=2
odd = host=127.0.0.1 port={server} dbname=odd user=postgres pool_mode=transaction pool_size=2
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
server_reset_query = DISCARD ALL
logfile = {directory}/pgbouncer.log
"""


def program():
    return shutil.which("pgbouncer", path=os.environ.get("PATH", "") + ":/usr/sbin")


class PgBouncer:
    def __init__(self, postgres):
        self.port = free_port()
        path = os.path.join(postgres.directory, "pgbouncer.ini")
        with open(path, "w", encoding="ascii") as settings:
            settings.write(
                SETTINGS.format(server=postgres.port, port=self.port, directory=postgres.directory))
        self.process = subprocess.Popen([program(), "-q", path], preexec_fn=die_with_parent,
                                        stderr=subprocess.DEVNULL, **run_as())
        until = time.monotonic() + 10
        while not self.answers():
            if time.monotonic() > until:
                raise RuntimeError("pgbouncer does not start")
            time.sleep(0.02)

    def answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def remove(self):
        self.process.kill()
        self.process.wait()
