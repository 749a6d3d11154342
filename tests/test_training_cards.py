"""The drawings of card piles that the networks learn from."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from boardsight.scoring.take5 import heads as table_heads
from boardsight.training import card_heads, card_scene
from boardsight.training.card_art import CardEdition
from boardsight.training.card_scene import Pile, deal, draw_pile, lay_out
from boardsight.training.cards import draw, faces, judge, pieces_of
from boardsight.training.pieces import PieceScene, spots_of
from boardsight.vision.card_groups import END, MIDDLE
from boardsight.vision.cards import CARDS
from boardsight.vision.pieces import crop_pieces
from boardsight.vision.reading import PieceReading, Reading

SMALL = (420, 520)


@pytest.fixture(scope="module")
def pile() -> Pile:
    return draw_pile(np.random.default_rng(4), harsh=0.2, long_side=SMALL, counts=(8, 8))


def test_no_way_to_draw_a_head_is_in_both_splits() -> None:
    assert not set(card_heads.HEAD_KINDS["train"]) & set(card_heads.HEAD_KINDS["validate"])


@pytest.mark.parametrize("split", ["train", "validate"])
def test_an_edition_draws_every_kind_of_card(split: str) -> None:
    for seed in range(6):
        look = CardEdition(split, np.random.default_rng(seed), 90)
        for text, colour, count in (("7", "green", 1), ("55", "red", 7), ("x2", "", 0), ("+5", "", 0)):
            picture = look.card(text, colour, count)
            assert picture.shape == (look.size[1], look.size[0], 4)
            assert picture[look.size[1] // 2, look.size[0] // 2, 3] == 255 and picture[0, 0, 3] == 0
            assert picture[..., :3].std() > 2
        assert look.back().shape == (look.size[1], look.size[0], 4)


@pytest.mark.parametrize("count", range(1, 8))
def test_heads_keep_apart_and_clear_of_the_numbers(count: int) -> None:
    for seed in range(12):
        look = CardEdition("train", np.random.default_rng(seed), 90)
        spots = look.head_places(count)
        assert len(spots) == count
        gaps = np.hypot(*(spots[:, None] - spots[None]).transpose(2, 0, 1)) + 9 * np.eye(count)
        assert gaps.min() > 0.9 * look.head_size
        assert np.abs(spots[:, 0]).max() + look.head_size / 2 < 0.5


def test_a_deal_has_each_number_once() -> None:
    cards = deal(np.random.default_rng(1), 40, False)
    numbers = [text for text, _, _ in cards if text.isdigit()]
    assert len(numbers) == len(set(numbers))
    assert all((colour, count) == table_heads(text) for text, colour, count in cards if text.isdigit())
    assert any(table_heads(t) != (c, k) for t, c, k in deal(np.random.default_rng(1), 40, True) if t.isdigit())


def test_every_layout_lays_every_card(monkeypatch: pytest.MonkeyPatch) -> None:
    look = CardEdition("train", np.random.default_rng(0), 90)
    for layout in set(card_scene.LAYOUTS):
        monkeypatch.setattr(card_scene, "LAYOUTS", (layout,))
        for seed in range(5):
            places = lay_out(np.random.default_rng(seed), 13, look)
            assert len(places) == 13 or layout == "loose"


def test_every_card_of_a_pile_shows_an_end(pile: Pile) -> None:
    assert len(pile.cards) == 8
    assert all(any(end.corners for end in card.ends) for card in pile.cards)
    pieces = pieces_of(pile, np.random.default_rng(0))
    marked = [piece for piece in pieces if piece.marked]
    assert {piece.kind for piece in marked} <= {END, MIDDLE}
    assert len(marked) >= 8
    h, w = pile.image.shape[:2]
    assert all(((piece.centre > 0) & (piece.centre < (w, h))).all() for piece in marked)
    crops = crop_pieces(pile.image, spots_of(pieces), CARDS.window, CARDS.pixels)
    assert crops.shape == (len(pieces), CARDS.pixels[1], CARDS.pixels[0], 3)


def test_the_other_end_is_the_same_card_from_the_other_side(pile: Pile) -> None:
    for card in pile.cards:
        top, bottom = (end.homography / end.homography[2, 2] for end in card.ends)
        at = (top @ (0, 0, 1), bottom @ (0, 0, 1))
        middle = card.homography @ (0, 0, 1)
        middle = middle[:2] / middle[2]
        assert (at[0][:2] + at[1][:2]) / 2 == pytest.approx(middle, abs=3)


def test_a_scene_to_learn_from_has_answers_that_the_declaration_knows() -> None:
    seen: Counter[str] = Counter()
    for seed in range(3):
        for piece in draw(np.random.default_rng([6, seed]), "train").pieces:
            for head, label in piece.labels.items():
                assert label in CARDS.heads[head]
            seen[piece.labels["what"]] += 1
    assert seen["number"] and seen["other"]


def test_the_judge_counts_heads_too(pile: Pile) -> None:
    def piece(text: str, colour: str, count: int) -> PieceReading:
        shows = (("colour", colour), ("heads", str(count))) if text.isdigit() else ()
        return PieceReading("card", text, 0.999, (0.0, 0.0), shows=shows)

    scene = PieceScene(pile.image, (), {"pile": pile})
    right = [piece(card.text, card.colour, card.count) for card in pile.cards]
    assert sum(faces(pile).values()) == 8
    score = judge(scene, Reading("p", pieces=tuple(right)))
    assert score.exact and (score.pieces, score.right, score.extra, score.silent) == (8, 8, 0, 0)
    first = next(i for i, card in enumerate(pile.cards) if card.text.isdigit())
    card = pile.cards[first]
    right[first] = piece(card.text, card.colour, card.count + 1)
    score = judge(scene, Reading("p", pieces=tuple(right)))
    assert not score.exact and (score.right, score.extra, score.silent) == (7, 1, 1)
    assert score.what.startswith(f"{card.text} {card.colour} {card.count} missed")
    assert not judge(scene, Reading("p", pieces=tuple(right[:7]))).exact
