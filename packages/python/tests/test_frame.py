"""Numbers in a frame are those of the wire, exactly."""

from __future__ import annotations

import unittest
from decimal import Decimal

import pandas

from tidemark_client import to_frame


class FrameTest(unittest.TestCase):
    def test_amounts_are_integers_and_their_sum_is_exact(self) -> None:
        rows = [{"value_cents": "56994561000002584"}, {"value_cents": None}, {"value_cents": "3"}]
        frame = to_frame(rows)
        self.assertEqual(str(frame["value_cents"].dtype), "Int64")
        self.assertEqual(int(frame["value_cents"].sum()), 56994561000002587)
        self.assertTrue(frame["value_cents"].isna()[1])

    def test_what_exceeds_64_bits_or_has_a_fraction_is_exact_too(self) -> None:
        frame = to_frame([{"shares": "9223372036854775808", "price_per_share": "10.10"}])
        self.assertEqual(frame["shares"][0], 2**63)
        self.assertEqual(frame["price_per_share"][0], Decimal("10.10"))

    def test_identifiers_stay_text_although_they_are_digits(self) -> None:
        frame = to_frame([{"cik": "0001067983", "cusip": "912810103", "fund": {"cik": "1234567890"}}])
        self.assertEqual(frame.iloc[0].to_list(), ["0001067983", "912810103", "1234567890"])
        self.assertEqual(frame.columns.to_list(), ["cik", "cusip", "fund_cik"])

    def test_a_type_does_not_depend_on_the_page(self) -> None:
        for page in ([{"pct_delta": 100, "shares": None}], [{"pct_delta": 12.5, "shares": "1"}]):
            frame = to_frame(page)
            self.assertEqual([str(kind) for kind in frame.dtypes], ["Float64", "Int64"])

    def test_whole_numbers_with_nulls_do_not_become_floats_and_flags_stay_flags(self) -> None:
        frame = to_frame([{"rank": 1, "is_10b5_1": True}, {"rank": None, "is_10b5_1": None}])
        self.assertEqual(str(frame["rank"].dtype), "Int64")
        self.assertIs(frame["is_10b5_1"][0], True)

    def test_no_rows_are_an_empty_frame(self) -> None:
        self.assertTrue(to_frame([]).equals(pandas.DataFrame()))


if __name__ == "__main__":
    unittest.main()
