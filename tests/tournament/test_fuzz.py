"""A small run of the fuzz; ``make fuzz`` is the large one."""

from __future__ import annotations

import pytest
from tests.tournament.faults import truth
from tests.tournament.fuzz import DAMAGES, bases, damaged, fuzz, wrong

from boardsight.tournament.work import failure
from boardsight.vision.photo import Photo, decode
from boardsight.vision.reading import Fault


@pytest.mark.slow
def test_damaged_photos_neither_crash_nor_hang_nor_lie() -> None:
    tally = fuzz(72, 7, 60.0)
    assert tally.wrong == []
    assert tally.processes == 1
    assert tally.codes["truncated"] > 0
    assert tally.codes["read"] + tally.codes["read, with doubt"] > 0


@pytest.mark.slow
def test_each_file_is_damaged_and_the_same_every_time() -> None:
    whole = bases()
    files = [damaged(number, whole, 3) for number in range(len(whole) * len(DAMAGES))]
    assert files == [damaged(number, whole, 3) for number in range(len(files))]
    assert len({what.partition(": ")[2] for what, _, _ in files}) == len(files)
    originals = {data for _, data in whole.values()}
    assert sum(data in originals for _, _, data in files) <= 2  # zeros wiped, or a part repeated at the end


@pytest.mark.slow
def test_an_iphone_photo_without_a_picture_is_a_fault() -> None:
    # Found by the fuzz: libheif opens such a file and finds no picture in it.
    whole = bases()
    for number in (1115, 2552, 3482, 3707, 4052, 4127, 4130):
        what, _, data = damaged(number, whole, 1)
        assert "HEIC" in what
        found = decode(data, "a.heic")
        assert isinstance(found, (Fault, Photo))


def test_what_counts_as_wrong() -> None:
    right = [{"board": board, "notation": text} for board, text in truth("easy_1").items()]
    assert wrong({"boards": right, "certain": True}, "easy_1") == ""
    assert wrong({"boards": right, "certain": True}, "orchid_1") != ""
    assert wrong({"boards": right, "certain": False}, "orchid_1") == ""
    assert wrong(failure("truncated", "x"), "easy_1") == ""
    assert wrong(failure("failed", "x"), "easy_1") != ""
    assert wrong(failure("too-slow", "x"), "easy_1") != ""
