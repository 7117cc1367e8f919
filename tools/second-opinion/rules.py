"""The rules of the expected differences. Each looks at one difference and is true only for its class."""

import re

from difference import Difference
from lxml import etree
from values import number

NOTE = r"\[F\d+(?:,F\d+)*\]"


def is_conformed_name(found: Difference) -> bool:
    if found.field != "cover.manager" or found.side.ours.refused:
        return False
    filers = found.side.ours.lists.get("header.filers", [])
    stands_in_header = any(filer["name"] == found.ours for filer in filers)
    return stands_in_header and re.search(
        rf"(?:CONFORMED NAME:\s*|<CONFORMED-NAME>){re.escape(str(found.ours))}\s*$", found.side.source, re.M
    ) is not None


def is_absent_total_as_zero(found: Difference) -> bool:
    is_total = found.field in ("cover.declaredEntryTotal", "cover.declaredValueTotal")
    element = {"declaredEntryTotal": "tableEntryTotal", "declaredValueTotal": "tableValueTotal"}.get(found.name)
    is_said = re.search(rf"<(?:\w+:)?{element}>\s*[^<\s]", found.side.source) is not None
    return is_total and found.ours is None and found.theirs == "0" and not is_said


def is_footnote_in_value(found: Difference) -> bool:
    if not found.field.startswith(("non_derivative.", "derivative.")) or not isinstance(found.theirs, str):
        return False
    value = re.fullmatch(rf"(.*?)\s*{NOTE}", found.theirs)
    return value is not None and number(value[1]) == number(found.ours)


def is_direct_with_footnote(found: Difference) -> bool:
    if found.field != "non_derivative.holding.ownership" or found.our_row is None:
        return False
    noted = any(note.startswith("directOrIndirectOwnership ") for note in found.our_row["footnoteIds"])
    return noted and (found.ours, found.theirs) == ("direct", "indirect")


def is_embedded_table(found: Difference) -> bool:
    contents = re.search(r"<contents>([A-Za-z0-9+/=\s]{65537,})</contents>", found.side.source)
    return found.ours == "refused: text_too_long" and contents is not None


def is_truncated(found: Difference) -> bool:
    source = found.side.source.rstrip()
    is_whole = re.search(r"</(?:SEC-DOCUMENT|IMS-DOCUMENT|SUBMISSION)>(?:\s*-----END [A-Z -]+-----)?$", source)
    return found.ours == "refused: truncated" and is_whole is None


def is_quarantined_text(found: Difference) -> bool:
    has_xml = re.search(r"<XML>|<\?xml", found.side.source) is not None
    return found.ours == "refused: text_information_table" and not has_xml


def is_owner_without_address(found: Difference) -> bool:
    owners = re.findall(r"<reportingOwner>(.*?)</reportingOwner>", found.side.source, re.S)
    without = any("<reportingOwnerAddress>" not in owner for owner in owners)
    return without and str(found.theirs).startswith("refused: AttributeError")


def is_malformed(found: Difference) -> bool:
    if found.ours != "refused: malformed_xml":
        return False
    parts = re.findall(r"<XML>(.*?)</XML>", found.side.source, re.S) or [found.side.source]
    return any(not is_well_formed(part.strip()) for part in parts)


def is_well_formed(xml: str) -> bool:
    try:
        etree.fromstring(xml.encode("utf-8"), etree.XMLParser(encoding="utf-8", huge_tree=True))
    except etree.XMLSyntaxError:
        return False
    return True
