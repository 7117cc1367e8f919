"""Splits and new CUSIPs, found again in the fails-to-deliver files and the tables of holdings.

A split: the price of a CUSIP divides by a factor between two neighbouring days, and some manager's count went that way.
A new CUSIP: a symbol leaves one CUSIP for another, and some manager left the one and entered the other.
What we prove has to be among these, at the rows that we name; all of these have to be proven or suspected by us.
"""

import json
import re
import sys
import zipfile
from collections import Counter, defaultdict, namedtuple
from datetime import date, datetime, timedelta
from itertools import pairwise
from math import log
from pathlib import Path

from lxml_reader import read_with_lxml

LINE = re.compile(r"(\d{8})\|(\w{9})\|([^|]+)\|.*\|(\d*\.?\d+)\s*")
FACTORS = [1.0, *(part for n in (1.5, *range(2, 101)) for part in (n, 1 / n))]
MOST_DAYS, MOST_SILENT_DAYS = timedelta(10), timedelta(30)

Day = namedtuple("Day", "day file row price symbol")


def days_of(folder: Path, cusips: set[str]) -> dict[str, list[Day]]:
    found = defaultdict(list)
    for path in sorted(folder.glob("cnsfails*.zip")):
        with zipfile.ZipFile(path) as archive:
            lines = archive.read(archive.namelist()[0]).decode("latin-1").splitlines()
        for row, line in enumerate(lines[1:], 1):
            day, cusip, symbol, price = read.groups() if (read := LINE.fullmatch(line)) else [""] * 4
            if cusip in cusips and float(price) > 0 and not symbol.endswith(("XXXX", "ZZZZ")):
                found[cusip].append(Day(datetime.strptime(day, "%Y%m%d").date(), path.name, row, float(price), symbol))
    return {cusip: sorted(days) for cusip, days in found.items()}


def held_in(folder: Path, files: list[str]) -> dict[str, dict[str, Counter]]:
    """Shares by quarter, manager and CUSIP, of the originals: no options, no principal."""
    held: dict = defaultdict(lambda: defaultdict(Counter))
    for file in files:
        reading = read_with_lxml((folder / file).read_bytes(), "submission")
        own = held[reading.scalars["header.periodOfReport"]][reading.lists["header.filers"][0]["cik"]]
        for row in reading.lists.get("rows", []):
            if reading.scalars["header.form"] == "13F-HR" and row["amountType"] == "SH" and not row["putCall"]:
                own[row["cusip"]] += int(row["amount"])
    return held


def nearest(ratio: float) -> float:
    return min(FACTORS, key=lambda factor: abs(log(factor / ratio)))


def near(ratio: float, factor: float, part: float) -> bool:
    return abs(log(ratio / factor)) <= log(1 + part)


def splits_in(days: dict, before: dict, now: dict, quarter: tuple[date, date]):
    """CUSIP, the two rows of each jump that some manager's count followed, and the counts."""
    for cusip, own in days.items():
        both = [(held[cusip], now[who][cusip]) for who, held in before.items() if who in now and cusip in held]
        counts = [after / shares for shares, after in both if shares and after]
        for last, first in pairwise(own):
            ratio = last.price / first.price
            is_inside = quarter[0] + timedelta(3) < last.day < first.day <= min(quarter[1], last.day + MOST_DAYS)
            if not is_inside or ratio < 1.4 or first.price < 20 or not near(ratio, nearest(ratio), 0.03):
                continue
            if any(near(count, nearest(ratio), 0.13) for count in counts):
                yield cusip, (last, first), counts


