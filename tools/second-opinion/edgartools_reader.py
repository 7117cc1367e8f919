"""The same documents read with edgartools: its container, its 13F parsers, its ownership forms."""

from types import SimpleNamespace
from zoneinfo import ZoneInfo

from container import Unreadable, decoded
from edgar.ownership import owners as owners_module
from edgar.ownership.forms import Ownership
from edgar.sgml.sgml_common import FilingSGML
from edgar.thirteenf.parsers import parse_infotable_txt, parse_infotable_xml, parse_primary_document_xml
from values import (
    Reading, Row, amendment_type, cusip, number, option_side, quarter_end, report_type, text,
)

# It asks the network whether an owner is a company, only to turn a person's name around. The name is
# compared as filed, so every owner is one here and nothing is asked.
owners_module.Entity = lambda _cik: SimpleNamespace(data=SimpleNamespace(is_company=True))

EASTERN = ZoneInfo("America/New_York")
UTC = ZoneInfo("UTC")
UNITS = {"Shares": "SH", "Principal": "PRN"}
ROW_TEXTS = {
    "issuer": "Issuer",
    "titleOfClass": "Class",
    "cusipAsFiled": "Cusip",
    "cusip": "Cusip",
    "putCall": "PutCall",
    "discretion": "InvestmentDiscretion",
    "otherManagers": "OtherManager",
}
ROW_NUMBERS = {
    "value": "Value",
    "amount": "SharesPrnAmount",
    "votingSole": "SoleVoting",
    "votingShared": "SharedVoting",
    "votingNone": "NonVoting",
}
TRADE_TEXTS = {
    "securityTitle": "Security",
    "transactionDate": "Date",
    "code": "Code",
    "acquiredDisposed": "AcquiredDisposed",
    "underlyingTitle": "Underlying",
    "exerciseDate": "ExerciseDate",
    "expirationDate": "ExpirationDate",
}
TRADE_NUMBERS = {
    "shares": "Shares",
    "pricePerShare": "Price",
    "sharesOwnedAfter": "Remaining",
    "underlyingShares": "UnderlyingShares",
    "conversionOrExercisePrice": "ExercisePrice",
}
OWNERSHIP_WORDS = {"D": "direct", "I": "indirect", "Yes": "direct", "No": "indirect"}


def read_with_edgartools(raw: bytes, kind: str) -> Reading:
    source = decoded(raw)
    reading = Reading(kind)
    try:
        if kind == "submission":
            submission_into(reading, source)
        else:
            document_into(reading, source.strip())
    except Unreadable:
        raise
    except Exception as error:  # noqa: BLE001: whatever it throws, it has not read the document
        raise Unreadable(f"{type(error).__name__}: {error}") from error
    return reading


def submission_into(reading: Reading, source: str) -> None:
    filing = FilingSGML.from_text(source)
    accepted = filing.header.acceptance_datetime
    reading.scalars.update({
        "header.accession": text(filing.accession_number),
        "header.form": text(filing.form),
        "header.filedDate": text(filing.filing_date),
        "header.periodOfReport": text(filing.period_of_report),
        "header.acceptedAt": accepted
        and accepted.replace(tzinfo=EASTERN).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    })
    documents = [document for same in filing._documents_by_sequence.values() for document in same]
    parts = [part for document in documents if (part := xml_of(document.content))]
    for part in parts:
        document_into(reading, part)
    if not parts:
        reading.lists["rows"] = table_rows(parse_infotable_txt(source), with_votes=False)


def xml_of(content: str) -> str | None:
    if "<XML>" in content:
        return content.split("<XML>", 1)[1].rsplit("</XML>", 1)[0].strip()
    return content.strip() if content.lstrip().startswith("<?xml") else None


def document_into(reading: Reading, xml: str) -> None:
    opening = xml[:4000]
    if "informationTable" in opening:
        reading.lists["rows"] = table_rows(parse_infotable_xml(xml), with_votes=True)
    elif "edgarSubmission" in opening:
        cover_into(reading, parse_primary_document_xml(xml))
    elif "ownershipDocument" in opening:
        ownership_into(reading, Ownership.from_xml(xml))


def table_rows(frame, with_votes: bool) -> list[Row]:
    return [table_row(row, with_votes) for row in frame.to_dict("records")]


