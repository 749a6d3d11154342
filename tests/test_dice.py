"""Dice: faces, mirrored throws, doubtful ones, and how many there are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boardsight.scoring.highscore import DICE as SEVEN
from boardsight.scoring.notation import DICE_FACES
from boardsight.vision import pieces
from boardsight.vision.dice import DICE, FACES, counted, face_probabilities, sides, there_are
from boardsight.vision.pieces import Decoded, Sighting, Spots, presence


@pytest.fixture(autouse=True)
def _crops_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the crop alone say whether a mark is a die, whatever the networks of today need."""
    monkeypatch.setattr(pieces, "temperatures", dict)


def sighting(
    faces: str, *, there: list[float] | None = None, scores: list[float] | None = None, mirrored: bool = False
) -> Sighting:
    """Return seven or so dice in a row that say these faces clearly, or two each, written ``5/2``."""
    shown = faces.split()
    n = len(shown)
    says = np.full((n, 2 * len(FACES)), np.log(1e-6), np.float32)
    for i, text in enumerate(shown):
        names = text.split("/")
        for name, share in zip(names, (1.0,) if len(names) == 1 else (0.7, 0.3), strict=True):
            plain = FACES.index(name)
            says[i, plain + (len(FACES) if mirrored else 0)] = np.log(share)
    p = np.array(there or [1.0] * n).clip(1e-9, 1 - 1e-9)
    what = np.log(np.stack([p, 1 - p], 1)).astype(np.float32)
    centres = np.array([[100.0 * (n - i), 50.0] for i in range(n)]).reshape(n, 2)
    spots = Spots(
        centres, np.repeat(np.eye(2)[None] * 40, n, axis=0), np.zeros(n, np.int64), np.array(scores or [0.9] * n)
    )
    empty = np.zeros((n, 4, 4, 3), np.uint8)
    return Sighting(spots, {"what": what, "face": says}, empty, np.zeros((4, 4, 1), np.float32))


def decode(seen: Sighting, expected: int | None = SEVEN) -> Decoded:
    return DICE.decode(DICE, seen, expected)


def texts(decoded: Decoded) -> list[str]:
    return [piece.text for piece in decoded.pieces]


def test_the_declaration_is_that_of_the_game() -> None:
    assert DICE.count == SEVEN
    assert set(DICE_FACES) < set(FACES)
    assert all(DICE.mirror[0 + 1, DICE.mirror[1, i]] == i for i in range(2 * len(FACES)))


def test_clear_dice_are_read_from_left_to_right() -> None:
    decoded = decode(sighting("1 2 3 4 5 V 4"))
    assert texts(decoded) == ["4", "V", "5", "4", "3", "2", "1"]
    assert decoded.complete and not decoded.warnings
    assert all(piece.certain and piece.confidence > 0.99 for piece in decoded.pieces)
    first = decoded.pieces[0]
    assert first.centre == (100.0, 50.0)
    assert set(first.outline) == {(80.0, 30.0), (120.0, 30.0), (120.0, 70.0), (80.0, 70.0)}


def test_a_die_that_could_be_two_is_doubtful() -> None:
    decoded = decode(sighting("1 2 3 4 5 V 5/2"))
    assert decoded.pieces[0].text == "5"
    assert decoded.pieces[0].runner_up == "2"
    assert not decoded.pieces[0].certain
    assert decoded.pieces[0].confidence == pytest.approx(0.7, abs=0.01)
    assert sum(piece.certain for piece in decoded.pieces) == 6


def test_doubt_about_some_dice_is_a_little_of_all() -> None:
    clear = decode(sighting("1 2 3 4 5 V 5"))
    some = decode(sighting("1 2 3 4/1 5/3 V/2 5/2"))
    assert max(piece.confidence for piece in some.pieces) < min(piece.confidence for piece in clear.pieces) - 0.015
    assert max(piece.confidence for piece in some.pieces) > 0.95


