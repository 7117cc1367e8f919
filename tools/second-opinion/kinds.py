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
# Of the form as a whole: it names itself beside what it reports, and limits nothing; May is a month.
NAMES_FORM = re.compile(
    r"\b(transactions?|trades?|sales?|sold|(?<!to )purchases?|purchased|dispositions?|acquisitions?)\b.{0,25}"
    r"\b(reported|disclosed|described|shown|listed|reflected|set forth)\b.{0,12}\b(this (form|report|filing|statement)|herein)\b",
    re.I,
)
LIMITED = re.compile(
    r"\b(certain|some|several|other than|except|excluding|portion|part|partly|partially|not all|respective|respectively"
    r"|only|primarily|no|none|neither|(?-i:may)|will|intends?|footnotes?)\b",
    re.I,
)
DONE = re.compile(r"\b(made|effected|executed|sold|purchased|conducted|completed|were|was)\b", re.I)
# What a sentence of the form speaks of: purchases, sales.
ABOUT = (
    re.compile(r"\b(transactions?|trades?|purchases?|purchased|acquisitions?)\b", re.I),
    re.compile(r"\b(transactions?|trades?|sales?|sold|dispositions?)\b", re.I),
)


def kinds_into(rows: list[Row], footnotes: list[Row], box: str | None, remarks: str) -> None:
    """Adds `kind` to each transaction of the non-derivative table; none where it is no open-market trade."""
    texts = {note["id"]: note["text"] or "" for note in footnotes}
    of_form = of_whole_form(remarks, list(texts.values()))
    covered = sales_covered(rows)
    for place, row in enumerate(rows):
        notes = [texts.get(note.split()[1], "") for note in dict.fromkeys(row["footnoteIds"])]
        row["kind"] = kind_of(row, notes, [one for one in of_form if ABOUT[row["code"] == "S"].search(one)], box)
        if place in covered and row["kind"] == "discretionary":
            row["kind"] = "exercise_and_sell"


def of_whole_form(remarks: str, notes: list[str]) -> list[str]:
    """Sentences that speak of every trade (rule 6.8): all of the remarks, and those of footnotes that name the form."""
    named = [one for note in notes for one in sentences(note) if NAMES_FORM.search(one)]
    return [one for one in sentences(remarks) + named if not LIMITED.search(one)]


def kind_of(row: Row, notes: list[str], of_form: list[str], box: str | None) -> str | None:
    trade = (row["code"], row["acquiredDisposed"])
    if trade not in (("P", "A"), ("S", "D")):
        return None
    if trade == ("S", "D") and taxed(notes + of_form):
        return "tax_cover"
    said = [statement for note in notes for statement in plans(note)]
    of_all = box == "true" or any(DONE.search(one) and "stated" in plans(one) for one in of_form)
    return "plan" if "stated" in said or (of_all and "denied" not in said) else "discretionary"


def taxed(notes: list[str]) -> bool:
    return any(sold_for_taxes(note) for note in notes)


def sold_for_taxes(note: str) -> bool:
    if PART.search(note):
        return False
    return any(SELL_TO_COVER.search(one) or is_purpose(one) for one in sentences(note))


def sentences(text: str) -> list[str]:
    return [one for one in re.split(r"(?<=[.;])\s", text) if one]


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
    """
    Sales that the shares exercised on their day, in their line of ownership, cover, in the order of the rows, in full
    or not at all.
    """
    left: dict[tuple[str, ...], Decimal] = {}
    for row in rows:
        if row["code"] in EXERCISE and row["acquiredDisposed"] == "A":
            left[line_of(row)] = left.get(line_of(row), Decimal(0)) + amount(row)
    covered = set()
    for place, row in enumerate(rows):
        line, sold = line_of(row), amount(row)
        if (row["code"], row["acquiredDisposed"]) == ("S", "D") and 0 < sold <= left.get(line, Decimal(0)):
            left[line] -= sold
            covered.add(place)
    return covered


def line_of(row: Row) -> tuple[str, ...]:
    nature = "".join(one for one in str(row["natureOfOwnership"] or "").lower() if one.isascii() and one.isalnum())
    return (str(row["transactionDate"]), str(row["ownership"]), nature)


def amount(row: Row) -> Decimal:
    try:
        return max(Decimal(str(row["shares"])), Decimal(0))
    except InvalidOperation:
        return Decimal(0)
