"""The kind of each open-market trade (rule 6.11), read from the box, the footnotes and the rows of the form.

Written from the rule's text, sentence by sentence, without a look at our patterns: words in a sentence stand for
what it says, where ours match phrases.
"""

import re
from decimal import Decimal, InvalidOperation

from values import Row

PLAN = re.compile(r"10b-?5\W{0,3}1(?!\d)", re.I)
# A filer denies a plan in the words before its name, and in the verb after it.
DENIAL = re.compile(r"\b(not|nor|never|without|outside|other than|no)\b", re.I)
NOT_AFTER = re.compile(r"^\W*(trading |sales )?(plan|arrangement)s?\s+\w+ not\b", re.I)
PURPOSE = re.compile(r"\b(cover|satisfy|satisfying|satisfaction|pay|payment|paying|meet|fund|funding|covering)\b", re.I)
TAX = re.compile(r"\b(tax|taxes|withholding)\b", re.I)
PART = re.compile(r"\b(partial|partially|partly|in part|out of the total)\b", re.I)
SELL_TO_COVER = re.compile(r"sell[ -]to[ -]cover", re.I)
EXERCISE = {"M", "X", "O"}


def kinds_into(rows: list[Row], footnotes: list[Row], box: str | None) -> None:
    """Adds `kind` to each transaction of the non-derivative table; none where it is no open-market trade."""
    texts = {note["id"]: note["text"] or "" for note in footnotes}
    covered = sales_covered(rows)
    for place, row in enumerate(rows):
        notes = [texts.get(note.split()[1], "") for note in dict.fromkeys(row["footnoteIds"])]
        row["kind"] = kind_of(row, notes, box) if place not in covered else taxed(notes) or "exercise_and_sell"


def kind_of(row: Row, notes: list[str], box: str | None) -> str | None:
    trade = (row["code"], row["acquiredDisposed"])
    if trade not in (("P", "A"), ("S", "D")):
        return None
    if trade == ("S", "D") and taxed(notes):
        return "tax_cover"
    said = [statement for note in notes for statement in plans(note)]
    return "plan" if "stated" in said or (box == "true" and "denied" not in said) else "discretionary"


def taxed(notes: list[str]) -> str | None:
    return "tax_cover" if any(sold_for_taxes(note) for note in notes) else None


def sold_for_taxes(note: str) -> bool:
    if PART.search(note):
        return False
    sentences = re.split(r"(?<=[.;])\s", note)
    return any(SELL_TO_COVER.search(one) or is_purpose(one) for one in sentences)


def is_purpose(sentence: str) -> bool:
    """A tax named after what the sale was for: `to satisfy … tax withholding`."""
    return any(TAX.search(sentence, found.end()) for found in PURPOSE.finditer(sentence))


def plans(note: str) -> list[str]:
    found = []
    for mention in PLAN.finditer(note):
        clause = re.split(r"[.;,]\s", note[: mention.start()])[-1]
        denied = DENIAL.search(clause) or NOT_AFTER.search(note[mention.end() :])
        found.append("denied" if denied else "stated")
    return found


def sales_covered(rows: list[Row]) -> set[int]:
    """Sales that the shares exercised on their day cover, in the order of the rows, in full or not at all."""
    left: dict[str, Decimal] = {}
    for row in rows:
        if row["code"] in EXERCISE and row["acquiredDisposed"] == "A":
            day = str(row["transactionDate"])
            left[day] = left.get(day, Decimal(0)) + amount(row)
    covered = set()
    for place, row in enumerate(rows):
        day, sold = str(row["transactionDate"]), amount(row)
        if (row["code"], row["acquiredDisposed"]) == ("S", "D") and 0 < sold <= left.get(day, Decimal(0)):
            left[day] -= sold
            covered.add(place)
    return covered


def amount(row: Row) -> Decimal:
    try:
        return max(Decimal(str(row["shares"])), Decimal(0))
    except InvalidOperation:
        return Decimal(0)
