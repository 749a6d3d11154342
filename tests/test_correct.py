"""Boards that are read again with some spaces set by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from boardsight.scoring.boards import BOARDS, EASY, HIGHER, NEXUS, ORCHID, SCRAPYARD, Board
from boardsight.vision.correct import CorrectionError, choices, correct, pack, unpack
from boardsight.vision.decode import Evidence, decode_together
from boardsight.vision.reading import EMPTY, UNREAD, BoardReading, CellReading


def evidence_of(board: Board, texts: Sequence[str], sure: float = 0.999) -> Evidence:
    """Return evidence in which every head gives the right label that probability and shares out the rest."""

    def row(count: int, right: int) -> list[float]:
        return [math.log(sure if k == right else (1 - sure) / max(1, count - 1)) for k in range(count)]

    kinds = [{EMPTY: 1, UNREAD: 2}.get(text, 0) for text in texts]
    heads, labels = {}, {}
    for attribute in board.tile_set.attributes:
        rows = []
        for text in texts:
            tile = board.tile_set.by_text.get(text)
            right = attribute.labels.index(tile.get(attribute.name)) if tile else 0
            rows.append(row(len(attribute.labels), right))
        heads[attribute.name] = np.array(rows, np.float32)
        labels[attribute.name] = attribute.labels
    return Evidence(np.array([row(3, kind) for kind in kinds], np.float32), heads, labels)


def mix(evidence: Evidence, one: int, other: int, share: float) -> None:
    """Let two spaces look like each other: each shows that share of what the other one does."""
    for rows in (evidence.what, *evidence.heads.values()):
        a, b = np.exp(rows[one]), np.exp(rows[other])
        rows[one], rows[other] = np.log((1 - share) * a + share * b), np.log((1 - share) * b + share * a)


def read(pairs: Sequence[tuple[Board, Evidence]], way: float = 1.0) -> tuple[BoardReading, ...]:
    """Return boards as the reader would, lying straight."""
    boards = []
    for (board, evidence), decoded in zip(pairs, decode_together(pairs), strict=True):
        cells = tuple(
            CellReading(
                cell.name,
                decoded.tiles[i],
                decoded.confidence[i] * way,
                board.centres[i],
                runner_up=decoded.runner_up[i],
                certain=decoded.confidence[i] * way > 0.99,
            )
            for i, cell in enumerate(board.cells)
        )
        boards.append(BoardReading(board, cells, (1, 0, 0, 0, 1, 0, 0, 0, 1), evidence=evidence, way=way))
    return tuple(boards)


def tiles_for(board: Board, seed: int = 0) -> list[str]:
    order = np.random.default_rng(seed).permutation(len(board.tile_set.tiles))
    return [board.tile_set.tiles[k].text for k in order[: len(board.cells)]]


def texts_of(board: BoardReading) -> list[str]:
    return [cell.tile for cell in board.cells]


def alike(board: Board, texts: Sequence[str]) -> tuple[int, int]:
    """Return two spaces whose tiles differ in one stripe only (of Take It Higher!, in the stud)."""
    tiles = [board.tile_set.by_text[text] for text in texts]
    names = [a.name for a in board.tile_set.attributes if a.stripe]
    for i, one in enumerate(tiles):
        for j in range(i + 1, len(tiles)):
            if sum(one.get(name) != tiles[j].get(name) for name in names) <= 1:
                return i, j
    raise AssertionError("no two tiles are alike")


def check_one_correction_mends_both(board: Board, i: int, j: int, share: float) -> None:
    right = tiles_for(board, 3)
    evidence = evidence_of(board, right)
    mix(evidence, i, j, share)
    seen = read([(board, evidence)])
    wrong = list(right)
    wrong[i], wrong[j] = right[j], right[i]
    assert texts_of(seen[0]) == wrong
    for at in (i, j):
        (mended,) = correct(seen, [{board.cells[at].name: right[at]}])
        assert texts_of(mended) == right
        assert mended.cells[at].certain
        assert mended.cells[at].confidence == 1


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("share", [0.9, 1.0])
def test_one_correction_mends_two_swapped_tiles(name: str, share: float) -> None:
    check_one_correction_mends_both(BOARDS[name], 1, 4, share)


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("share", [0.55, 0.7])
def test_one_correction_mends_two_tiles_that_were_taken_for_each_other(name: str, share: float) -> None:
    check_one_correction_mends_both(BOARDS[name], *alike(BOARDS[name], tiles_for(BOARDS[name], 3)), share)


def test_a_correction_frees_a_tile_and_takes_one() -> None:
    right = tiles_for(EASY)
    evidence = evidence_of(EASY, right, 0.9)
    spare = next(t.text for t in EASY.tile_set.tiles if t.text not in right)
    seen = read([(EASY, evidence)])
    (board,) = correct(seen, [{"c1.1": spare}])
    assert texts_of(board) == [spare, *right[1:]]
    # a tile that lies on another space is taken from there, and that space reads something else
    (board,) = correct(seen, [{"c1.1": right[5]}])
    assert board.cells[0].tile == right[5]
    assert board.cells[5].tile != right[5]
    assert len(set(texts_of(board))) == len(right)


def test_any_tile_and_an_empty_space_may_be_set() -> None:
    seen = read([(EASY, evidence_of(EASY, tiles_for(EASY)))])
    for tile in (*EASY.tile_set.by_text, EMPTY):
        (board,) = correct(seen, [{"c3.3": tile}])
        assert board.cells[board.board.index["c3.3"]].tile == tile
        held = [text for text in texts_of(board) if text not in (EMPTY, UNREAD)]
        assert len(set(held)) == len(held)


def test_boards_that_share_tiles_are_read_together() -> None:
    right = tiles_for(NEXUS, 5)
    yard = [t.text for t in NEXUS.tile_set.tiles if t.text not in right][:7]
    seen = read([(NEXUS, evidence_of(NEXUS, right, 0.9)), (SCRAPYARD, evidence_of(SCRAPYARD, yard, 0.9))])
    nexus, scrapyard = correct(seen, [{"c1.1": yard[0]}, {}])
    assert nexus.cells[0].tile == yard[0]
    assert scrapyard.cells[0].tile != yard[0]


def test_tiles_of_the_reserve_are_gone_from_the_board() -> None:
    right = tiles_for(ORCHID, 2)
    seen = read([(ORCHID, evidence_of(ORCHID, right, 0.9))])
    (board,) = correct(seen, [{}], taken={right[2]})
    assert right[2] not in texts_of(board)
    with pytest.raises(CorrectionError, match="reserve"):
        correct(seen, [{"c1.1": right[2]}], taken={right[2]})


def test_without_a_correction_nothing_changes() -> None:
    seen = read([(HIGHER, evidence_of(HIGHER, tiles_for(HIGHER)))], way=0.9)
    assert correct(seen, [{}]) == seen
    assert not seen[0].certain
    (settled,) = correct(seen, [{}], settled=True)
    assert settled.certain
    assert settled.way == 1
    assert texts_of(settled) == texts_of(seen[0])
    # what is set by hand is certain, the rest is as doubtful as the way the board lies
    (one,) = correct(seen, [{"r1.1": seen[0].cells[0].tile}])
    assert [cell.certain for cell in one.cells] == [True, *[False] * 23]


@pytest.mark.parametrize(
    ("fixed", "words"),
    [
        ([{"c9.9": "9-2-3"}], "no space 'c9.9'"),
        ([{"c1.1": "9-9-9"}], "'9-9-9' is no tile"),
        ([{"c1.1": "9-2-3", "c1.2": "9-2-3"}], "set on Take It Easy! c1.1 and on Take It Easy! c1.2"),
        ([{}, {}], "1 boards"),
    ],
)
def test_what_cannot_be_is_refused(fixed: list[dict[str, str]], words: str) -> None:
    seen = read([(EASY, evidence_of(EASY, tiles_for(EASY)))])
    with pytest.raises(CorrectionError, match=words.replace("!", r"\!")):
        correct(seen, fixed)
    with pytest.raises(CorrectionError):
        choices(seen, [{}], 0, "c9.9")


def test_choices_have_every_tile_the_likeliest_first() -> None:
    right = tiles_for(EASY)
    i, j = alike(EASY, right)
    here, there = EASY.cells[i].name, EASY.cells[j].name
    evidence = evidence_of(EASY, right, 0.95)
    mix(evidence, i, j, 0.4)
    seen = read([(EASY, evidence)])
    found = choices(seen, [{}], 0, here)
    assert sorted(c.text for c in found) == sorted([*EASY.tile_set.by_text, EMPTY])
    assert [c.text for c in found[:2]] == [right[i], right[j]]
    assert [c.elsewhere for c in found[:2]] == ["", there]
    assert 0.9 < sum(c.probability for c in found) < 1.001
    assert all(a.probability >= b.probability for a, b in zip(found, found[1:], strict=False))
    # a tile that was set elsewhere by hand can still be chosen, last of all
    found = choices(seen, [{there: right[i]}], 0, here)
    assert found[0].text == right[j]
    last = next(c for c in found if c.text == right[i])
    assert last.by_hand
    assert last.probability == 0
    # and what was set here does not hide what the photo says
    assert choices(seen, [{here: right[j]}], 0, here)[0].text == right[i]


def test_boards_without_evidence_keep_what_they_hold(make_board: Callable[..., BoardReading]) -> None:
    board = make_board("scrapyard", "1-2-3sg -- / -- 4-6-8s -- / -- --")
    (laid,) = correct([board], [{"c1.2": "1-2-3sg"}])
    assert laid.notation == "?? 1-2-3sg / -- 4-6-8s -- / -- --"
    assert not laid.cells[0].certain
    assert {c.text for c in choices([board], [{}], 0, "c1.2")} == {*NEXUS.tile_set.by_text, EMPTY}


def test_evidence_comes_back_as_it_was() -> None:
    right = tiles_for(NEXUS, 5)
    seen = read([(NEXUS, evidence_of(NEXUS, right))])
    bare = tuple(replace(board, evidence=None) for board in seen)
    (back,) = unpack(pack(seen), bare)
    assert back.evidence is not None
    assert seen[0].evidence is not None
    assert np.array_equal(back.evidence.what, seen[0].evidence.what)
    assert back.evidence.labels == seen[0].evidence.labels
    for name, rows in seen[0].evidence.heads.items():
        assert np.array_equal(back.evidence.heads[name], rows)
    assert unpack(pack(bare), bare) == bare
    for damaged in (b"", b"PK\x03\x04", pack(seen)[:-40]):
        with pytest.raises(CorrectionError):
            unpack(damaged, bare)
