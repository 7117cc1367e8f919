"""The expected differences: every class of value in which another reader is known to differ from ours.

A class is matched by a rule on the values themselves (and where needed the source), never by a file's
name or a count, so that a new difference in the same field is still shown. `whose` says who is right:
"theirs" is their defect or their way of writing, "ours" is something that we do to the value on purpose.
"""

from collections.abc import Callable
from dataclasses import dataclass

import rules
import text_rules
from difference import Difference

XML = ("lxml", "edgartools")
EDGARTOOLS = ("edgartools",)


@dataclass(frozen=True, eq=False)
class Expected:
    id: str
    readers: tuple[str, ...]
    whose: str
    reason: str
    when: Callable[[Difference], bool]
    issue: str = ""

    def explains(self, difference: Difference) -> bool:
        return difference.side.reader in self.readers and self.when(difference)


EXPECTED: list[Expected] = [
    Expected(
        "conformed-name", XML, "ours",
        "The manager is named as EDGAR conforms it in the header, not as the cover spells it (rule 1.2).",
        rules.is_conformed_name,
    ),
    Expected(
        "notice-totals", EDGARTOOLS, "theirs",
        "A notice has no summary page; an absent total is given as 0 instead of as absent.",
        rules.is_absent_total_as_zero,
    ),
    Expected(
        "footnote-in-value", EDGARTOOLS, "theirs",
        "The ids of footnotes are written into the value: '703 [F7,F8]', or '[F2]' where there is no value. "
        "We keep the value, and the ids beside it by element.",
        rules.is_footnote_in_value,
    ),
    Expected(
        "direct-with-footnote", EDGARTOOLS, "theirs",
        "A direct holding whose D has a footnote is called indirect: 'D [F1]' is compared with 'D'.",
        rules.is_direct_with_footnote,
    ),
    Expected(
        "embedded-table", XML, "ours",
        "A 13F as it is sent to the SEC, with its table in base64 inside the cover. EDGAR never "
        "disseminates one, and a text of that length is refused (reliability B04).",
        rules.is_embedded_table,
    ),
    Expected(
        "truncated", EDGARTOOLS, "theirs",
        "A submission without its end is read as far as it goes. What is missing would look like a sale, "
        "so we quarantine it.",
        rules.is_truncated,
    ),
    Expected(
        "malformed", EDGARTOOLS, "theirs",
        "Malformed XML is recovered from by dropping what does not fit, in silence. lxml, when strict, "
        "refuses the same bytes.",
        rules.is_malformed,
    ),
    Expected(
        "irregular-text-table", ("edgartools", "lines"), "ours",
        "A table in plain text, as before 2013, whose columns cannot be told apart with certainty is "
        "quarantined with that reason. Others read what they can and drop the rest, in silence.",
        rules.is_quarantined_text,
        issue="https://github.com/dgunning/edgartools/issues/476",
    ),
    Expected(
        "owner-without-address", EDGARTOOLS, "theirs",
        "An owner without an address, which the schema allows, ends the reading of the whole document.",
        rules.is_owner_without_address,
    ),
    Expected(
        "text-unchecked-code", ("lines",), "ours",
        "A CUSIP without a right check digit (a typing error, an option class) is no CUSIP to the line "
        "reader. We keep the row, with a reason (rule 3.1).",
        text_rules.is_unchecked_code,
    ),
    Expected(
        "text-glued-code", ("lines",), "ours",
        "The title of a class runs into the CUSIP, so that no CUSIP stands alone on the line. We cut at "
        "the column, and the check digit of what is cut is right.",
        text_rules.is_glued_code,
    ),
    Expected(
        "text-dropped-row", EDGARTOOLS, "theirs",
        "A row of a text table is left out, in silence, although its line has a value and a count.",
        text_rules.is_dropped_row,
        issue="https://github.com/dgunning/edgartools/pull/1071",
    ),
    Expected(
        "text-shifted-column", EDGARTOOLS, "theirs",
        "The end of the CUSIP is read as the value, and the value as the number of shares.",
        text_rules.is_shifted_column,
        issue="https://github.com/dgunning/edgartools/issues/476",
    ),
    Expected(
        "text-cut-value", EDGARTOOLS, "theirs",
        "The first digits of a value are lost, where a column is thought to begin later than it does.",
        text_rules.is_cut_value,
        issue="https://github.com/dgunning/edgartools/issues/476",
    ),
    Expected(
        "text-cut-code", EDGARTOOLS, "theirs",
        "Nine characters are cut from the CUSIP column at the wrong place: from one of ten characters, "
        "which we keep as malformed, or across the value beside it.",
        text_rules.is_window_of_code,
        issue="https://github.com/dgunning/edgartools/issues/476",
    ),
]
