"""The page from outside: what a phone sends and what comes back."""

from __future__ import annotations

import io
import re

import pytest
from PIL import Image
from tests.web_app.conftest import SAMPLES, Enter, Phone, truth

# ---------------------------------------------------------------- reading


@pytest.mark.parametrize("name", ["easy_1", "higher_1", "nexus_3", "orchid_1"])
def test_a_photo_is_read_and_its_sheet_shown(phone: Phone, name: str) -> None:
    path = phone.sample(name)
    page = phone.client.get(path).text
    assert phone.total(path) == truth(name)["total"]
    assert "What scores where" in page
    assert len(re.findall(r'data-cell="\d\.[rc]', page)) == sum(
        len(b["notation"].replace("/", "").split()) for b in truth(name)["boards"]
    )
    picture = phone.client.get(f"{path}/picture")
    assert picture.headers["content-type"] == "image/jpeg"
    assert max(Image.open(io.BytesIO(picture.content)).size) <= 2000
    drawn = phone.client.get(f"{path}/annotated")
    assert drawn.headers["content-type"] == "image/jpeg"
    assert Image.open(io.BytesIO(drawn.content)).size != Image.open(io.BytesIO(picture.content)).size


def test_the_same_photo_is_read_once(phone: Phone) -> None:
    path = phone.sample("easy_2")
    before = len(phone.workers.jobs)
    assert phone.sample("easy_2") == path
    assert len(phone.workers.jobs) == before


def test_several_photos_at_once(phone: Phone) -> None:
    files = [("photos", (f"{n}.jpg", (SAMPLES / f"{n}.jpg").read_bytes())) for n in ("easy_1", "easy_2")]
    answer = phone.client.post("/photos", data={"csrf": phone.csrf}, files=files)
    assert answer.url.path == "/"
    assert "233" in answer.text
    assert len(phone.book.shots()) == 2


def test_what_is_no_board_is_kept_with_the_reason_and_can_be_taken_off(phone: Phone) -> None:
    out = io.BytesIO()
    Image.new("RGB", (640, 480), "#446688").save(out, "JPEG")
    answer = phone.upload(out.getvalue(), "table.jpg")
    assert answer.status_code == 200
    assert "shows no board" in answer.text
    path = answer.url.path
    again = phone.post(f"{path}/game", game="take-it-easy")
    assert "shows no board" in again.text
    gone = phone.post(f"{path}/remove")
    assert "taken off the list" in gone.text
    assert phone.client.get(path).status_code == 404
    back = phone.post(f"{path}/restore")
    assert back.status_code == 200
    assert phone.client.get(path).status_code == 200


def test_a_full_queue_and_a_worker_that_fails_are_said(phone: Phone) -> None:
    data = (SAMPLES / "easy_1.jpg").read_bytes()
    phone.workers.busy = True
    answer = phone.upload(data)
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "2"
    phone.workers.busy, phone.workers.broken = False, True
    answer = phone.upload(data)
    assert answer.status_code == 422
    assert "took longer than 30 seconds" in answer.text
    assert phone.book.shots() == ()


def test_the_game_may_be_told(phone: Phone) -> None:
    answer = phone.upload((SAMPLES / "easy_1.jpg").read_bytes(), game="take-it-higher")
    assert "shows no board" in answer.text
    path = phone.post(f"{answer.url.path}/game", game="take-it-easy").url.path
    assert phone.total(path) == 233
    assert phone.upload(b"x", game="chess").status_code == 400


# ---------------------------------------------------------------- correction


def test_a_correction_changes_the_sheet_at_once_and_can_be_undone(phone: Phone) -> None:
    path = phone.sample("easy_1")
    fix = phone.client.get(f"{path}?cell=1.c1.1").text
    assert "It reads <strong>9-2-3</strong>" in fix
    assert len(re.findall(r'<button class="pick', fix)) == 28
    phone.post(f"{path}/correct", board="1", what="c1.1", value="--")
    assert phone.total(path) == 185
    page = phone.client.get(f"{path}?cell=1.c1.1").text
    assert "You set this to <strong>empty</strong>" in page
    phone.post(f"{path}/undo")
    assert phone.total(path) == 233
    assert phone.post(f"{path}/undo").status_code == 200
    assert phone.total(path) == 233


