"""Cards: from what the networks say of ends and middles to a pile, without any network."""

from __future__ import annotations

import numpy as np
import pytest

from boardsight.scoring.take5 import heads as table_heads
from boardsight.vision import pieces
from boardsight.vision.card_groups import END, MIDDLE
from boardsight.vision.cards import CARDS, HEADS, TEXTS, decode_cards
from boardsight.vision.pieces import Decoded, Sighting, Spots

DEPTH = 1.2
SIZE = 40.0


@pytest.fixture(autouse=True)
def _crops_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the crop alone say whether a mark is one of a card, whatever the networks of today need."""
    monkeypatch.setattr(pieces, "temperatures", dict)


class Table:
    """Cards laid on a table one by one, with what perfect networks would say of them."""

    def __init__(self) -> None:
        self.rows: list[tuple[tuple[float, float], float, int, float, dict[str, str], dict[str, float]]] = []

    def lay(
        self,
        text: str,
        x: float,
        y: float,
        *,
        turn: float = 0.0,
        marks: str = "tmb",
        face: tuple[str, int] | None = None,
        sure: dict[str, float] | None = None,
        score: float = 0.9,
    ) -> None:
        """Lay a card whose middle is at pixel (x, y): which marks of top, middle and bottom are seen.

        ``sure`` gives the probability of the right label for heads that do not say it clearly.
        """
        colour, count = face or (table_heads(text) if text.isdigit() else ("green", 0))
        for mark, along, way in (("t", -DEPTH, 0.0), ("m", 0.0, 0.0), ("b", DEPTH, np.pi)):
            if mark not in marks:
                continue
            centre = np.array([x, y]) + rotation(turn) @ (0.0, along) * SIZE
            says = {"what": text}
            if text.isdigit():
                heads = str(count) if mark != "m" and count else "0"
                says = {
                    "what": "number",
                    "tens": text[:-1],
                    "ones": text[-1],
                    "colour": colour,
                    "heads": heads,
                }
            kind = MIDDLE if mark == "m" else END
            self.rows.append(((centre[0], centre[1]), turn + way, kind, score, says, sure or {}))

    def junk(self, x: float, y: float, what: float, score: float = 0.9) -> None:
        """Put something at a pixel that is no card with probability ``what``."""
        self.rows.append(((x, y), 0.0, END, score, {"what": "other"}, {"what": what}))

    def sighting(self) -> Sighting:
        """Return what is seen."""
        n = len(self.rows)
        heads = {name: np.zeros((n, len(labels)), np.float32) for name, labels in HEADS.items()}
        for k, (*_, says, sure) in enumerate(self.rows):
            for name, labels in HEADS.items():
                right = labels.index(says[name]) if name in says else 0
                p = np.full(len(labels), (1 - sure.get(name, 0.999)) / (len(labels) - 1))
                p[right] = sure.get(name, 0.999)
                heads[name][k] = np.log(p)
        spots = Spots(
            np.array([row[0] for row in self.rows]).reshape(n, 2),
            np.array([rotation(row[1]) * SIZE for row in self.rows]).reshape(n, 2, 2),
            np.array([row[2] for row in self.rows], np.int64),
            np.array([row[3] for row in self.rows]),
        )
        return Sighting(spots, heads, np.zeros((n, 56, 144, 3), np.uint8), np.zeros((4, 4, 2), np.float32))

    def read(self) -> Decoded:
        """Return the pile that is read."""
        return decode_cards(CARDS, self.sighting(), None)


def rotation(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def shown(decoded: Decoded, text: str) -> tuple[tuple[str, str], ...]:
    return next(piece.shows for piece in decoded.pieces if piece.text == text)


@pytest.mark.parametrize("turn", [0.0, 0.4, 1.7, 3.1, 4.6])
def test_open_cards_count_once(turn: float) -> None:
    table = Table()
    cards = ("97", "55", "x2", "+5", "42", "8", "68", "x2")
    for k, text in enumerate(cards):
        x, y = rotation(turn) @ (k % 4 * 2.3 * SIZE, k // 4 * 3.4 * SIZE)
        table.lay(text, x, y, turn=turn)
    decoded = table.read()
    assert sorted(piece.text for piece in decoded.pieces) == sorted(cards)
    assert decoded.complete and not decoded.warnings
    assert all(piece.certain for piece in decoded.pieces)
    assert shown(decoded, "55") == (("colour", "red"), ("heads", "7"))
    assert shown(decoded, "x2") == ()


def test_a_card_reads_the_same_from_both_sides() -> None:
    """The middle of a 68 that lies upside down shows an 89; the ends say which it is."""
    table = Table()
    for k, text in enumerate(("68", "16", "9")):
        table.lay(text, 100 * k, 0, marks="tb")
        table.lay({"68": "89", "16": "91", "9": "6"}[text], 100 * k, 0, marks="m")
    assert [piece.text for piece in table.read().pieces] == ["68", "16", "9"]


@pytest.mark.parametrize("step", [0.5, 0.62, 0.8, 1.1, 1.6])
def test_columns_of_cards_that_lie_on_each_other(step: float) -> None:
    table = Table()
    cards = ("12", "25", "x2", "49", "40", "14")
    for k, text in enumerate(cards):
        table.lay(text, 0, k * step * SIZE, marks="tmb" if k == len(cards) - 1 else "t")
    decoded = table.read()
    assert [piece.text for piece in decoded.pieces] == list(cards)
    assert decoded.complete and not decoded.warnings


def test_a_fan() -> None:
    table = Table()
    cards = ("3", "25", "31", "49", "40")
    for k, text in enumerate(cards):
        t = (k - 2) * 0.3
        table.lay(text, 300 + 4 * SIZE * np.sin(t), 300 - 4 * SIZE * np.cos(t), turn=t, marks="t" if k < 4 else "tmb")
    assert sorted(piece.text for piece in table.read().pieces) == sorted(cards)


def test_what_is_printed_wins_and_the_table_warns() -> None:
    table = Table()
    table.lay("37", 0, 0, face=("red", 2))
    table.lay("41", 100, 0)
    decoded = table.read()
    assert shown(decoded, "37") == (("colour", "red"), ("heads", "2"))
    assert "card 37 at (0, 0) shows 2 red heads, the table of numbers has 1 green head" in decoded.warnings[0]
    assert shown(decoded, "41") == (("colour", "green"), ("heads", "1"))


def test_the_table_decides_where_heads_are_hardly_seen() -> None:
    table = Table()
    table.lay("37", 0, 0, face=("red", 2), sure={"colour": 0.6, "heads": 0.6})
    assert shown(table.read(), "37") == (("colour", "green"), ("heads", "1"))


def test_heads_out_of_sight_go_by_the_table_with_a_warning() -> None:
    table = Table()
    table.lay("33", 0, 0, face=("red", 0))
    decoded = table.read()
    assert shown(decoded, "33") == (("colour", "red"), ("heads", "5"))
    assert "not all in sight" in decoded.warnings[0]


def test_the_same_card_twice_names_both_places() -> None:
    table = Table()
    table.lay("37", 0, 0)
    table.lay("37", 200, 0)
    table.lay("41", 100, 0)
    decoded = table.read()
    assert [piece.text for piece in decoded.pieces] == ["37", "41", "37"]
    assert "card 37 is there twice, at (0, 0) and at (200, 0)" in decoded.warnings[0]
    assert not decoded.complete


def test_a_doubtful_double_is_read_as_the_next_best_number() -> None:
    table = Table()
    table.lay("37", 0, 0)
    table.lay("31", 100, 0, marks="t", sure={"ones": 0.3})
    ones = HEADS["ones"]
    sighting = table.sighting()
    row = sighting.heads["ones"][-1]
    row[ones.index("7")] = row[ones.index("1")] + 0.5
    decoded = decode_cards(CARDS, sighting, None)
    read = {piece.text: piece for piece in decoded.pieces}
    assert set(read) == {"37", "31"}
    assert not read["31"].certain and read["31"].runner_up not in ("31", "37")


def test_what_may_be_a_card_is_said() -> None:
    table = Table()
    table.lay("37", 0, 0)
    table.junk(300, 0, 0.8)
    decoded = table.read()
    assert [piece.text for piece in decoded.pieces] == ["37"]
    assert not decoded.complete
    assert "at (300, 0) is not counted; it may be a card (20 % sure)" in decoded.warnings[0]


def test_what_is_no_card_is_not_mentioned() -> None:
    table = Table()
    table.lay("37", 0, 0)
    table.junk(300, 0, 0.99)
    decoded = table.read()
    assert decoded.complete and not decoded.warnings


def test_nothing_lies_on_a_card_that_shows_both_ends() -> None:
    table = Table()
    table.lay("37", 0, 0)
    table.lay("41", 22, 10, marks="t")
    table.junk(10, 20, 0.7)
    decoded = table.read()
    assert [piece.text for piece in decoded.pieces] == ["37"]
    assert decoded.complete and not decoded.warnings


def test_a_middle_alone_is_a_card_without_heads() -> None:
    table = Table()
    table.lay("37", 0, 0)
    table.lay("70", 200, 0, marks="m")
    decoded = table.read()
    assert [piece.text for piece in decoded.pieces] == ["37", "70"]
    assert "the heads of card 70" in decoded.warnings[0]


def test_an_outline_is_the_whole_card() -> None:
    table = Table()
    table.lay("37", 300, 300)
    outline = np.array(table.read().pieces[0].outline)
    assert np.ptp(outline[:, 0]) == pytest.approx(2 * SIZE, abs=1)
    assert np.ptp(outline[:, 1]) == pytest.approx(2 * (DEPTH + 0.3) * SIZE, abs=1)


def test_nothing_is_no_pile() -> None:
    decoded = Table().read()
    assert decoded.pieces == () and decoded.complete


def test_every_card_has_a_place() -> None:
    assert len(set(TEXTS)) == 100
