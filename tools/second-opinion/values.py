"""How a value is written down so that two readings of it can be compared.

A reading is a dict of scalars and a dict of lists of rows; every value in them is None, a string or a
list of strings. What a reader does not read is absent, and is then not compared.
"""

import re
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

Value = None | str | list[str]
Row = dict[str, Value]


@dataclass
class Reading:
    """What one reader found in one file; `refused` says why it found nothing."""

    kind: str
    scalars: Row = field(default_factory=dict)
    lists: dict[str, list[Row]] = field(default_factory=dict)
    refused: str | None = None


def text(found: object) -> str | None:
    """Blanks at the ends dropped and runs of them joined: filers break names over lines."""
    joined = " ".join(str(found).split()) if found is not None else ""
    return joined or None


def number(found: object) -> str | None:
    """A plain decimal in its shortest form; any other text stays as it is."""
    if found is None or found != found:
        return None
    written = str(found).strip()
    if written == "":
        return None
    try:
        exact = Decimal(written)
    except InvalidOperation:
        return written
    if not exact.is_finite():
        return written
    short = format(exact.normalize(), "f")
    return "0" if short == "-0" else short


def flag(found: object) -> str | None:
    """`true` and `false` from the spellings of the XML schema; any other text stays as it is."""
    written = text(found)
    if written is None:
        return None
    return {"1": "true", "true": "true", "0": "false", "false": "false"}.get(written.lower(), written)


def cusip(found: object) -> str | None:
    """Nine characters in capitals, zeros that a spreadsheet dropped put back; none for anything else."""
    written = "".join(str(found or "").split()).upper()
    padded = written.rjust(9, "0")
    reserved = padded == "000000000"
    return None if not written or reserved or not CUSIP.fullmatch(padded) else padded


def quarter_end(found: object) -> str | None:
    """The cover writes MM-DD-YYYY."""
    written = text(found)
    match = re.fullmatch(r"(\d\d)-(\d\d)-(\d{4})", written or "")
    return f"{match[3]}-{match[1]}-{match[2]}" if match else written


def report_type(found: object) -> str | None:
    words = (text(found) or "").upper().split()
    return words[1].lower() if words[:1] == ["13F"] and len(words) > 1 else text(found)


def amendment_type(found: object) -> str | None:
    written = text(found)
    return {"RESTATEMENT": "restatement", "NEW HOLDINGS": "new_holdings"}.get((written or "").upper(), written)


def option_side(found: object) -> str | None:
    written = text(found)
    return {"put": "PUT", "call": "CALL"}.get((written or "").lower(), written)


CUSIP = re.compile(r"[0-9A-Z*@#]{9}")
