"""The ids of a real brief are recomputed; what was changed is named."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import tempfile
import unittest
from pathlib import Path

from tidemark_client import verify, verify_evidence
from tidemark_client.__main__ import main

SAMPLE = Path(os.environ["TIDEMARK_SAMPLE_BRIEF"])


class VerifyTest(unittest.TestCase):
    def setUp(self) -> None:
        self.brief = json.loads(SAMPLE.read_text("utf-8"))
        self.brief = self.brief.get("data", self.brief)

    def whats(self, brief: object) -> list[str]:
        return [problem.what for problem in verify(brief)]

    def test_a_brief_and_an_answer_with_it_are_accepted_in_any_order_of_keys(self) -> None:
        reversed_keys = dict(reversed(self.brief.items()))
        later = {**self.brief, "generated_at": "2030-01-01T00:00:00.000Z"}
        for brief in (self.brief, {"data": self.brief}, reversed_keys, later):
            self.assertEqual(verify(brief), [])

    def test_a_count_spelled_with_a_fraction_of_zero_is_the_same(self) -> None:
        spelled = copy.deepcopy(self.brief)
        totals = spelled["institutional"]["totals"]
        totals["holders_up"] = float(totals["holders_up"])
        self.assertEqual(verify(spelled), [])

    def test_what_was_changed_is_named(self) -> None:
        number = copy.deepcopy(self.brief)
        number["institutional"]["counts"]["added"] += 1
        self.assertLessEqual({"facts_id", "brief_id", "coverage.thirteen_f"}, set(self.whats(number)))
        claim = copy.deepcopy(self.brief)
        claim["manifest"]["claims"][0]["values"]["share_delta"] = "1"
        of_claim = ["manifest.claims[0].claim_id", "manifest.manifest_id", "brief_id", "claims of changes"]
        self.assertEqual(self.whats(claim), of_claim)
        self.assertEqual(self.whats({**self.brief, "generated_at": "later"}), ["shape"])
        self.assertEqual(self.whats({**self.brief, "__proto__": {}}), ["shape"])
        self.assertEqual(self.whats({**self.brief, "note": "x"}), ["shape"])

    def test_another_id_than_the_expected_one_is_a_problem(self) -> None:
        self.assertEqual(verify(self.brief, self.brief["brief_id"]), [])
        self.assertEqual([problem.what for problem in verify(self.brief, "ccm_0")], ["expected brief_id"])

    def test_what_is_no_brief_is_a_problem_and_no_exception(self) -> None:
        for other in ({}, {"error": "not_found"}, {"data": {}}, [], None, "ccm_"):
            self.assertEqual(self.whats(other), ["shape"])

    def test_evidence_of_another_shape_is_a_problem_and_no_exception(self) -> None:
        for evidence in ([{}], [None], ["x"]):
            self.assertEqual([problem.what for problem in verify_evidence(self.brief, evidence)], ["shape"])
        self.assertEqual([problem.what for problem in verify_evidence({}, [])], ["shape"])
        for page in ({"data": {}}, {"error": "not_found"}, [], "x"):
            self.assertEqual(self.command(json.dumps(page)), 1)

    def test_a_text_that_readers_understand_in_different_ways_is_not_read(self) -> None:
        for text in ('{"evidence": [], "evidence": []}', '{"evidence": NaN}'):
            self.assertEqual(self.command(text), 2)

    def test_an_envelope_has_nothing_beside_the_brief(self) -> None:
        self.assertEqual(self.whats({"data": self.brief, "headline": "other"}), ["shape"])

    def test_an_address_of_another_filing_is_a_problem(self) -> None:
        filings = self.brief["manifest"]["filings"]
        by_id = {item["evidence_id"]: item for item in self.brief["evidence"]}
        items = [{**filing, **by_id[filing["evidence_id"]], "rows": []} for filing in filings]
        before = len(verify_evidence(self.brief, items))
        items[0]["human_url"] = "https://www.sec.gov.example/"
        self.assertEqual(len(verify_evidence(self.brief, items)), before + 1)

    def test_rows_that_are_no_numbers_are_a_problem_of_every_filing(self) -> None:
        displayed = {item["evidence_id"]: item for item in self.brief["evidence"]}
        items = [{**one, **displayed[one["evidence_id"]]} for one in self.brief["manifest"]["filings"]]
        brief = {**self.brief, "manifest": {**self.brief["manifest"], "filings": []}}
        self.assertNotIn("shape", [problem.what for problem in verify_evidence(brief, items)])
        for rows in (["1"], [True], {}, None):
            items[0]["rows"] = rows
            self.assertEqual([problem.what for problem in verify_evidence(brief, items)], ["shape"])

    def command(self, page: str) -> int:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(page)
            file.flush()
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                return main([str(SAMPLE), file.name])


if __name__ == "__main__":
    unittest.main()