def test_a_correction_that_cannot_be_is_refused_and_changes_nothing(phone: Phone) -> None:
    path = phone.sample("easy_1")
    for what, value in [("c1.1", "1-1-1"), ("c9.9", "--"), ("ring", "15"), ("ships", "c1.1=white"), ("nonsense", "1")]:
        answer = phone.post(f"{path}/correct", board="1", what=what, value=value)
        assert answer.status_code in (400, 404), (what, value)
    assert phone.post(f"{path}/correct", board="2", what="c1.1", value="--").status_code == 404
    assert phone.total(path) == 233
    assert phone.book.store.corrections() == ()


def test_two_doubtful_readings_are_shown_with_what_each_would_change(phone: Phone) -> None:
    from tests.test_web_book import doubtful_shot

    content = doubtful_shot(phone.book, SAMPLES / "easy_1.jpg")
    page = phone.client.get(f"/photos/{content}").text
    assert "tiles are doubtful" in page
    assert 'class="space doubtful' in page
    assert re.search(r"\d+ % sure, total -?\d+", page)
    assert "then total" in page or "total stays" in page


def test_ships_and_ring_by_hand(phone: Phone) -> None:
    path = phone.sample("higher_1")
    total = phone.total(path)
    phone.post(f"{path}/ship", board="1", cell="r2.1", ship="white")
    page = phone.client.get(path).text
    assert "white on r2.1" in page
    assert phone.total(path) == total + 20
    phone.post(f"{path}/correct", board="1", what="ring", value="40")
    assert phone.total(path) == total + 40
    assert "the ring rests on 40" in phone.client.get(path).text
    phone.post(f"{path}/undo")
    phone.post(f"{path}/ship", board="1", cell="r2.1", ship="white")
    assert phone.total(path) == total
    assert phone.post(f"{path}/ship", board="1", cell="r2.1", ship="mauve").status_code == 404


def test_the_reserve_by_hand(phone: Phone) -> None:
    path = phone.sample("orchid_1")
    board = phone.book.shots()[0].reading.boards[0]
    held = {cell.tile for cell in board.cells}
    spare = [t.text for t in board.board.tile_set.tiles if t.text not in held][:2]
    phone.post(f"{path}/reserve", board="1", tile=[spare[0], "", spare[1]])
    state = phone.book.shots()[0].parts[0].state
    assert [str(tile) for tile in state.reserve] == spare


def test_dice_and_cards_by_hand(phone: Phone) -> None:
    path = phone.post("/boards", game="high-score").url.path
    assert "Enter the dice" in phone.client.get(path).text
    for face in "5554421":
        phone.post(f"{path}/card", part="1", what="dice", card=face)
    assert "challenge card" in phone.client.get(path).text
    phone.post("/rounds/challenge", round="1", scoring="same-number", vortex="-5", roll="any-three")
    assert phone.total(path) == 23
    phone.post(f"{path}/card", part="1", what="dice", away="7")
    phone.post(f"{path}/card", part="1", what="dice", card="V")
    assert phone.book.shots()[0].parts[0].state.dice == ("5", "5", "5", "4", "4", "2", "V")
    assert phone.post(f"{path}/card", part="1", what="dice", card="9").status_code == 400

    pile = phone.post("/boards", game="take-5").url.path
    for card in ("97", "55", "x2", "+5"):
        phone.post(f"{pile}/card", part="1", what="cards", card=card)
    phone.post(f"{pile}/card", part="1", what="hand", card="+5")
    assert phone.total(pile) == (1 - 7 + 5) * 2 - 10
    phone.post(f"{pile}/undo")
    assert phone.total(pile) == (1 - 7 + 5) * 2


def test_rules_are_switches(phone: Phone) -> None:
    from boardsight.scoring.notation import parse_state
    from boardsight.scoring.rules import Rules
    from boardsight.scoring.sheets import score

    path = phone.sample("higher_1")
    state = parse_state(truth("higher_1")["boards"][0]["notation"], "take-it-higher")
    with_studs = score(state, Rules(studs=True)).total
    assert phone.total(path) == score(state).total != with_studs
    phone.post("/rules", studs="studs", ships="no-ships", scrapyard="lowest-scrapyard", mixed="", pairs="pairs")
    assert phone.book.rules == Rules(studs=True, ships="none", scrapyard="lowest", pairs=True)
    assert phone.total(path) == with_studs
    page = phone.client.get("/").text
    assert re.search(r'name="studs" value="studs" checked', page)
    assert phone.post("/rules", studs="anything").status_code == 400


