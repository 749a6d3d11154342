"""Dice: faces, mirrored throws, doubtful ones, and how many there are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boardsight.scoring.highscore import DICE as SEVEN
from boardsight.scoring.notation import DICE_FACES
from boardsight.vision.dice import DICE, FACES, face_probabilities, presence
from boardsight.vision.pieces import Decoded, Sighting, Spots


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
    decoded = decode(sighting("1 2 3 4 5 V 6"))
    assert texts(decoded) == ["6", "V", "5", "4", "3", "2", "1"]
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


def test_a_throw_in_a_mirror_is_read_and_said() -> None:
    decoded = decode(sighting("1 2 3 4 5 V 2", mirrored=True))
    assert texts(decoded) == ["2", "V", "5", "4", "3", "2", "1"]
    assert "mirrored" in decoded.warnings[0]
    faces, turned = face_probabilities(sighting("2 5", mirrored=True).heads["face"].astype(float), 1.0)
    assert turned > 0.9 and faces.sum(1) == pytest.approx(1)


def test_one_die_alone_does_not_make_a_mirror() -> None:
    says = np.log(np.full((1, 14), 1e-6))
    says[0, FACES.index("2") + 7], says[0, FACES.index("5")] = np.log(0.6), np.log(0.4)
    faces, turned = face_probabilities(says, 1.0)
    assert turned < 0.05
    assert FACES[int(faces[0].argmax())] == "5"


def test_the_expected_number_decides_about_doubtful_marks() -> None:
    eight = sighting("1 2 3 4 5 V 1 2", there=[1, 1, 1, 1, 1, 1, 1, 0.6])
    assert len(decode(eight).pieces) == 7
    assert not decode(eight).complete
    assert "may be a die (60 % sure)" in decode(eight).warnings[0]
    assert len(decode(eight, 8).pieces) == 8
    assert not decode(eight, 8).pieces[0].certain
    assert len(decode(eight, None).pieces) == 8
    faint = sighting("1 2 3 4 5 V 1", there=[1, 1, 1, 1, 1, 1, 0.3])
    assert len(decode(faint).pieces) == 7
    assert not decode(faint).pieces[0].certain


def test_eight_clear_dice_are_eight_and_six_are_six() -> None:
    assert len(decode(sighting("1 2 3 4 5 V 1 2")).pieces) == 8
    six = decode(sighting("1 2 3 4 5 V"))
    assert len(six.pieces) == 6 and six.complete


def test_a_low_mark_is_less_likely_a_die() -> None:
    assert presence(sighting("1 2", scores=[0.9, 0.25])) == pytest.approx([1.0, 0.5], abs=1e-6)


def test_dice_are_alike_in_size() -> None:
    seen = sighting("1 2 3 4")
    frames = seen.spots.frames.copy()
    frames[2] *= 0.3
    odd = replace(seen, spots=replace(seen.spots, frames=frames))
    assert presence(odd) == pytest.approx([1.0, 1.0, 0.1, 1.0], abs=1e-6)


def test_nothing_is_nothing() -> None:
    decoded = decode(sighting(""))
    assert decoded == Decoded(())