def test_a_throw_in_a_mirror_is_read_and_said() -> None:
    decoded = decode(sighting("1 2 3 4 5 V 2", mirrored=True))
    assert texts(decoded) == ["2", "V", "5", "4", "3", "2", "1"]
    assert "mirrored" in decoded.warnings[0]
    faces, turned = face_probabilities(sighting("2 5", mirrored=True).heads["face"].astype(float), 1.0)
    assert turned > 0.9 and faces.sum(1) == pytest.approx(1)


def test_a_six_and_a_vortex_do_not_lie_side_by_side() -> None:
    assert texts(decode(sighting("1 2 3 4 V V 6/V")))[0] == "V"
    assert texts(decode(sighting("6 2 3 4 6 5 V/6")))[0] == "6"
    clear = decode(sighting("1 2 3 4 5 5 6"))
    assert texts(clear)[0] == "6" and clear.pieces[0].certain
    doubtful = decode(sighting("1 2 3 4 5 5 6/5"))
    assert not doubtful.pieces[0].certain


def test_all_dice_are_likelier_than_some() -> None:
    there = np.array([0.9] * 7 + [0.1])
    weighed = counted(there, 7)
    assert (weighed[:7] > 0.95).all() and weighed[7] < 0.1
    assert counted(there[:7], 5).max() < 0.9
    assert counted(np.ones(6), 7) == pytest.approx(np.ones(6))
    assert counted(np.ones(8), 7) == pytest.approx(np.ones(8))
    assert counted(np.zeros(0), 7).shape == (0,)


def test_one_die_alone_does_not_make_a_mirror() -> None:
    says = np.log(np.full((1, 14), 1e-6))
    says[0, FACES.index("2") + 7], says[0, FACES.index("5")] = np.log(0.6), np.log(0.4)
    faces, turned = face_probabilities(says, 1.0)
    assert turned < 0.05
    assert FACES[int(faces[0].argmax())] == "5"


def test_the_expected_number_decides_about_doubtful_marks() -> None:
    eight = sighting("1 2 3 4 5 V 1 2", there=[1, 1, 1, 1, 1, 1, 1, 0.9])
    assert len(decode(eight).pieces) == 7
    assert not decode(eight).complete
    assert "may be a die (34 % sure)" in decode(eight).warnings[0]
    assert len(decode(eight, 8).pieces) == 8
    less = sighting("1 2 3 4 5 V 1 2", there=[1, 1, 1, 1, 1, 1, 1, 0.6])
    assert len(decode(less, 8).pieces) == 8
    assert not decode(less, 8).pieces[0].certain
    assert len(decode(eight, None).pieces) == 8
    faint = sighting("1 2 3 4 5 V 1", there=[1, 1, 1, 1, 1, 1, 0.3])
    assert len(decode(faint).pieces) == 7
    assert not decode(faint).pieces[0].certain


def test_eight_clear_dice_are_eight_and_six_are_six() -> None:
    assert len(decode(sighting("1 2 3 4 5 V 1 2")).pieces) == 8
    six = decode(sighting("1 2 3 4 5 V"))
    assert len(six.pieces) == 6 and six.complete


def test_a_low_mark_is_less_likely_a_die(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"dice.crop": 1.0, "dice.height": 8.0, "dice.shift": -4.0}
    monkeypatch.setattr(pieces, "temperatures", lambda: table)
    high, low, none = presence(DICE, sighting("1 2 3", there=[0.9, 0.9, 0.1], scores=[0.9, 0.25, 0.25]))
    assert 0.99 < high < 1 and 0.5 < low < 0.6 and none < 0.05


def test_dice_are_alike_in_size() -> None:
    seen = sighting("1 2 3 4")
    frames = seen.spots.frames.copy()
    frames[2] *= 0.3
    odd = replace(seen, spots=replace(seen.spots, frames=frames))
    plain, small = there_are(DICE, seen), there_are(DICE, odd)
    assert small[[0, 1, 3]] == pytest.approx(plain[[0, 1, 3]])
    assert small[2] / (1 - small[2]) == pytest.approx(0.1 * plain[2] / (1 - plain[2]))


def test_dice_are_alike_in_hue() -> None:
    crops = np.full((4, 48, 48, 3), 40, np.uint8)
    crops[0] = 90
    crops[1] = (160, 40, 170)
    seen = replace(sighting("1 2 3 4", there=[0.95] * 4), crops=crops)
    there = there_are(DICE, seen)
    assert there[[0, 2, 3]] == pytest.approx(0.95)
    assert there[1] == pytest.approx(1.9 / 2.9)


