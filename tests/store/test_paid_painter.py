"""Hosted painters keep to the budget, and every call is booked (CHECKLIST X16)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from eyeprint.errors import BudgetReached, UsageError
from eyeprint.models.kinds import Painted, Painter, PaintRequest
from eyeprint.models.painter_http import HttpPainter, HttpPainterSettings, http_painter
from eyeprint.models.picture_prices import PicturePrice
from eyeprint.models.prices import Price
from eyeprint.models.retries import RetryPolicy
from eyeprint.models.sketch import SketchPainter
from eyeprint.store.accounts import Accounts
from eyeprint.store.budget import Budget
from eyeprint.store.paid_painter import PaidPainter, paid_painters, paid_work
from eyeprint.store.work import WorkSettings
from tests.servers.local_images import LocalImagesServer, png_for

FAST = HttpPainterSettings(retry=RetryPolicy(attempts=3, first_wait=0.01, retry_after_cap=0.05))
BY_TOKENS = Price(input=10.0, output=40.0, max_output=6240)
BUSY = (500, {}, b"{}")  # The server was reached: what it did may be billed.
AWAY = (503, {}, b"{}")  # It turned the call away: nothing is billed.


@pytest.fixture(scope="module")
def running() -> Iterator[LocalImagesServer]:
    with LocalImagesServer() as server:
        yield server


@pytest.fixture
def server(running: LocalImagesServer) -> LocalImagesServer:
    running.reset()
    return running


def hosted(server: LocalImagesServer, price: Any) -> HttpPainter:
    return http_painter(server.model(), settings=FAST, price=price)


def paint(painter: PaidPainter, *prompts: str) -> list[Any]:
    """Paint at once; what was raised stands in the place of a picture."""

    async def all_at_once() -> list[Any]:
        try:
            asked = (painter.paint(PaintRequest(prompt)) for prompt in prompts)
            return await asyncio.gather(*asked, return_exceptions=True)
        finally:
            await painter.close()

    return asyncio.run(all_at_once())


def test_x16_the_picture_that_could_pass_the_limit_is_not_asked_for(
    server: LocalImagesServer,
) -> None:
    accounts, budget = Accounts(), Budget(0.10)
    painter = PaidPainter(hosted(server, PicturePrice(picture=0.04)), accounts, budget)
    assert isinstance(painter, Painter)
    results = paint(painter, "a", "b", "c", "d")
    assert sum(isinstance(each, Painted) for each in results) == 2 == len(server.seen)
    refused = [each for each in results if isinstance(each, BudgetReached)]
    assert len(refused) == 2
    assert "the next call to http://127.0.0.1" in str(refused[0])
    assert budget.spent == pytest.approx(0.08) == accounts.spent_usd()


def test_x16_what_a_picture_did_cost_is_booked_in_place_of_its_bound(
    server: LocalImagesServer,
) -> None:
    server.usage = {"input_tokens": 100, "output_tokens": 1000, "total_tokens": 1100}
    accounts, budget = Accounts(), Budget(0.30)
    # Bound of each: about 0.25. Each really costs (100 x 10 + 1,000 x 40) / 1e6 = 0.041.
    painter = PaidPainter(hosted(server, BY_TOKENS), accounts, budget)
    results = paint(painter, "a", "b", "c")
    # The third could pass 0.30: 0.082 + 0.25. Those before it had to wait for each other.
    assert [type(each) for each in results] == [Painted, Painted, BudgetReached]
    assert [each.cost_usd for each in results[:2]] == [pytest.approx(0.041)] * 2
    assert budget.spent == pytest.approx(0.082)
    account = accounts.of(painter.name)
    assert (account.calls, account.cost_unknown) == (2, 0)
    assert (account.input_tokens, account.output_tokens) == (200, 2000)
    assert account.cost_usd == pytest.approx(0.082)
    assert account.seconds > 0


@pytest.mark.parametrize(
    ("faults", "spent", "calls"),
    [([], 0.04, 1), ([AWAY], 0.04, 2), ([BUSY], 0.08, 2), ([BUSY, BUSY], 0.12, 3)],
)
def test_x16_a_call_that_is_made_again_is_paid_again(
    server: LocalImagesServer, faults: list[Any], spent: float, calls: int
) -> None:
    server.faults = list(faults)
    budget = Budget(1.0)
    painter = PaidPainter(hosted(server, PicturePrice(picture=0.04)), Accounts(), budget)
    assert paint(painter, "a")[0].picture is not None
    assert budget.spent == pytest.approx(spent)
    assert budget.set_aside == 0.0
    assert len(server.seen) == calls


def test_x16_a_further_try_that_could_pass_the_limit_is_not_made(
    server: LocalImagesServer,
) -> None:
    server.faults = [BUSY]
    budget = Budget(0.05)
    painter = PaidPainter(hosted(server, PicturePrice(picture=0.04)), Accounts(), budget)
    assert isinstance(paint(painter, "a")[0], BudgetReached)
    assert len(server.seen) == 1
    assert budget.spent == 0.04


def test_x16_a_picture_is_paid_once_however_often_its_link_is_fetched(
    server: LocalImagesServer,
) -> None:
    server.by_url, server.link_faults = True, [BUSY, BUSY]
    accounts, budget = Accounts(), Budget(0.05)
    painter = PaidPainter(hosted(server, PicturePrice(picture=0.04)), accounts, budget)
    assert paint(painter, "a")[0].picture is not None
    assert len(server.seen) == 4
    assert budget.spent == 0.04 == accounts.spent_usd()


@pytest.mark.parametrize("broken", ["link", "file"])
def test_x16_a_picture_that_is_lost_after_it_was_paid_is_in_the_books(
    server: LocalImagesServer, broken: str
) -> None:
    if broken == "link":
        server.by_url, server.link_faults = True, [BUSY] * 3
    else:
        server.picture = png_for("a")[:40]
    accounts, budget = Accounts(), Budget(1.0)
    painter = PaidPainter(hosted(server, PicturePrice(picture=0.04)), accounts, budget)
    result = paint(painter, "a")[0]
    assert result.picture is None and result.cost_usd == 0.04
    assert budget.spent == 0.04 == accounts.spent_usd()
    assert accounts.of(painter.name).failures == {result.failure: 1}


@pytest.mark.parametrize(
    ("fault", "spent"),
    [
        ((401, {}, b"{}"), 0.0),
        ((400, {}, b'{"error": {"message": "unknown parameter"}}'), 0.0),
        ((400, {}, b'{"error": {"code": "moderation_blocked"}}'), 0.04),
        ((200, {}, b"no JSON"), 0.04),
    ],
)
def test_x16_what_may_have_been_billed_counts_against_the_budget(
    server: LocalImagesServer, fault: Any, spent: float
) -> None:
    server.faults = [fault]
    budget = Budget(1.0)
    painter = PaidPainter(hosted(server, PicturePrice(picture=0.04)), Accounts(), budget)
    assert paint(painter, "a")[0].picture is None
    assert budget.spent == spent


def test_x16_no_budget_can_be_kept_where_nothing_bounds_a_picture(
    server: LocalImagesServer,
) -> None:
    for price, why in ((None, "is not known"), (Price(input=1, output=1), "no upper bound")):
        with pytest.raises(UsageError, match=rf"{why}.*#m\?price=0\.04, or http.*#m\?price=0 if"):
            PaidPainter(hosted(server, price), Accounts(), Budget(1.0))
    assert server.seen == []
    # Without a budget it paints, and its cost is unknown, not 0.
    accounts = Accounts()
    assert paint(PaidPainter(hosted(server, None), accounts), "a")[0].cost_usd is None
    assert accounts.spent_usd() is None


def test_x16_only_painters_with_a_price_are_held_and_write_each_row_at_once(
    server: LocalImagesServer,
) -> None:
    own = {"sketch": SketchPainter(), "m": hosted(server, PicturePrice(picture=0.0))}
    held = paid_painters(own, Accounts(), Budget(0.0))
    assert held["sketch"] is own["sketch"]
    assert isinstance(held["m"], PaidPainter)
    assert held["m"].fingerprint == own["m"].fingerprint
    assert held["m"].settings.at_once == FAST.at_once
    assert paint(held["m"], "a")[0].picture is not None, "what is free passes no limit"
    work = WorkSettings(shard_rows=32)
    assert paid_work(work, held.values()).shard_rows == 1
    assert paid_work(work, [own["sketch"]]) == work
