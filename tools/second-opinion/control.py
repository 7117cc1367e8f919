"""The control: a comparison that would not notice a wrong value proves nothing.

For every reader and field, one value of ours that both read is damaged; each damage must come out as an
unexplained difference, so that no explanation covers more than its own class.
"""

from copy import deepcopy
from dataclasses import replace

from difference import Side
from values import Reading, Row, Value


class Control:
    def __init__(self) -> None:
        self.samples: dict[tuple[str, str], Side] = {}

    def remember(self, side: Side) -> None:
        """The first file in which a field has a value in both readings."""
        for name in fields_of(side):
            self.samples.setdefault((side.reader, name), side)

    def damaged(self):
        """One side for each sample, with that field of ours made wrong."""
        for (reader, name), side in sorted(self.samples.items(), key=lambda item: item[0]):
            ours = deepcopy(side.ours)
            damage(ours, side.theirs, name)
            yield f"{reader} {name}", replace(side, ours=ours)


def fields_of(side: Side) -> list[str]:
    ours, theirs = side.ours, side.theirs
    if ours.refused or theirs.refused:
        return []
    found = [name for name, value in theirs.scalars.items() if value and ours.scalars.get(name) == value]
    for name, rows in theirs.lists.items():
        mine = ours.lists.get(name, [])
        if not rows or len(rows) != len(mine):
            continue
        found += [f"{name}.row"]
        found += [f"{name}.{field}" for field in rows[0] if place_of(mine, rows, field) is not None]
    return found


def place_of(mine: list[Row], theirs: list[Row], field: str) -> int | None:
    return next((at for at, row in enumerate(theirs) if row[field] and mine[at].get(field) == row[field]), None)


def damage(ours: Reading, theirs: Reading, name: str) -> None:
    if name in ours.scalars:
        ours.scalars[name] = wrong(ours.scalars[name])
        return
    list_name, field = name.rsplit(".", 1)
    mine = ours.lists[list_name]
    at = place_of(mine, theirs.lists[list_name], field) if field != "row" else None
    if at is None:
        del mine[-1]
    else:
        mine[at][field] = wrong(mine[at][field])


def wrong(value: Value) -> Value:
    if isinstance(value, list):
        return value[1:]
    last = str(value)[-1]
    return str(value)[:-1] + ("7" if last != "7" else "8")