def table_row(row: dict, with_votes: bool) -> Row:
    """Of a text table it is asked for no more than it can tell: not how the CUSIP was spelt."""
    numbers = ROW_NUMBERS if with_votes else {"value": "Value", "amount": "SharesPrnAmount"}
    texts = ROW_TEXTS if with_votes else {"cusip": "Cusip"}
    found: Row = {name: text(row[column]) for name, column in texts.items()}
    found.update({name: number(row[column]) for name, column in numbers.items()})
    found["cusip"] = cusip(found["cusip"])
    if with_votes:
        found["putCall"] = option_side(found["putCall"])
        found["amountType"] = UNITS.get(row["Type"], row["Type"])
    return found


def cover_into(reading: Reading, document) -> None:
    page, summary = document.cover_page, document.summary_page
    amendment = page.amendment_info
    found = {
        "reportType": report_type(page.report_type),
        "quarterEnd": quarter_end(page.report_calendar_or_quarter),
        "isAmendment": str(page.is_amendment).lower(),
        "amendmentNumber": number(page.amendment_number),
        "amendmentType": amendment_type(amendment.amendment_type) if amendment else None,
        "manager": text(page.filing_manager.name),
        "declaredEntryTotal": number(summary.total_holdings),
        "declaredValueTotal": number(summary.total_value),
    }
    reading.scalars.update({f"cover.{name}": value for name, value in found.items()})
    reading.lists["cover.includes"] = [
        {
            "name": text(other.name),
            "cik": text(other.cik),
            "form13fFileNumber": text(other.file_number),
            "sequence": number(other.sequence_number),
        }
        for other in summary.other_managers or []
    ]


def ownership_into(reading: Reading, form: Ownership) -> None:
    reading.scalars.update({
        "form": text(form.form),
        "periodOfReport": text(form.reporting_period),
        "remarks": text(form.remarks),
        "is10b51": None if form.aff10b5_one is None else str(form.aff10b5_one).lower(),
        "issuer.cik": text(form.issuer.cik),
        "issuer.name": text(form.issuer.name),
        "issuer.symbol": text(form.issuer.ticker),
    })
    reading.lists["owners"] = [
        {
            "cik": text(owner.cik),
            "name": text(owner.name_unreversed),
            "officerTitle": text(owner.officer_title),
            "isDirector": str(owner.is_director).lower(),
            "isOfficer": str(owner.is_officer).lower(),
            "isTenPercentOwner": str(owner.is_ten_pct_owner).lower(),
            "isOther": str(owner.is_other).lower(),
        }
        for owner in form.reporting_owners.owners
    ]
    reading.lists["footnotes"] = [
        {"id": note, "text": text(words)} for note, words in form.footnotes._footnotes.items()
    ]
    for table, found in (("non_derivative", form.non_derivative_table), ("derivative", form.derivative_table)):
        for kind, rows in (("transaction", found.transactions), ("holding", found.holdings)):
            frame = rows.data
            records = [] if frame is None else frame.to_dict("records")
            reading.lists[f"{table}.{kind}"] = [trade(record, kind) for record in records]


def trade(record: dict, kind: str) -> Row:
    """Only what it has a column for; a column that it has for some rows is empty in the others."""
    found: Row = {name: words(record[column]) for name, column in TRADE_TEXTS.items() if column in record}
    found.update({name: number(record[column]) for name, column in TRADE_NUMBERS.items() if column in record})
    if kind == "holding" and "shares" in found:
        found["sharesOwnedAfter"] = found.pop("shares")
    side = record.get("DirectIndirect", record.get("Direct"))
    found["ownership"] = OWNERSHIP_WORDS.get(side, words(side))
    for column in ("NatureOfOwnership", "Nature Of Ownership"):
        if column in record:
            found["natureOfOwnership"] = words(record[column])
    if "EquitySwap" in record and kind == "transaction":
        found["equitySwap"] = str(record["EquitySwap"]).lower()
    if "footnotes" in record:
        found["footnotes"] = sorted(set((record["footnotes"] or "").split()))
    return found


def words(found: object) -> str | None:
    """pandas writes an absent text as NaN, which is unequal to itself."""
    return None if found is None or found != found else text(found)
