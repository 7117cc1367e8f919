"""What the client promises about retries, keys, pages and events, against scripted answers."""

from __future__ import annotations

import itertools
import unittest
from unittest import mock

import httpx

from tidemark_client import InsufficientCredits, NotFound, Tidemark, TidemarkError

Answer = httpx.Response | Exception


def error(status: int, code: str = "unavailable", **headers: str) -> httpx.Response:
    body = {"error": code, "message": "No.", "request_id": "r-1", "needed": 10}
    return httpx.Response(status, json=body, headers=headers)


class Script(httpx.BaseTransport):
    """Answers in turn and keeps the requests."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.seen: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.slept: list[float] = []
        patch = mock.patch("time.sleep", self.slept.append)
        patch.start()
        self.addCleanup(patch.stop)
        # Without jitter.
        patch = mock.patch("random.uniform", lambda low, high: (low + high) / 2)
        patch.start()
        self.addCleanup(patch.stop)

    def client(self, *answers: Answer, retries: int = 4) -> tuple[Tidemark, Script]:
        script = Script(*answers)
        client = Tidemark("https://tidemark.example/", "tm_live_x", retries=retries, transport=script)
        self.addCleanup(client.close)
        return client, script

    def test_waits_as_long_as_asked_and_keeps_the_idempotency_key(self) -> None:
        lost = httpx.ConnectError("gone")
        conflict = error(409, "idempotency_conflict")
        done = httpx.Response(200, json={"data": []})
        limited = error(429, **{"Retry-After": "7"})
        client, script = self.client(limited, error(503), lost, conflict, done)
        self.assertEqual(client.get("/funds"), {"data": []})
        self.assertEqual(self.slept, [7, 2, 4, 8])
        keys = {request.headers["Idempotency-Key"] for request in script.seen}
        self.assertEqual((len(script.seen), len(keys)), (5, 1))

    def test_waits_grow_whatever_is_asked_and_end(self) -> None:
        for asked, expected in (
            ("0", [1, 2, 4, 8]),
            ("-1", [1, 2, 4, 8]),
            ("nan", [1, 2, 4, 8]),
            ("5", [5, 5, 5, 8]),
            ("1e9", [300] * 4),
            ("inf", [1, 2, 4, 8]),
        ):
            self.slept.clear()
            answers = [error(503, **{"Retry-After": asked}) for _ in range(4)]
            client, _ = self.client(*answers, httpx.Response(200, json={"data": []}))
            client.get("/funds")
            self.assertEqual(self.slept, expected, asked)

    def test_waits_differ_from_client_to_client(self) -> None:
        with mock.patch("random.uniform", lambda low, high: high):
            client, _ = self.client(error(503), httpx.Response(200, json={"data": []}))
            client.get("/funds")
        self.assertEqual(self.slept, [1.2])

    def test_the_key_goes_to_no_other_host_and_in_no_plain_text(self) -> None:
        client, script = self.client()
        for path in ("https://elsewhere.example/x", "//elsewhere.example/x", "funds"):
            with self.assertRaises(ValueError):
                client.get(path)
        self.assertEqual(script.seen, [])
        for base in ("http://t.example", "http://localhost.evil.example", "http://10.0.0.1"):
            with self.assertRaises(ValueError):
                Tidemark(base, "tm_live_x")
        for base in ("http://127.0.0.1:8080", "http://localhost", "http://[::1]:1"):
            Tidemark(base, "tm_live_x").close()

    def test_two_calls_have_two_keys_unless_one_is_given(self) -> None:
        answers = [httpx.Response(200, json={"data": []}) for _ in range(4)]
        client, script = self.client(*answers)
        for key in (None, None, "mine", "mine"):
            client.get("/funds", idempotency_key=key)
        keys = [request.headers["Idempotency-Key"] for request in script.seen]
        self.assertEqual((len(set(keys)), keys[2:]), (3, ["mine", "mine"]))

    def test_errors_have_a_type_and_are_not_tried_again(self) -> None:
        for status, code, kind in (
            (402, "insufficient_credits", InsufficientCredits),
            (404, "fund_not_found", NotFound),
            (409, "idempotency_exhausted", TidemarkError),
        ):
            client, script = self.client(error(status, code))
            with self.assertRaises(kind) as caught:
                client.get("/funds/1")
            found = caught.exception
            self.assertEqual((found.status, found.code, found.request_id), (status, code, "r-1"))
            self.assertEqual((found.body["needed"], len(script.seen)), (10, 1))

    def test_the_last_try_raises_what_it_met(self) -> None:
        client, _ = self.client(error(503), httpx.Response(502, text="<html>"), retries=1)
        with self.assertRaises(TidemarkError) as caught:
            client.get("/funds")
        self.assertEqual((caught.exception.status, caught.exception.code), (502, None))
        client, _ = self.client(httpx.ReadTimeout("slow"), retries=0)
        with self.assertRaises(httpx.ReadTimeout):
            client.get("/funds")

    def test_rows_are_those_of_all_pages(self) -> None:
        beside = [{"data": [{"cik": str(page)}], "pagination": {"pages": 3}} for page in (1, 2, 3)]
        client, script = self.client(*(httpx.Response(200, json=page) for page in beside))
        self.assertEqual([row["cik"] for row in client.rows("/funds", limit=1)], ["1", "2", "3"])
        self.assertEqual([request.url.query for request in script.seen][1], b"page=2&limit=1")
        within = {
            "data": {
                "total": 1,
                "transactions": [{"code": "P"}],
                "limitations": ["some"],
                "unread_filings": [{"accession_number": "0000000001-24-000001"}],
                "pagination": {"pages": 1},
            }
        }
        client, _ = self.client(httpx.Response(200, json=within))
        self.assertEqual(list(client.rows("/insider/transactions")), [{"code": "P"}])
        client, _ = self.client(httpx.Response(200, json={"data": {"pagination": {"pages": 0}, "x": []}}))
        self.assertEqual(list(client.rows("/stocks/X")), [])

    def test_events_follow_the_cursor_through_an_outage_and_wait_when_nothing_is_new(self) -> None:
        def page(cursor: str, *numbers: int) -> httpx.Response:
            events = [{"seq": number} for number in numbers]
            return httpx.Response(200, json={"data": {"events": events, "next_cursor": cursor}})

        outage = [error(500) for _ in range(6)]
        client, script = self.client(page("2", 1, 2), page("2"), *outage, page("3", 3))
        events = client.events(0, tickers=["AAPL", "BRK.B"])
        self.assertEqual([event["seq"] for event in itertools.islice(events, 3)], [1, 2, 3])
        idle, *outages = self.slept
        self.assertTrue(60 < idle <= 120)
        self.assertEqual(outages, [1, 2, 4, 8, 16, 32])
        self.assertEqual(script.seen[0].url.params["wait"], "50")
        first, last = script.seen[0].url.params, script.seen[-1].url.params
        self.assertEqual((first["since"], last["since"], last["tickers"]), ("0", "2", "AAPL,BRK.B"))


if __name__ == "__main__":
    unittest.main()