def test_of_a_top_and_a_side_the_likelier_stays() -> None:
    seen = sighting("1 2 3 4 5", there=[0.9, 0.999, 0.9, 0.9, 0.9], scores=[0.9, 0.5, 0.9, 0.9, 0.9])
    centres = seen.spots.centres.copy()
    centres[0] = centres[1] + (0.0, 30.0)
    there = there_are(DICE, replace(seen, spots=replace(seen.spots, centres=centres)))
    assert there[0] < 0.05 and there[1] > 0.99 and (there[2:] > 0.8).all()


def test_nothing_is_nothing() -> None:
    decoded = decode(sighting(""))
    assert decoded == Decoded(())


LEAN = 0.6
"""Sine of the angle from straight above under which the throws below are seen."""


def leaning(offsets: list[tuple[float, float]], there: list[float], down: float = 1.0) -> Sighting:
    """Return seven dice far apart, seen from one side, and beside the first of them marks at offsets in die sides."""
    n = 7 + len(offsets)
    seen = sighting(" ".join(["3"] * n), there=there)
    centres = np.array([[300.0 * i, 50.0] for i in range(7)] + [[40 * x, 50 + 40 * y] for x, y in offsets])
    frames = np.repeat(np.diag([40.0, 40.0 * np.sqrt(1 - LEAN**2)])[None], n, axis=0)
    return replace(seen, spots=Spots(centres * (1.0, down), frames, seen.spots.kinds, seen.spots.scores))


UNDER = 0.5 * (np.sqrt(1 - LEAN**2) + LEAN)
"""How far under its top the middle of a side lies that faces the camera."""


def test_a_side_lies_under_its_top() -> None:
    for x, y in ((0.0, UNDER), (0.35, 0.5 * (0.8 * np.sqrt(1 - 0.49) + LEAN)), (0.5, 0.5 * LEAN)):
        fits, up = sides(leaning([(x, y)], [1.0] * 8).spots)
        assert fits[0, 7] == 1 and fits[7, 0] == -1
        assert np.abs(fits).sum() == 2
        assert up == pytest.approx(np.array([[0.0, -1.0]] * 8))
    for x, y in ((0.0, 1.1), (0.9, 0.3), (0.0, 0.3)):
        assert not sides(leaning([(x, y)], [1.0] * 8).spots)[0].any()


def test_dice_seen_from_straight_above_show_no_sides() -> None:
    seen = leaning([(0.0, UNDER)], [1.0] * 8)
    level = replace(seen.spots, frames=np.repeat(np.eye(2)[None] * 40, 8, axis=0))
    assert not sides(level)[0].any()


def test_of_a_top_and_a_clearer_side_the_top_is_the_die() -> None:
    seen = leaning([(0.0, UNDER)], [0.6] + [0.99] * 6 + [0.9])
    there = there_are(DICE, seen)
    assert there[0] > 0.65 and there[7] < 0.01
    assert all(piece.centre[1] == 50 for piece in decode(seen).pieces)
    # what hardly looks like a die does not take the place of one that clearly does
    faint = there_are(DICE, leaning([(0.0, UNDER)], [0.0005] + [0.99] * 6 + [0.95]))
    assert faint[0] < 0.01 and faint[7] > 0.9
    # between the two it is a doubt
    doubt = there_are(DICE, leaning([(0.0, UNDER)], [0.05] + [0.99] * 6 + [0.95]))
    assert 0.3 < doubt.max(where=np.arange(8) % 7 == 0, initial=0) < 0.8


def test_a_photo_upside_down_shows_sides_above_tops() -> None:
    """Where every pair says that the lower one is the clearer die, up is down."""
    offsets = [(7.5 * i, UNDER) for i in range(7)]
    turned = leaning(offsets, [0.99] * 7 + [0.6] * 7, down=-1.0)
    there = there_are(DICE, turned)
    assert there[:7].min() > 0.9 and there[7:].max() < 0.01
