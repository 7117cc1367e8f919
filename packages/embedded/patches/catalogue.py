"""The indexes of a collection, decoded once. The engine read and decoded them several times for each write.

A kept entry is what was committed while no change was under way. A change forgets all entries when it begins, and
until it has ended each thread reads for itself, as without this file. So no entry is ever older than the last change,
whichever thread read it.
"""

import contextlib
import threading

from secantus.storage import Storage

from .replace import replace

# All that write the table of indexes. A transaction of a client may hold any of them until its commit.
CHANGES = [
    "create_index",
    "drop_index",
    "drop_all_indexes",
    "set_index_expiry",
    "set_index_options",
    "drop_collection",
    "drop_database",
    "rename_collection",
    "commit_user_transaction",
]


class Catalogue:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.kept: dict = {}
        self.under_way = 0
        self.changes = 0

    def begin_change(self) -> None:
        with self.lock:
            self.under_way += 1
            self.changes += 1
            self.kept = {}

    def end_change(self) -> None:
        with self.lock:
            self.under_way -= 1

    def keep(self, key, indexes, changes: int) -> None:
        with self.lock:
            if self.under_way == 0 and self.changes == changes:
                self.kept[key] = indexes


catalogue = Catalogue()


@contextlib.contextmanager
def newest(store):
    """Reads in a session of its own: the snapshot of this thread may be older than the last change.

    As `_committed_read_scope` of the store, but without its lock: a writer that has just made a collection would wait
    for whoever has that lock, who may make the same collection and wait for this writer, for good.
    """
    store._session()
    tls = store._tls
    saved = tls.session, tls.cursors, getattr(tls, "user_txn", None)
    session = store._conn.open_session()
    tls.session, tls.cursors, tls.user_txn = session, {}, None
    try:
        yield
    finally:
        tls.session, tls.cursors, tls.user_txn = saved
        session.close()


@replace(Storage, "_iter_indexes")
def kept_indexes(read):
    def indexes(self, db, coll):
        if getattr(self._tls, "user_txn", None) is not None:
            return read(self, db, coll)
        found = catalogue.kept.get((db, coll))
        if found is not None:
            return found
        changes = catalogue.changes
        if catalogue.under_way > 0:
            return read(self, db, coll)
        with newest(self):
            found = list(read(self, db, coll))
        catalogue.keep((db, coll), found, changes)
        return found

    return indexes


def is_change(change):
    def changed(self, *args, **options):
        catalogue.begin_change()
        try:
            return change(self, *args, **options)
        finally:
            catalogue.end_change()

    return changed


for name in CHANGES:
    replace(Storage, name)(is_change)


@replace(Storage, "_maybe_mark_multikey")
def mark_as_change(mark):
    """A write of the first array into an index marks that index. Others see the mark when the write is committed."""

    def marked(self, db, coll, doc, indexes, already):
        before = len(already)
        marks = mark(self, db, coll, doc, indexes, already)
        if len(marks) > before and not getattr(self._tls, "marking", False):
            self._tls.marking = True
            catalogue.begin_change()
        return marks

    return marked


@replace(Storage, "_batch_transaction")
def end_of_marks(transaction):
    @contextlib.contextmanager
    def ended(self, **options):
        try:
            with transaction(self, **options) as session:
                yield session
        finally:
            if getattr(self._tls, "marking", False):
                self._tls.marking = False
                catalogue.end_change()

    return ended
