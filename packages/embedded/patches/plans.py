"""A filter of `_id` reads by the index of ids, where the engine looked at each document of the collection.

One `_id` beside `$and`, `$or` or `$expr`, which it adds itself in `findAndModify`: 13 ms in a collection of 2,000. A
range of ids: 2 s in one of 35,000.

What is found may be too much: each caller compares it with the whole filter.
"""

import wiredtiger
from secantus.sortkey import RANK_NUMBER, RANK_STRING, encode_id_key
from secantus.storage import _NAT_SEQ_TABLE, Storage, _deadline

from .replace import replace

LOWER = {"$gt", "$gte"}
UPPER = {"$lt", "$lte"}


def rank_of(values):
    """The rank of their kind in the order of ids, which keeps text and numbers apart. None of any other kind."""
    if all(type(value) is str for value in values):
        return RANK_STRING
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return RANK_NUMBER
    return None


def in_range(store, db, coll, bounds):
    """The documents between the bounds, in the order of their ids; None unless `bounds` is a range of text or numbers
    that has a begin: from the first document on, a range may be the whole collection."""
    if not isinstance(bounds, dict) or not set(bounds) & LOWER or not set(bounds) <= LOWER | UPPER:
        return None
    rank = rank_of(bounds.values())
    if rank is None or store._is_timeseries(db, coll):
        return None
    first = max(encode_id_key(bound) for op, bound in bounds.items() if op in LOWER)
    last = min([encode_id_key(bound) for op, bound in bounds.items() if op in UPPER], default=bytes([rank + 1]))
    cursor = store._cursor(_NAT_SEQ_TABLE)
    cursor.reset()
    cursor.set_key(db, coll, first)
    near = cursor.search_near()
    found = []
    is_there = near != wiredtiger.WT_NOTFOUND and (near >= 0 or cursor.next() == 0)
    while is_there:
        of_db, of_coll, key = cursor.get_key()
        if (of_db, of_coll) != (db, coll) or bytes(key) > last:
            break
        found.append(int(cursor.get_value()))
        if len(found) % 1_000 == 0:
            _deadline.check()
        is_there = cursor.next() == 0
    cursor.reset()
    return found


@replace(Storage, "_try_index_id_keys")
def by_id(plan):
    def planned(self, db, coll, query, **options):
        if not query or "_id" not in query:
            return plan(self, db, coll, query, **options)
        bounds = query["_id"]
        alone = {"_id": bounds}
        # Beside a range another field may find less: the engine tries the fields in their order.
        others_first = {**{field: query[field] for field in query if field != "_id"}, **alone}
        parts = [others_first, alone] if isinstance(bounds, dict) else [alone, query]
        for part in parts if len(query) > 1 else [alone]:
            found = plan(self, db, coll, part, **options)
            if found is not None:
                return found
        return in_range(self, db, coll, bounds) if options.get("collation") is None else None

    return planned
