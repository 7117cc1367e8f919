"""The names of amounts are those of the API's own description."""

from __future__ import annotations

import json
import os
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tidemark_client.frame import AMOUNT

DECIMALS = {r"^-?\d+$", r"^-?\d+(\.\d+)?$"}


def properties(node: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(node, list):
        for item in node:
            yield from properties(item)
    elif isinstance(node, dict):
        members = node.get("properties")
        yield from members.items() if isinstance(members, dict) else ()
        for item in node.values():
            yield from properties(item)


class DescribedTest(unittest.TestCase):
    def test_what_the_description_calls_a_decimal_is_an_amount_and_nothing_else_is(self) -> None:
        described = json.loads(Path(os.environ["TIDEMARK_DESCRIPTION"]).read_text("utf-8"))
        patterned = {(name, shape["pattern"]) for name, shape in properties(described) if "pattern" in shape}
        self.assertGreater(len([name for name, pattern in patterned if pattern in DECIMALS]), 10)
        for name, pattern in patterned:
            self.assertEqual(bool(AMOUNT.search(name)), pattern in DECIMALS, (name, pattern))


if __name__ == "__main__":
    unittest.main()
