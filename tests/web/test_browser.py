"""The page in a real browser: photos in, sheets out, corrections, two phones, a server that starts again."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.test_web_book import doubtful_shot
from tests.web.conftest import DESKTOP, PHONE, SAMPLES, Open, Scheme, Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

from boardsight.web.book import Book

NAMES = sorted(path.stem for path in SAMPLES.glob("*.json") if "dice" not in json.loads(path.read_text("utf-8")))
"""Samples with a total of their own; dice have one only under a challenge card."""
SHOTS = os.environ.get("BOARDSIGHT_SCREENSHOTS", "")
"""Folder that screenshots are left in, to be looked at."""


def total_of(name: str) -> int:
    return int(json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))["total"])


def upload(page: Page, *names: str) -> None:
    """Choose photos as a player does and wait until they are read."""
    page.set_input_files("#chosen", [str(SAMPLES / f"{name}.jpg") for name in names])
    if len(names) == 1:
        page.wait_for_selector("[data-score]")
    else:
        page.wait_for_function("n => document.querySelectorAll('.items li').length >= n", arg=len(names))


def shown_total(page: Page) -> int:
    return int(re.findall(r"-?\d+", page.locator(".headline .points").first.inner_text())[0])


def wait_total(page: Page, total: int) -> None:
    page.wait_for_function("t => document.querySelector('[data-score]').dataset.score == t", arg=str(total))


def look(page: Page, name: str) -> None:
    """Leave a screenshot where one is wanted."""
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.wait_for_timeout(300)
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"))


def test_every_sample_photo_is_read(open_page: Open, served: Served) -> None:
    page = open_page(PHONE)
    for name in NAMES:
        page.goto(served.home)
        upload(page, name)
        assert shown_total(page) == total_of(name), name
    page.goto(served.home)
    assert page.locator(".items li").count() == len(NAMES)


def test_several_photos_at_once(open_page: Open) -> None:
    page = open_page()
    upload(page, "easy_1", "easy_2", "higher_2")
    assert sorted(page.locator(".items .points").all_inner_texts()) == ["15", "233", "75"]


@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_wrong_tile_is_corrected_and_the_sheet_changes_at_once(open_page: Open, device: dict[str, object]) -> None:
    page = open_page(device)
    upload(page, "easy_1")
    look(page, f"photo-{device is PHONE}")
    page.locator("[data-cell='1.c1.1']").click()
    page.wait_for_selector("#fix")
    assert page.evaluate("document.activeElement.id") == "fix-title"
    look(page, f"fix-{device is PHONE}")
    page.locator("#fix .pick", has_text="empty").click()
    wait_total(page, 185)
    assert shown_total(page) == 185
    assert page.locator("#notice").inner_text() == "Total 185, it was 233."
    assert page.locator("#fix").count() == 0
    assert page.locator("[data-cell='1.c1.1']").get_attribute("class") == "space hand empty"
    page.locator(".actions button", has_text="Undo").click()
    wait_total(page, 233)


def test_one_correction_mends_both_of_two_swapped_tiles(open_page: Open, served: Served) -> None:
    book = Book(served.folder)
    content = doubtful_shot(book, SAMPLES / "easy_1.jpg")
    book.close()
    page = open_page(PHONE)
    page.goto(f"{served.home}photos/{content}")
    assert shown_total(page) != 233
    assert page.locator(".space.doubtful").count() == 2
    style = "e => getComputedStyle(e.querySelector('polygon')).animationName"
    assert page.locator(".space.doubtful").first.evaluate(style) == "pulse"
    look(page, "doubtful")
    page.locator(".doubts button", has_text="then total 233").first.click()
    wait_total(page, 233)
    assert page.locator(".space.doubtful").count() == 0
    assert page.locator(".space.hand").count() == 1


def test_a_reload_and_a_new_start_of_the_server_lose_nothing(open_page: Open, served: Served) -> None:
    page = open_page()
    page.fill("input[name=name]", "Anna")
    page.locator("button", has_text="Add").click()
    page.wait_for_selector(".standings th[scope=row]")
    page.select_option("#upload select[name=player]", "Anna")
    upload(page, "higher_1")
    page.locator("[data-cell='1.r1.1']").click()
    page.locator("#fix .pick", has_text="empty").click()
    page.wait_for_selector(".space.hand")
    total = shown_total(page)
    assert total != total_of("higher_1")
    page.reload()
    assert shown_total(page) == total
    served.stop(signal.SIGKILL)
    served.start()
    page.reload()
    assert shown_total(page) == total
    page.goto(served.home)
    assert page.locator(".standings .total").inner_text() == str(total)
    assert page.locator(".standings th[scope=row]").inner_text() == "Anna"


def test_two_phones_see_one_evening_live(open_page: Open, served: Served) -> None:
    one, other = open_page(PHONE), open_page(PHONE)
    one.fill("input[name=name]", "Ben")
    one.locator("button", has_text="Add").click()
    other.wait_for_selector(".standings th[scope=row]")
    upload(one, "easy_1")
    other.wait_for_selector(".items li")
    other.locator(".items a").first.click()
    assert shown_total(other) == 233
    one.locator("[data-cell='1.c1.1']").click()
    one.locator("#fix .pick", has_text="empty").click()
    wait_total(other, 185)
    one.select_option(".owner select[name=player]", "Ben")
    other.wait_for_function("() => document.querySelector('.owner select[name=player]').value == 'Ben'")
    one.goto(served.home)
    assert one.locator(".standings .total").inner_text() == "185"


def test_rows_light_up_both_ways(open_page: Open) -> None:
    page = open_page()
    upload(page, "easy_1")
    row = page.locator("tr#p1l0 .light")
    row.click()
    assert page.locator(".rows g.lit").count() == 1
    assert page.locator(".space.lit").count() == 3
    assert row.get_attribute("aria-pressed") == "true"
    row.click()
    assert page.locator(".rows g.lit").count() == 0
    page.locator(".badge[data-line=p1l4]").click()
    assert page.locator("tr#p1l4.lit").count() == 1
    # a line of a colour lights all its rows: yellow scores twice
    page.locator(".sheet .light", has_text="yellow").click()
    assert page.locator(".rows g.lit").count() == 2


def test_the_keyboard_is_enough(open_page: Open) -> None:
    page = open_page()
    upload(page, "easy_1")
    page.locator("[data-cell='1.c1.1']").focus()
    page.keyboard.press("ArrowDown")
    down = page.evaluate("document.activeElement.dataset.cell")
    assert down not in (None, "1.c1.1")
    page.keyboard.press("Enter")
    page.wait_for_selector("#fix")
    page.keyboard.press("Escape")
    page.wait_for_selector("#fix", state="detached")
    assert page.evaluate("document.activeElement.dataset.cell") == down
    page.keyboard.press("Enter")
    page.wait_for_selector("#fix")
    while page.evaluate("document.activeElement.value") != "--":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".space.hand")
    assert page.locator(".space.hand").get_attribute("data-cell") == down
    page.locator(".badge").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("tr.lit").count() >= 1


def test_the_photo_can_be_zoomed_and_stays_where_it_is(open_page: Open) -> None:
    page = open_page(PHONE)
    upload(page, "nexus_1")
    width = "Number(document.getElementById('board').getAttribute('viewBox').split(' ')[2])"
    before = page.evaluate(width)
    page.locator("[data-zoom=in]").click()
    near = page.evaluate(width)
    assert near < 0.8 * before
    middle = page.locator("#board").bounding_box()
    assert middle is not None
    page.touchscreen.tap(middle["x"] + middle["width"] / 2, middle["y"] + middle["height"] / 2)
    page.wait_for_selector("#fix")
    assert page.evaluate(width) == near
    page.locator("#fix .close").click()
    page.wait_for_selector("#fix", state="detached")
    page.locator("[data-zoom=fit]").click()
    assert page.evaluate(width) == before


@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_the_screen_and_can_be_tapped(
    open_page: Open, served: Served, device: dict[str, Any], scheme: Scheme
) -> None:
    page = open_page(device, scheme)
    page.fill("input[name=name]", "Wolfeschlegelsteinhausenbergerdorff the X")
    page.locator("button", has_text="Add").click()
    page.wait_for_selector(".standings th[scope=row]")
    upload(page, "nexus_3")
    photo = page.url
    for path in (served.home, photo, f"{photo}?cell=1.c3.2", f"{served.home}invite", f"{served.home}print"):
        page.goto(path)
        look(
            page, f"{scheme}-{device is PHONE}-{path.rstrip('/').rpartition('/')[2][:5]}{'-fix' if '?' in path else ''}"
        )
        wide = page.evaluate("document.documentElement.scrollWidth") - device["viewport"]["width"]
        assert wide <= 0, f"{path} is {wide} pixels too wide"
        small = page.evaluate(
            """() => [...document.querySelectorAll('button, a.button, select, input:not([type=checkbox]), summary')]
            .filter(e => e.offsetParent && !e.classList.contains('visually-hidden'))
            .filter(e => e.getBoundingClientRect().height < 43)
            .map(e => e.outerHTML.slice(0, 80))"""
        )
        assert small == [], path
    assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") == (scheme == "dark")
    page.goto(photo)
    board, sheet = page.locator("#board").bounding_box(), page.locator(".part").bounding_box()
    assert board is not None
    assert sheet is not None
    if device is PHONE:
        assert sheet["y"] >= board["y"] + board["height"] - 1
    else:
        assert sheet["x"] >= board["x"] + board["width"] - 1


def test_without_script_the_page_still_works(browser: Browser, served: Served) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(served.link)
    page.set_input_files("#chosen", str(SAMPLES / "easy_1.jpg"))
    page.locator("button", has_text="Read the photos").click()
    page.locator("[data-cell='1.c1.1']").click()
    page.locator("#fix .pick", has_text="empty").click()
    assert shown_total(page) == 185
    context.close()


def test_script_in_names_does_not_run(open_page: Open, served: Served) -> None:
    page = open_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    name = "<img src=x onerror=alert(1)>"
    page.fill("input[name=name]", name)
    page.locator("button", has_text="Add").click()
    page.wait_for_selector(".standings th[scope=row]")
    assert page.locator(".standings th[scope=row]").inner_text() == name
    page.select_option("#upload select[name=player]", name)
    upload(page, "easy_2")
    assert page.locator(".headline").inner_text().startswith(name)


def test_dice_by_hand(open_page: Open) -> None:
    page = open_page(PHONE)
    page.locator("summary", has_text="No photo").click()
    page.select_option("form[action='/boards'] select[name=game]", "high-score")
    page.locator("button", has_text="Begin").first.click()
    page.wait_for_selector(".pile")
    for face in "5554421":
        count = page.locator(".card-button").count()
        page.locator(f".pile button[value='{face}'][name=card]").click()
        page.wait_for_function("n => document.querySelectorAll('.card-button').length > n", arg=count)
    page.select_option("select[name=scoring]", "total")
    page.locator(".part form[action='/rounds/challenge'] button").click()
    wait_total(page, 26)
    look(page, "dice")


def test_what_cannot_be_read_is_said(open_page: Open, tmp_path: Path) -> None:
    page = open_page(PHONE)
    (tmp_path / "note.jpg").write_text("no picture")
    page.set_input_files("#chosen", str(tmp_path / "note.jpg"))
    page.wait_for_selector("#progress li.bad")
    assert "is not a picture" in page.locator("#progress li.bad").inner_text()
