"""No thread waits for room in the cache, and none keeps a snapshot while it waits for the lock of the store.

The holder of that lock waited for room, and room comes only when the oldest snapshot ends. A thread that waited for
the lock with a snapshot kept both waiting for good: the server then answered no client any more.
"""

import contextlib

from secantus.storage import Storage
from wiredtiger import Connection

from .replace import replace

PROFILE_OFF = {"level": 0, "slowms": 100, "sampleRate": 1.0}


@replace(Connection, "open_session")
def never_wait_for_room(open_session):
    """Other threads evict; those of commands may exceed the size of the cache for a moment."""
    return lambda self, config=None: open_session(self, config or "ignore_cache_size=true")


@replace(Storage, "prune_ttl_all_collections")
def sweep_and_release(sweep):
    """The sweeper slept for a minute with the snapshot of its last read."""

    def swept(self, **options):
        try:
            return sweep(self, **options)
        finally:
            self._reset_thread_session()

    return swept


@replace(Storage, "release_thread_snapshot")
def release_without_lock(_original):
    """Called after each command: it waited for the lock in order to give its snapshot back."""

    def release(self):
        session = getattr(self._tls, "session", None)
        if session is not None and getattr(self._tls, "user_txn", None) is None and not self._closed:
            with contextlib.suppress(Exception):
                session.reset()

    return release


@replace(Storage, "get_profile")
def no_profile(_original):
    """Read after each command, under the lock and with its snapshot. Nothing here turns profiling on."""
    return lambda self, _db: PROFILE_OFF
