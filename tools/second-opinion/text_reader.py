"""Tables of before 2013, which are plain text: CUSIP, value and count of each line that has all three.

Deliberately simple, and another way than the product's: it knows no columns. A line counts when it has a
CUSIP with a right check digit (or one continued on the line before), and its first two numbers after
that CUSIP are value and shares, which is the order of columns 4 and 5 of the form.
"""

import re

from container import documents_of
from values import Reading, Row, number

CUSIP = re.compile(r"(?<![\w.,])([0-9A-Z]{3}[0-9A-Z*@#]{3}[\s-]?[0-9A-Z*@#]{2}[\s-]?[0-9])(?![\w.,])", re.I)
NUMBER = re.compile(r"(?<![\w.,/-])\$?(\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w/])")
VALUES = {**{str(digit): digit for digit in range(10)}, "*": 36, "@": 37, "#": 38}
VALUES.update({chr(65 + place): 10 + place for place in range(26)})


def read_lines(source: str) -> Reading:
    reading = Reading("thirteen_f")
    rows: list[Row] = []
    for document in documents_of(source):
        rows += rows_of(document.text)
    reading.lists["rows"] = rows
    return reading


def rows_of(body: str) -> list[Row]:
    rows = []
    last: str | None = None
    for line in body.splitlines():
        found = next((match for match in CUSIP.finditer(line) if is_cusip(bare(match[1]))), None)
        if found is not None:
            last = bare(found[1])
        rest = line[found.end():] if found else ""
        numbers = [match[1].replace(",", "") for match in NUMBER.finditer(rest)]
        if last is not None and len(numbers) >= 2:
            rows.append({"cusip": last, "value": number(numbers[0]), "amount": number(numbers[1])})
    return rows


def bare(written: str) -> str:
    return re.sub(r"[\s-]", "", written).upper()


def is_cusip(written: str) -> bool:
    if len(written) != 9 or not any(sign.isdigit() for sign in written[:6]):
        return False
    total = 0
    for place, sign in enumerate(written[:8]):
        value = VALUES[sign] * (1 + place % 2)
        total += value // 10 + value % 10
    return (10 - total % 10) % 10 == int(written[8])
