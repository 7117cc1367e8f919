"""`python -m tidemark_client BRIEF [EVIDENCE…]`: recomputes every id of a brief, offline."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from .verify import verify, verify_evidence

USAGE = """python -m tidemark_client BRIEF [EVIDENCE…]
Recomputes every id of a brief ("-" is stdin), and holds pages of its evidence against it.
Exit code 0: all match; 1: one differs; 2: a file cannot be read."""


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0].startswith("--"):
        print(USAGE, file=sys.stderr)
        return 0 if arguments == ["--help"] else 2
    try:
        brief, *pages = [_read(name) for name in arguments]
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    problems = verify(brief)
    if pages:
        problems += verify_evidence(brief, [item for page in pages for item in _evidence_of(page)])
    for what, expected, actual in problems:
        print(f"{what}: expected {expected}, found {actual}", file=sys.stderr)
    print("differs" if problems else "ok: every id is the hash of its content")
    return 1 if problems else 0


def _evidence_of(page: Any) -> list[Any]:
    """The items of an answer, or a list of them; none of anything else, which then lacks them."""
    data = page.get("data", page) if isinstance(page, dict) else page
    items = data.get("evidence") if isinstance(data, dict) else data
    return items if isinstance(items, list) else []


def _read(name: str) -> Any:
    return json.loads(sys.stdin.read() if name == "-" else Path(name).read_text("utf-8"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
