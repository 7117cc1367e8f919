"""The rules of the differences in tables of plain text, as before 2013."""

import re

from difference import Difference
from text_reader import has_check_digit
from values import Row


def is_unchecked_code(found: Difference) -> bool:
    """The line reader knows a CUSIP by its check digit; ours keeps one that has none, with that flag."""
    if found.field != "rows.row" or found.their_row is not None or found.our_row is None:
        return False
    code = found.our_row["cusip"]
    return code is None or not has_check_digit(code)


def is_glued_code(found: Difference) -> bool:
    """The title of the class runs into the CUSIP, which then does not stand alone: `6/107556QAL9`."""
    if found.field != "rows.row" or found.their_row is not None or found.our_row is None:
        return False
    code = str(found.our_row["cusipAsFiled"])
    return re.search(rf"\w{re.escape(code)}\s", found.side.source) is not None and stands(found, found.our_row)


def is_dropped_row(found: Difference) -> bool:
    """The row that they lack stands in the source: both of its numbers side by side on one line."""
    row = found.our_row
    return found.field == "rows.row" and found.their_row is None and row is not None and stands(found, row)


def stands(found: Difference, row: Row) -> bool:
    value, amount = (rf"{int(str(row[name])):,}" for name in ("value", "amount"))
    return re.search(rf"(?<![\d,]){value}\s+{amount}(?![\d,])", found.side.source) is not None


def is_shifted_column(found: Difference) -> bool:
    """The end of the CUSIP is read as the value, and the value as the number of shares."""
    mine, theirs = found.our_row, found.their_row
    if found.field not in ("rows.row", "rows.value", "rows.amount") or theirs is None:
        return False
    if mine is None:
        same = (row for row in found.side.ours.lists["rows"] if row["value"] == theirs["amount"])
        mine = next((row for row in same if str(row["cusip"]).endswith(str(theirs["value"]))), None)
    if mine is None:
        return False
    return str(mine["cusip"]).endswith(str(theirs["value"])) and theirs["amount"] == mine["value"]


def is_cut_value(found: Difference) -> bool:
    """The first digits of the value are lost: a column that begins too late."""
    ours, theirs = str(found.ours), str(found.theirs)
    return found.field == "rows.value" and ours != theirs and ours.endswith(theirs) and stands(found, found.our_row)


def is_window_of_code(found: Difference) -> bool:
    """Nine characters that begin within the CUSIP, and end in the value after it or before its end."""
    if found.field != "rows.cusip" or found.our_row is None or found.theirs is None:
        return False
    filed = re.sub(r"[ -]", "", str(found.our_row["cusipAsFiled"]))
    window = str(found.theirs)
    return window != filed and window in filed + str(found.our_row["value"])
