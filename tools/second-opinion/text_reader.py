"""Tables of before 2013, which are plain text: CUSIP, value and count of each line that has them.

Deliberately simple, and another way than the product's: it knows no columns. A row is a line with a
CUSIP and two numbers after it, which are value and shares in the order of columns 4 and 5 of the form;
or a line of blanks and then two numbers, which is more of the security above it.
"""

import re

from container import documents_of, header_into
from values import Reading, Row, cusip, number

CODE = re.compile(r"(?<![\w.,-])([0-9A-Z]{6}[ -]{0,2}[0-9A-Z*@#]{2}[ -]{0,2}[0-9A-Z])(?![\w.,-])", re.I)
AMOUNT = r"\$?(\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
FIRST_TWO = re.compile(rf"[^\d$]*?(?<![\w.,/-]){AMOUNT}\s+\$?\s*{AMOUNT}(?![\w/])")
MORE = re.compile(rf"\s{{24,80}}(?=[\d$])\$?\s*{AMOUNT}\s+\$?\s*{AMOUNT}(?![\w/,])")
TOTALS = {
    "cover.declaredEntryTotal": re.compile(r"Table\s+Entry\s+Total:?[\s$_]*([\d,]+)", re.I),
    "cover.declaredValueTotal": re.compile(r"Table\s+Value\s+Total:?[\s$_]*([\d,]+)", re.I),
}
WEIGHTS = {**{str(digit): digit for digit in range(10)}, "*": 36, "@": 37, "#": 38}
WEIGHTS.update({chr(65 + place): 10 + place for place in range(26)})


def read_lines(source: str) -> Reading:
    reading = Reading("thirteen_f")
    header_into(reading, source)
    for name, total in TOTALS.items():
        found = total.search(source)
        if found:
            reading.scalars[name] = number(found[1].replace(",", ""))
    reading.lists["rows"] = [row for document in documents_of(source) for row in rows_of(document.text)]
    return reading


def rows_of(body: str) -> list[Row]:
    rows: list[Row] = []
    above: str | None = None
    for line in body.expandtabs().splitlines():
        code = next((match for match in CODE.finditer(line) if has_check_digit(bare(match[1]))), None)
        if code is not None:
            above = bare(code[1])
        found = FIRST_TWO.match(line, code.end()) if code else above and MORE.match(line)
        if found:
            rows.append({
                "cusip": cusip(above),
                "value": number(found[1].replace(",", "")),
                "amount": number(found[2].replace(",", "")),
            })
    return rows


def bare(written: str) -> str:
    return re.sub(r"[ -]", "", written).upper()


def has_check_digit(code: str) -> bool:
    """The mod-10 double-add-double digit. A word of nine letters is no CUSIP."""
    if not code[8].isdigit() or not any(sign.isdigit() for sign in code[:8]):
        return False
    total = 0
    for place, sign in enumerate(code[:8]):
        weight = WEIGHTS[sign] * (1 + place % 2)
        total += weight // 10 + weight % 10
    return (10 - total % 10) % 10 == int(code[8])
