"""13F and ownership documents read with lxml alone: every value as the filer wrote it."""

from container import Document, Unreadable, decoded, documents_of, header_into
from kinds import kinds_into
from lxml import etree
from values import (
    Reading, Row, amendment_type, cusip, flag, number, option_side, quarter_end, report_type, text,
)

ROOTS = {"informationTable", "edgarSubmission", "ownershipDocument"}
ROW_TEXTS = {
    "issuer": "nameOfIssuer",
    "titleOfClass": "titleOfClass",
    "cusipAsFiled": "cusip",
    "cusip": "cusip",
    "amountType": "shrsOrPrnAmt/sshPrnamtType",
    "putCall": "putCall",
    "discretion": "investmentDiscretion",
    "otherManagers": "otherManager",
}
ROW_NUMBERS = {
    "value": "value",
    "amount": "shrsOrPrnAmt/sshPrnamt",
    "votingSole": "votingAuthority/Sole",
    "votingShared": "votingAuthority/Shared",
    "votingNone": "votingAuthority/None",
}
TRADE_TEXTS = {
    "securityTitle": "securityTitle/value",
    "transactionDate": "transactionDate/value",
    "deemedExecutionDate": "deemedExecutionDate/value",
    "code": "transactionCoding/transactionCode",
    "acquiredDisposed": "transactionAmounts/transactionAcquiredDisposedCode/value",
    "ownership": "ownershipNature/directOrIndirectOwnership/value",
    "natureOfOwnership": "ownershipNature/natureOfOwnership/value",
    "underlyingTitle": "underlyingSecurity/underlyingSecurityTitle/value",
    "exerciseDate": "exerciseDate/value",
    "expirationDate": "expirationDate/value",
}
TRADE_NUMBERS = {
    "shares": "transactionAmounts/transactionShares/value",
    "pricePerShare": "transactionAmounts/transactionPricePerShare/value",
    "sharesOwnedAfter": "postTransactionAmounts/sharesOwnedFollowingTransaction/value",
    "underlyingShares": "underlyingSecurity/underlyingSecurityShares/value",
    "conversionOrExercisePrice": "conversionOrExercisePrice/value",
}
TRADES = {
    "non_derivative": ("nonDerivativeTable", "nonDerivativeTransaction", "nonDerivativeHolding"),
    "derivative": ("derivativeTable", "derivativeTransaction", "derivativeHolding"),
}
OWNERSHIP_WORDS = {"D": "direct", "I": "indirect"}


def read_with_lxml(raw: bytes, kind: str) -> Reading:
    source = decoded(raw)
    reading = Reading(kind)
    if kind == "submission":
        documents = documents_of(source)
        header_into(reading, source)
    else:
        documents = [Document(kind, source, source)]
    trees = [tree_of(document.xml) for document in documents if document.xml is not None]
    for tree in trees:
        name = local(tree)
        if name == "informationTable":
            table_into(reading, tree)
        elif name == "edgarSubmission":
            cover_into(reading, tree)
        elif name == "ownershipDocument":
            ownership_into(reading, tree)
    if not any(local(tree) in ROOTS for tree in trees):
        raise Unreadable("no XML document of these forms")
    return reading


def tree_of(xml: str) -> etree._Element:
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, encoding="utf-8")
        return etree.fromstring(xml.strip().encode("utf-8"), parser)
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"malformed: {error}") from error


def local(node: etree._Element) -> str:
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def steps(node: etree._Element, path: str) -> list[etree._Element]:
    """Elements at a path of local names: prefixes differ from filer to filer."""
    nodes = [node]
    for name in path.split("/"):
        nodes = [child for parent in nodes for child in parent if local(child) == name]
    return nodes


def said(node: etree._Element, path: str) -> str | None:
    found = steps(node, path)
    return text("".join(found[0].itertext())) if found else None


def table_into(reading: Reading, tree: etree._Element) -> None:
    rows = reading.lists.setdefault("rows", [])
    for entry in steps(tree, "infoTable"):
        row: Row = {name: said(entry, path) for name, path in ROW_TEXTS.items()}
        row.update({name: number(said(entry, path)) for name, path in ROW_NUMBERS.items()})
        row["cusip"] = cusip(row["cusip"])
        row["putCall"] = option_side(row["putCall"])
        rows.append(row)


