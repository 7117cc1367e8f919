"""The balance invariant: every call moves the balance by exactly its price or not at all.

A call is charged when its status is 2xx or 304 and it is no replay. The price is `x-credit-cost`
of the operation. The balance is asked of GET /credits, which is free, after every call that
Schemathesis checks, so the run must have one worker and a key that nobody else uses.
"""

import atexit
import json
import os
import re

import requests
import schemathesis
from schemathesis.specs.openapi.checks import positive_data_acceptance

ORIGIN = os.environ["TIDEMARK_ORIGIN"]
KEY = os.environ["TIDEMARK_KEY"]
TALLY = os.environ["TIDEMARK_TALLY"]

session = requests.Session()
PLAIN_NAME = re.compile(r"[!-~]{1,200}\Z")
# Schemathesis gives a call 10 seconds, a call for events may be held for 50.
LONG_WAIT = re.compile(r"([3-9]|[1-4][0-9]|50)\Z")
seen = {"named": 0, "calls": 0, "charged": 0, "credits": 0, "statuses": {}}


def balance() -> int:
    answer = session.get(
        f"{ORIGIN}/v1/credits", headers={"Authorization": f"Bearer {KEY}"}, timeout=30
    )
    answer.raise_for_status()
    return answer.json()["data"]["balance"]


state = {"balance": balance()}
before_all = state["balance"]


def header(response, name):
    values = response.headers.get(name.lower())
    return values[0] if values else None


def price(case) -> int:
    """Only GET is metered: a preflight is free and any other method is refused."""
    return case.operation.definition.raw["x-credit-cost"] if case.method == "GET" else 0


@schemathesis.hook
def before_call(context, case, kwargs):
    """Names most calls anew: the generator likes few values, and would else meet 422 and replays only."""
    name = (case.headers or {}).get("Idempotency-Key")
    seen["named"] += 1 if name else 0
    if isinstance(name, str) and PLAIN_NAME.match(name) and seen["named"] % 4:
        case.headers["Idempotency-Key"] = f"{name}-{seen['named']}"


@schemathesis.hook("before_call")
def hold_no_call_for_long(context, case, kwargs):
    """An accepted `wait` becomes one second; what is refused stays as it is. Tests of our own wait for long."""
    if case.query and LONG_WAIT.match(str(case.query.get("wait"))):
        case.query["wait"] = 1


@schemathesis.check
def balance_moves_by_the_price(ctx, response, case):
    before, after = state["balance"], balance()
    state["balance"] = after
    delivered = 200 <= response.status_code < 300 or response.status_code == 304
    replayed = header(response, "Idempotent-Replayed") == "true"
    expected = price(case) if delivered and not replayed else 0
    remember(response, expected)
    assert before - after == expected, (
        f"{response.status_code} of {case.method} {case.path} moved the balance by {before - after}, "
        f"not by {expected}"
    )
    told = header(response, "X-Credits-Charged")
    assert told is None or int(told) == expected, f"X-Credits-Charged is {told}, not {expected}"


@schemathesis.check
def valid_requests_are_accepted(ctx, response, case):
    """`positive_data_acceptance`, but for operations with a rule across parameters.

    JSON Schema has no word for such a rule between two parameters, so a generated request may break it.
    The answer must then be the documented 400 and name what is wrong.
    """
    ruled = case.operation.definition.raw.get("x-parameter-rule", False)
    if not (ruled and response.status_code == 400):
        return positive_data_acceptance(ctx, response, case)
    assert response.json()["details"], "a 400 names what is wrong"


def remember(response, charged: int) -> None:
    seen["calls"] += 1
    seen["charged"] += 1 if charged else 0
    seen["credits"] += charged
    status = str(response.status_code)
    seen["statuses"][status] = seen["statuses"].get(status, 0) + 1


@atexit.register
def write_tally() -> None:
    seen["moved"] = before_all - state["balance"]
    with open(TALLY, "w", encoding="utf-8") as file:
        json.dump(seen, file)
