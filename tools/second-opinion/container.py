"""Full submissions taken apart by a reader that knows nothing of the product's."""

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

from values import Reading, Row, text

EASTERN = ZoneInfo("America/New_York")
SECTIONS = {
    "FILER": "filer",
    "ISSUER": "issuer",
    "REPORTING-OWNER": "reporting_owner",
    "FILED-BY": "filed_by",
    "SUBJECT-COMPANY": "subject_company",
}
TAGGED_SECTION = re.compile(r"<(FILER|ISSUER|REPORTING-OWNER|FILED-BY|SUBJECT-COMPANY)>(.*?)</\1>", re.S)
DOCUMENT = re.compile(r"<DOCUMENT>(.*?)</DOCUMENT>", re.S)


class Unreadable(Exception):
    """What another reader cannot read either."""


@dataclass
class Document:
    type: str
    text: str
    xml: str | None


def decoded(raw: bytes) -> str:
    for encoding in ("utf-8-sig", "cp1252", "latin-1"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise Unreadable("encoding")


def documents_of(source: str) -> list[Document]:
    found = []
    for body in DOCUMENT.findall(without_mail(source)):
        kind = re.search(r"<TYPE>([^\r\n<]*)", body)
        inner = re.search(r"<TEXT>(.*)</TEXT>", body, re.S)
        if inner is None:
            raise Unreadable("a document without text")
        xml = re.search(r"<XML>(.*)</XML>", inner[1], re.S)
        plain = inner[1].strip()
        found.append(
            Document(
                kind[1].strip() if kind else "",
                inner[1],
                xml[1].strip() if xml else plain if plain.startswith("<?xml") else None,
            )
        )
    if not found:
        raise Unreadable("no documents")
    return found


def without_mail(source: str) -> str:
    """RFC 1421 doubles a dash at the start of a line."""
    if not source.lstrip().startswith("-----BEGIN PRIVACY"):
        return source
    return re.sub(r"^- -", "-", source, flags=re.M)


def header_into(reading: Reading, source: str) -> None:
    head = without_mail(source).split("<DOCUMENT>", 1)[0]
    tagged = head.lstrip().startswith("<SUBMISSION>")
    fields, parties = tagged_header(head) if tagged else text_header(head)
    scalars = reading.scalars
    scalars["header.accession"] = text(fields.get("accession"))
    scalars["header.form"] = text(fields.get("form"))
    scalars["header.filedDate"] = day(fields.get("filed"))
    scalars["header.periodOfReport"] = day(fields.get("period"))
    scalars["header.acceptedAt"] = utc(fields.get("accepted"))
    reading.lists["header.filers"] = parties


def text_header(head: str) -> tuple[dict[str, str], list[Row]]:
    def top(name: str) -> str | None:
        found = re.search(rf"^{re.escape(name)}:[ \t]*(.*)$", head, re.M)
        return found[1] if found else None

    accepted = re.search(r"<ACCEPTANCE-DATETIME>\s*(\d{14})", head)
    fields = {
        "accession": top("ACCESSION NUMBER"),
        "form": top("CONFORMED SUBMISSION TYPE"),
        "filed": top("FILED AS OF DATE"),
        "period": top("CONFORMED PERIOD OF REPORT"),
        "accepted": accepted[1] if accepted else None,
    }
    blocks = re.split(r"^([A-Z][A-Z -]*):[ \t]*\r?$", head, flags=re.M)
    parties = []
    for name, body in zip(blocks[1::2], blocks[2::2]):
        cik = re.search(r"CENTRAL INDEX KEY:[ \t]*(\d+)", body)
        if cik is None:
            continue
        conformed = re.search(r"COMPANY CONFORMED NAME:[ \t]*(.*)", body)
        number = re.search(r"SEC FILE NUMBER:[ \t]*(.*)", body)
        parties.append(party(name.replace(" ", "-"), cik[1], conformed, number))
    return fields, parties


def tagged_header(head: str) -> tuple[dict[str, str], list[Row]]:
    def tag(name: str, body: str = head) -> re.Match | None:
        return re.search(rf"<{name}>([^<\r\n]*)", body)

    names = {
        "accession": "ACCESSION-NUMBER",
        "form": "TYPE",
        "filed": "FILING-DATE",
        "period": "PERIOD",
        "accepted": "ACCEPTANCE-DATETIME",
    }
    fields = {key: found[1] for key, name in names.items() if (found := tag(name))}
    parties = []
    for name, body in TAGGED_SECTION.findall(head):
        cik = tag("CIK", body)
        if cik is not None:
            parties.append(party(name, cik[1], tag("CONFORMED-NAME", body), tag("FILE-NUMBER", body)))
    return fields, parties


def party(section: str, cik: str, name: re.Match | None, number: re.Match | None) -> Row:
    return {
        "role": SECTIONS.get(section, "other"),
        "cik": cik.strip().zfill(10),
        "name": text(name[1]) if name else None,
        "fileNumber": text(number[1]) if number else None,
    }


def day(found: str | None) -> str | None:
    written = (found or "").strip()
    return f"{written[:4]}-{written[4:6]}-{written[6:8]}" if len(written) >= 8 else None


def utc(found: str | None) -> str | None:
    if not (found or "").strip():
        return None
    local = datetime.strptime(found.strip(), "%Y%m%d%H%M%S").replace(tzinfo=EASTERN)
    return local.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