# ---------------------------------------------------------------- the evening


def test_an_evening_of_two_players_and_two_rounds(enter: Enter) -> None:
    phone = enter()
    for name in ("Anna", "Ben"):
        phone.post("/players", name=name)
    easy_1, easy_2 = phone.sample("easy_1", player="Anna", round="1"), phone.sample("easy_2")
    phone.post(f"{easy_2}/give", part="1", player="Ben", round="1")
    phone.post("/rounds")
    phone.post("/points", player="Ben", round="2", points="300")
    table = phone.book.table()
    assert [(s.rank, s.player, s.total) for s in table.standings] == [(1, "Ben", 315), (2, "Anna", 233)]
    csv = phone.client.get("/export.csv")
    assert csv.headers["content-type"].startswith("text/csv")
    assert csv.text.splitlines()[:2] == ["rank,player,round 1,round 2,total,certain", "1,Ben,15,300,315,yes"]
    paper = phone.client.get("/print").text
    assert "Anna, round 1" in paper
    assert "What scores where" in paper

    other = enter()  # the server starts again, and a second phone looks at the same evening
    assert [(s.player, s.total) for s in other.book.table().standings] == [("Ben", 315), ("Anna", 233)]
    other.post(f"{easy_1}/correct", board="1", what="c1.1", value="--")
    assert phone.total(easy_1) == 185
    assert [s.total for s in phone.book.table().standings] == [315, 185]
    phone.post(f"{easy_1}/undo")
    assert other.total(easy_1) == 233


def test_players_are_renamed_and_removed_and_evenings_begun(phone: Phone) -> None:
    phone.post("/players", name="  Anna \t Maria ")
    phone.post("/players", name="Ben")
    assert phone.book.players() == ("Anna Maria", "Ben")
    assert phone.post("/players/rename", player="Anna Maria", name="ben").status_code == 409
    phone.post("/players/rename", player="Anna Maria", name="Anna")
    phone.post("/players/remove", player="Ben")
    assert phone.book.players() == ("Anna",)
    assert phone.post("/players", name=" ").status_code == 400
    phone.post("/points", player="Anna", round="1", points="-3")
    assert phone.book.table().standings[0].total == -3
    phone.post("/points", player="Anna", round="1", points="")
    assert phone.book.table().standings[0].total == 0
    assert phone.post("/points", player="Anna", round="1", points="many").status_code == 400
    phone.post("/evening", title="Friday")
    assert "Friday" in phone.client.get("/").text
    phone.post("/evening/new", title="Saturday")
    assert phone.book.players() == ()
    assert "Saturday" in phone.client.get("/").text


def test_a_newer_sheet_of_the_same_round_replaces_the_older(phone: Phone) -> None:
    first, second = phone.sample("easy_1", player="Anna", round="1"), phone.sample("easy_2")
    phone.post("/players", name="Anna")
    phone.post(f"{first}/give", part="1", player="Anna", round="1")
    answer = phone.post(f"{second}/give", part="1", player="Anna", round="1")
    assert "set aside" in answer.text
    assert phone.book.table().standings[0].total == 15
    # a Scrap Yard adds to a Nexus instead
    nexus = phone.sample("nexus_2")
    phone.post(f"{nexus}/give", part="1", new="Ben", round="1")
    assert {s.player: s.total for s in phone.book.table().standings} == {"Anna": 15, "Ben": 60}
    phone.post(f"{nexus}/give", part="1", player="", round="1")
    assert {s.player: s.total for s in phone.book.table().standings} == {"Anna": 15, "Ben": 0}


def test_live_news_tell_when_something_changed(phone: Phone) -> None:
    before = phone.book.state()
    phone.post("/players", name="Anna")
    assert phone.book.state() != before
    assert f'data-state="{phone.book.state()}"' in phone.client.get("/").text
