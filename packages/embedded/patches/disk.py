"""For homes of tests: a write is answered when it is in the file of the log, before the disk has it.

It outlives a kill -9 of the server, as the pages of the system do, and no loss of power. ENGINE_FSYNC=off turns it on.
"""

import os

import wiredtiger

from .replace import replace

if os.environ.get("ENGINE_FSYNC") == "off":

    @replace(wiredtiger, "wiredtiger_open")
    def open_without_fsync(open_store):
        return lambda home, config: open_store(home, config + ",transaction_sync=(enabled=true,method=none)")
