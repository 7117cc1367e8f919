"""Our reading, from the lines that the product's own parsers were written to."""

from values import Reading, Row, number, text

ROW = ("issuer", "titleOfClass", "cusipAsFiled", "cusip", "amountType", "putCall", "discretion", "otherManagers")
ROW_NUMBERS = ("value", "amount", "votingSole", "votingShared", "votingNone")
OWNERSHIP_ROW = (
    "securityTitle", "transactionDate", "deemedExecutionDate", "code", "acquiredDisposed",
    "ownership", "natureOfOwnership", "underlyingTitle", "exerciseDate", "expirationDate",
)
OWNERSHIP_NUMBERS = (
    "shares", "pricePerShare", "sharesOwnedAfter", "underlyingShares", "conversionOrExercisePrice",
)
COVER = ("reportType", "quarterEnd", "amendmentType", "form13fFileNumber", "schemaVersion")
COVER_NUMBERS = ("amendmentNumber", "declaredEntryTotal", "declaredValueTotal")


def read_ours(line: dict) -> Reading:
    if line["outcome"] == "refused":
        return Reading(line["kind"], refused=line["code"])
    filing = line["filing"]
    reading = Reading(filing["kind"])
    if line["kind"] == "submission":
        header_of(filing["header"], reading)
    if filing["kind"] == "table":
        reading.lists["rows"] = [table_row(row) for row in filing["rows"]]
    elif filing["kind"] == "cover":
        cover_of(filing["cover"], reading)
    elif filing["kind"] == "thirteen_f":
        cover_of(filing, reading)
        reading.lists["rows"] = [table_row(row) for row in filing["rows"]]
    else:
        ownership_of(filing, reading)
    return reading


def header_of(header: dict, reading: Reading) -> None:
    for name in ("accession", "form", "filedDate", "acceptedAt", "periodOfReport"):
        reading.scalars[f"header.{name}"] = text(header[name])
    reading.lists["header.filers"] = [
        {name: text(party[name]) for name in ("role", "cik", "name", "fileNumber")}
        for party in header["filers"]
    ]


def cover_of(cover: dict, reading: Reading) -> None:
    for name in COVER:
        reading.scalars[f"cover.{name}"] = text(cover[name])
    for name in COVER_NUMBERS:
        reading.scalars[f"cover.{name}"] = number(cover[name])
    reading.scalars["cover.confidentialOmitted"] = flag_of(cover["confidentialOmitted"])
    if "isAmendment" in cover:
        reading.scalars["cover.isAmendment"] = flag_of(cover["isAmendment"])
    reading.scalars["cover.manager"] = text(cover["managerName"])
    reading.scalars["cover.cik"] = text(cover["cik"])
    for name in ("reportedBy", "includes"):
        reading.lists[f"cover.{name}"] = [manager_of(other) for other in cover[name]]


def manager_of(other: dict) -> Row:
    row: Row = {name: text(other[name]) for name in ("name", "cik", "form13fFileNumber")}
    row["sequence"] = number(other["sequence"])
    return row


def table_row(row: dict) -> Row:
    found: Row = {name: text(row[name]) for name in ROW}
    found.update({name: number(row[name]) for name in ROW_NUMBERS})
    return found


def ownership_of(filing: dict, reading: Reading) -> None:
    scalars = reading.scalars
    scalars["form"] = "4/A" if filing["isAmendment"] else "4"
    for name in ("schemaVersion", "periodOfReport", "dateOfOriginalSubmission", "remarks"):
        scalars[name] = text(filing[name])
    for name in ("is10b51", "notSubjectToSection16"):
        scalars[name] = flag_of(filing[name])
    for name in ("cik", "name", "symbol"):
        scalars[f"issuer.{name}"] = text(filing["issuer"][name])
    reading.lists["owners"] = [
        {
            **{name: text(owner[name]) for name in ("cik", "name", "officerTitle")},
            **{name: flag_of(owner[name]) for name in ("isDirector", "isOfficer", "isTenPercentOwner", "isOther")},
        }
        for owner in filing["owners"]
    ]
    reading.lists["footnotes"] = [
        {"id": note["id"], "text": text(note["text"])} for note in filing["footnotes"]
    ]
    for table, kind in TABLES:
        reading.lists[f"{table}.{kind}"] = [
            ownership_row(row) for row in filing["rows"] if row["table"] == table and row["rowKind"] == kind
        ]


TABLES = [(table, kind) for table in ("non_derivative", "derivative") for kind in ("transaction", "holding")]


def ownership_row(row: dict) -> Row:
    found: Row = {name: text(row[name]) for name in OWNERSHIP_ROW}
    found.update({name: number(row[name]) for name in OWNERSHIP_NUMBERS})
    found["row"] = number(row["row"])
    found["equitySwap"] = flag_of(row["equitySwap"])
    found["kind"] = row["kind"]
    found["footnoteIds"] = sorted(
        f"{element} {note}" for element, notes in row["footnoteIds"].items() for note in notes
    )
    return found


def flag_of(found: bool | None) -> str | None:
    return None if found is None else str(found).lower()
