"""The Python engine of the embedded MongoDB, with its user. Arguments are those of `python -m secantus`.

The server lets a user be made only while it asks nobody for a password. So this one is stored after the
data is open and before the server listens. Name and password are in MONGO_USER and MONGO_PASSWORD: every
user of the machine sees the arguments of a process, and only its own user the environment.

It keeps no oplog, which only change streams read. A write would store each document twice, and could wait
inside its transaction for a lock whose holder waited for the same transaction to leave the cache: the
server then answered nobody any more.

It lets changed data fill most of its cache before it makes a writer wait for room. A writer holds the lock of the
whole store, and what has to leave the cache may wait for sessions that wait for this lock: when a large database
was dropped, the server answered nobody any more. Its threads still begin to write at the usual small share.

The folder `patches` replaces functions of the server; each of its files says why.
"""

import faulthandler
import os
import signal
import sys

import patches  # noqa: F401
from secantus import cli
from secantus.auth import derive_credentials
from secantus.server import SecantusDBServer


ROOM = ",".join([
    "eviction_dirty_target=5",
    "eviction_dirty_trigger=80",
    "eviction_updates_target=3",
    "eviction_updates_trigger=80",
])


class Server(SecantusDBServer):
    def start(self) -> None:
        name = os.environ["MONGO_USER"]
        credentials = derive_credentials(os.environ["MONGO_PASSWORD"], username=name)
        user = {
            "_id": f"admin.{name}",
            "user": name,
            "db": "admin",
            "credentials": credentials.to_doc(),
            "roles": [{"role": "root", "db": "admin"}],
            "mechanisms": ["SCRAM-SHA-256"],
        }
        self.storage.add_user("admin", name, user)
        self.storage.enable_oplog = False
        self.storage._conn.reconfigure(ROOM)
        super().start()


# On SIGUSR1 every thread prints where it is: a server that answers nobody any more has no other way to say so.
faulthandler.register(signal.SIGUSR1)
cli.SecantusDBServer = Server
sys.exit(cli.main())