def links_in(days: dict, before: dict, now: dict, quarter: tuple[date, date]):
    """Old and new CUSIP and the rows between which a symbol went from one to the other, with who went along."""
    spans: dict = defaultdict(dict)
    for cusip, own in days.items():
        for day in own:
            spans[day.symbol][cusip] = (spans[day.symbol].get(cusip, (day,))[0], day)
    for by_cusip in spans.values():
        ordered = sorted(by_cusip.items(), key=lambda item: item[1][0].day)
        for (old, (_, last)), (new, (first, _)) in pairwise(ordered):
            is_inside = quarter[0] < first.day <= quarter[1] and last.day < first.day <= last.day + MOST_SILENT_DAYS
            went = [
                now[who][new] / held[old]
                for who, held in before.items()
                if held[old] and not held[new] and who in now and now[who][new] and not now[who][old]
            ]
            if is_inside and went:
                yield old, new, (last, first), went


def said_by(action: dict):
    """The CUSIPs of one of our actions, and what it says of them: kind, factor, the two rows."""
    steps = [action["prices"][end] for end in ("last", "first")] if "prices" in action else []
    key = (action["from"], action["cusip"]) if "from" in action else action["cusip"]
    parts = action.get("factor", {"numerator": 0, "denominator": 1})
    factor = int(parts["numerator"]) / int(parts["denominator"])
    return key, (action["kind"], factor, [(one["day"], one["price"], one["file"], one["row"]) for one in steps])


def judged(ours: dict, splits: dict, links: dict) -> list[str]:
    """What differs between our actions of one quarter and what the files show."""
    wrong = [f"{key} of the files: ours has nothing" for key in (splits | links).keys() - ours.keys()]
    for key, (kind, factor, rows) in ours.items():
        shown = (links if kind == "cusip_change" else splits).get(key)
        is_proven = kind == "split" or (kind == "cusip_change" and rows)
        if is_proven and not (shown and is_so(factor, rows, *shown)):
            wrong.append(f"{kind} of {key} by {factor:g} at {rows}: the files show {shown}")
    return wrong


def is_so(factor: float, rows: list[tuple], step: tuple[Day, Day], counts: list[float]) -> bool:
    """The price moved by the inverse, or somebody's count to the share by the factor."""
    is_price = nearest(step[0].price / step[1].price) == factor
    is_moved = is_price or any(near(count, factor, 0.001) for count in counts)
    return is_moved and rows == [(one.day.isoformat(), one.price, one.file, one.row) for one in step]


def damaged(ours: dict):
    """Each action that the files prove with another factor, with another row, and left out."""
    for key, (kind, factor, rows) in ours.items():
        if kind in ("split", "cusip_change") and rows:
            yield ours | {key: (kind, factor * 3, rows)}
            yield ours | {key: (kind, factor, rows[:1] * 2)}
            yield {other: said for other, said in ours.items() if other != key}


def main() -> int:
    folder = Path(sys.argv[1])
    ours, actions = ([json.loads(line) for line in Path(path).read_text("utf-8").splitlines()] for path in sys.argv[2:])
    xml = [line["file"] for line in ours if line.get("filing", {}).get("textConfidence", 0) is None]
    held = held_in(folder, xml)
    days = days_of(folder / "fails", {cusip for own in held.values() for rows in own.values() for cusip in rows})
    wrong, counts, outcomes = [], Counter(one["kind"] for one in actions), []
    for start, end in pairwise(sorted(held)):
        quarter = (date.fromisoformat(start), date.fromisoformat(end))
        splits = {cusip: found for cusip, *found in splits_in(days, held[start], held[end], quarter)}
        links = {(old, new): found for old, new, *found in links_in(days, held[start], held[end], quarter)}
        own = dict(said_by(one) for one in actions if one["quarterEnd"] == end)
        wrong += judged(own, splits, links)
        counts.update({"splits in the files": len(splits), "new CUSIPs in the files": len(links)})
        outcomes += [bool(judged(change, splits, links)) for change in damaged(own)]
    print("\n".join([*wrong, ", ".join(f"{count} {kind}" for kind, count in counts.items())]))
    print(f"{len(wrong)} corporate actions differ; {sum(outcomes)} of {len(outcomes)} planted errors noticed")
    return 0 if not wrong and all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
