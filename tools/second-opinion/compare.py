"""Compares our reading of a folder, value by value, with those of lxml, edgartools and a line reader.

usage: compare.py FOLDER OURS.jsonl [--details N]
"""

import argparse
import json
import logging
import sys
import time
import warnings
from difflib import SequenceMatcher
from pathlib import Path

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

from container import Unreadable, decoded  # noqa: E402
from control import Control  # noqa: E402
from difference import Difference, Side  # noqa: E402
from edgartools_reader import read_with_edgartools  # noqa: E402
from lxml_reader import read_with_lxml  # noqa: E402
from ours import read_ours  # noqa: E402
from tally import Tally  # noqa: E402
from text_reader import read_lines  # noqa: E402
from values import Reading, Row  # noqa: E402

READERS = {"lxml": read_with_lxml, "edgartools": read_with_edgartools}
# What says that two rows of lists of unequal length are the same row.
KEYS = ("cusip", "value", "amount", "cik", "id", "securityTitle", "transactionDate", "code", "shares", "name")


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("ours", type=Path)
    options.add_argument("--details", type=int, default=20)
    given = options.parse_args()
    tally, control = Tally(), Control()
    for line in given.ours.read_text("utf-8").splitlines():
        for side in sides_of(given.folder, json.loads(line), tally):
            compare_readings(side, tally)
            control.remember(side)
    noticed, missed = tried(control)
    print(tally.report(given.details, f"{noticed} of {noticed + len(missed)} planted errors noticed"))
    for name in missed:
        print(f"NOT NOTICED when planted: {name}")
    return 1 if tally.unexplained or missed else 0


def tried(control: Control) -> tuple[int, list[str]]:
    missed, noticed = [], 0
    for name, side in control.damaged():
        damaged = Tally()
        compare_readings(side, damaged)
        if damaged.unexplained:
            noticed += 1
        else:
            missed.append(name)
    return noticed, missed


def sides_of(folder: Path, line: dict, tally: Tally):
    """Our reading of one file beside each other reader's; nothing for a form that is not carried."""
    raw = (folder / line["file"]).read_bytes()
    ours = read_ours(line)
    tally.document(ours)
    if ours.refused == "unsupported_form" or (ours.refused == "schema_invalid" and is_other_form(raw, line)):
        tally.not_carried(line["file"])
        return
    source = decoded(raw)
    is_text_table = line["kind"] == "submission" and b"<XML>" not in raw and b"<?xml" not in raw
    readers = {**READERS, **({"lines": lambda _raw, _kind: read_lines(source)} if is_text_table else {})}
    if is_text_table:
        del readers["lxml"]
    for reader, read in readers.items():
        started = time.perf_counter()
        try:
            theirs = read(raw, line["kind"])
        except Unreadable as error:
            theirs = Reading(line["kind"], refused=str(error))
        tally.took(reader, time.perf_counter() - started)
        yield Side(reader, line["file"], source, ours, theirs)


def is_other_form(raw: bytes, line: dict) -> bool:
    """Forms 3 and 5 that came without a container are refused by their document type."""
    return line["kind"] == "ownershipDocument" and any(
        f"<documentType>{form}</documentType>".encode() in raw for form in ("3", "3/A", "5", "5/A")
    )


def compare_readings(side: Side, tally: Tally) -> None:
    ours, theirs = side.ours, side.theirs
    if ours.refused is not None or theirs.refused is not None:
        outcomes = (ours.refused and f"refused: {ours.refused}", theirs.refused and f"refused: {theirs.refused}")
        if ours.refused is not None and theirs.refused is not None:
            tally.same(side.reader, "document", 1)
        else:
            tally.differs(Difference(side, "document", *outcomes))
        return
    tally.same(side.reader, "document", 1)
    for name, value in theirs.scalars.items():
        if name in ours.scalars:
            compare_value(side, name, (ours.scalars[name], value), tally)
    for name, rows in theirs.lists.items():
        if name in ours.lists:
            compare_lists(side, name, (ours.lists[name], rows), tally)


def compare_value(side: Side, name: str, pair: tuple, tally: Tally, rows: tuple = (None, None)) -> None:
    if pair[0] == pair[1]:
        tally.same(side.reader, name, 1)
    else:
        tally.differs(Difference(side, name, *pair, *rows))


def compare_lists(side: Side, name: str, pair: tuple[list[Row], list[Row]], tally: Tally) -> None:
    ours, theirs = pair
    for mine, other in aligned(ours, theirs):
        if mine is None or other is None:
            tally.differs(Difference(side, f"{name}.row", summary(mine), summary(other), mine, other))
            continue
        tally.same(side.reader, f"{name}.row", 1)
        for field, value in other.items():
            found = mine_of(mine, field)
            compare_value(side, f"{name}.{field}", (found, value), tally, (mine, other))


def summary(row: Row | None) -> str | None:
    return row and " ".join(str(row[name]) for name in KEYS if name in row)


def mine_of(row: Row, field: str):
    """edgartools lists the footnotes of a row without saying of which element."""
    if field != "footnotes":
        return row.get(field)
    return sorted({note.split()[1] for note in row["footnoteIds"]})


def aligned(ours: list[Row], theirs: list[Row]):
    """Row by row where there are as many; else by what identifies a row, in order."""
    if len(ours) == len(theirs):
        yield from zip(ours, theirs)
        return
    names = [name for name in KEYS if ours and theirs and name in ours[0] and name in theirs[0]]
    left = [tuple(str(row[name]) for name in names) for row in ours]
    right = [tuple(str(row[name]) for name in names) for row in theirs]
    for tag, a0, a1, b0, b1 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from zip(ours[a0:a1], theirs[b0:b1])
        elif tag == "replace" and a1 - a0 == b1 - b0:
            yield from zip(ours[a0:a1], theirs[b0:b1])
        else:
            yield from ((row, None) for row in ours[a0:a1])
            yield from ((None, row) for row in theirs[b0:b1])


if __name__ == "__main__":
    sys.exit(main())
