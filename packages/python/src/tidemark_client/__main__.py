"""`python -m tidemark_client [--id ID] BRIEF [EVIDENCE…]`: checks a brief, offline."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from .verify import verify, verify_evidence

PROVEN = "ok: every id is the hash of its content, and the brief does not contradict itself."


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tidemark_client",
        description="Recomputes every id of a brief, finds contradictions in it, and compares it with pages of "
        "its evidence and with the id that it must have.",
        epilog="Exit code 0: all match; 1: one differs; 2: a file cannot be read.",
    )
    parser.add_argument("--id", help="the id that the brief must have")
    parser.add_argument("brief", help='a file; "-" is stdin')
    parser.add_argument("evidence", nargs="*")
    options = parser.parse_args(arguments)
    try:
        brief, *pages = [_read(name) for name in (options.brief, *options.evidence)]
    except (OSError, ValueError, RecursionError) as error:
        print(error, file=sys.stderr)
        return 2
    problems = verify(brief, options.id)
    if pages:
        problems += verify_evidence(brief, [item for page in pages for item in _evidence_of(page)])
    for what, expected, actual in problems:
        print(f"{what}: expected {expected}, found {actual}", file=sys.stderr)
    print("differs" if problems else _proven(brief.get("data", brief)["brief_id"], options.id))
    return 1 if problems else 0


def _proven(own: str, expected: str | None) -> str:
    if expected is not None:
        return f"{PROVEN} It is {own}, as expected."
    asking = "ask the API whether that id is Tidemark's (GET /v1/briefs/{brief_id})."
    return f"{PROVEN} These numbers belong to {own}; {asking}"


def _evidence_of(page: Any) -> list[Any]:
    """The items of an answer, or a list of them; none of anything else, which then lacks them."""
    data = page.get("data", page) if isinstance(page, dict) else page
    items = data.get("evidence") if isinstance(data, dict) else data
    return items if isinstance(items, list) else []


def _read(name: str) -> Any:
    text = sys.stdin.read() if name == "-" else Path(name).read_text("utf-8")
    return json.loads(text, object_pairs_hook=_once, parse_constant=_refused)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of a member that stands twice readers take different ones."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("An object has a member twice.")
    return members


def _refused(word: str) -> None:
    raise ValueError(f"{word} is no JSON.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