def cover_into(reading: Reading, tree: etree._Element) -> None:
    page = "formData/coverPage/"
    summary = "formData/summaryPage/"
    found = {
        "reportType": report_type(said(tree, page + "reportType")),
        "quarterEnd": quarter_end(said(tree, page + "reportCalendarOrQuarter")),
        "amendmentType": amendment_type(said(tree, page + "amendmentInfo/amendmentType")),
        "amendmentNumber": number(said(tree, page + "amendmentNo")),
        "form13fFileNumber": said(tree, page + "form13FFileNumber"),
        "isAmendment": flag(said(tree, page + "isAmendment")) or "false",
        "manager": said(tree, page + "filingManager/name"),
        "cik": said(tree, "headerData/filerInfo/filer/credentials/cik"),
        "schemaVersion": said(tree, "schemaVersion"),
        "declaredEntryTotal": number(said(tree, summary + "tableEntryTotal")),
        "declaredValueTotal": number(said(tree, summary + "tableValueTotal")),
        "confidentialOmitted": flag(said(tree, summary + "isConfidentialOmitted")),
    }
    reading.scalars.update({f"cover.{name}": value for name, value in found.items()})
    reading.lists["cover.reportedBy"] = [
        manager(entry, None) for entry in steps(tree, page + "otherManagersInfo/otherManager")
    ]
    reading.lists["cover.includes"] = [
        manager(other, number(said(entry, "sequenceNumber")))
        for entry in steps(tree, summary + "otherManagers2Info/otherManager2")
        for other in steps(entry, "otherManager")
    ]


def manager(entry: etree._Element, sequence: str | None) -> Row:
    return {
        "name": said(entry, "name"),
        "cik": said(entry, "cik"),
        "form13fFileNumber": said(entry, "form13FFileNumber"),
        "sequence": sequence,
    }


def ownership_into(reading: Reading, tree: etree._Element) -> None:
    scalars = reading.scalars
    for name in ("schemaVersion", "periodOfReport", "dateOfOriginalSubmission", "remarks"):
        scalars[name] = said(tree, name)
    scalars["form"] = said(tree, "documentType")
    scalars["is10b51"] = flag(said(tree, "aff10b5One"))
    scalars["notSubjectToSection16"] = flag(said(tree, "notSubjectToSection16"))
    scalars["issuer.cik"] = said(tree, "issuer/issuerCik")
    scalars["issuer.name"] = said(tree, "issuer/issuerName")
    scalars["issuer.symbol"] = said(tree, "issuer/issuerTradingSymbol")
    reading.lists["owners"] = [owner(entry) for entry in steps(tree, "reportingOwner")]
    reading.lists["footnotes"] = [
        {"id": note.get("id"), "text": text("".join(note.itertext()))}
        for note in steps(tree, "footnotes/footnote")
    ]
    for table, (element, transaction, holding) in TRADES.items():
        entries = [entry for entry in next(iter(steps(tree, element)), []) if local(entry)]
        numbered = [(entry, str(row)) for row, entry in enumerate(entries, 1)]
        for kind, name in (("transaction", transaction), ("holding", holding)):
            reading.lists[f"{table}.{kind}"] = [
                trade(entry, row) for entry, row in numbered if local(entry) == name
            ]
    notes = reading.lists["footnotes"]
    kinds_into(reading.lists["non_derivative.transaction"], notes, scalars["is10b51"], scalars["remarks"] or "")


def owner(entry: etree._Element) -> Row:
    relationship = "reportingOwnerRelationship/"
    return {
        "cik": said(entry, "reportingOwnerId/rptOwnerCik"),
        "name": said(entry, "reportingOwnerId/rptOwnerName"),
        "officerTitle": said(entry, relationship + "officerTitle"),
        **{
            name: flag(said(entry, relationship + name)) or "false"
            for name in ("isDirector", "isOfficer", "isTenPercentOwner", "isOther")
        },
    }


def trade(entry: etree._Element, row: str) -> Row:
    found: Row = {name: said(entry, path) for name, path in TRADE_TEXTS.items()}
    found.update({name: number(said(entry, path)) for name, path in TRADE_NUMBERS.items()})
    found["ownership"] = OWNERSHIP_WORDS.get(found["ownership"], found["ownership"])
    found["equitySwap"] = flag(said(entry, "transactionCoding/equitySwapInvolved")) or "false"
    found["row"] = row
    found["footnoteIds"] = sorted(
        f"{local(note.getparent())} {note.get('id')}"
        for note in entry.iter()
        if local(note) == "footnoteId"
    )
    return found
