"""The joint decoding of a board from the log probabilities of its cells."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from boardsight.scoring.boards import BOARDS, EASY, HIGHER, NEXUS, ORCHID, SCRAPYARD, Board, TileSet
from boardsight.vision.decode import HEAD_FLOOR, UNREAD_PENALTY, WHAT_FLOOR, Decoded, Evidence, decode, decode_together

LABELS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "hexagon": {
        "v": ("1", "4", "5", "9", "12"),
        "u": ("2", "6", "7", "11"),
        "d": ("3", "4", "5", "8", "10"),
        "symbol": ("", "s", "m"),
        "bonus": ("", "v", "g"),
    },
    "octagon": {
        **{attribute.name: attribute.labels for attribute in HIGHER.tile_set.attributes},
        "unknown": ("a", "b"),
    },
}


def log_softmax(values: NDArray[np.float64]) -> NDArray[np.float32]:
    shifted = values - values.max(axis=1, keepdims=True)
    logs: NDArray[np.float32] = (shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))).astype(np.float32)
    return logs


def one_hot(column: int, count: int, sure: float = 8.0) -> NDArray[np.float64]:
    return np.where(np.arange(count) == column, sure, 0.0)


def evidence_of(board: Board, texts: Sequence[str], noise: float = 0.0, seed: int = 0, sure: float = 8.0) -> Evidence:
    """Return what a good classifier says about a board with these tiles."""
    rng = np.random.default_rng(seed)
    labels = LABELS[board.tile_set.shape]
    kinds = [{"--": 1, "??": 2}.get(text, 0) for text in texts]
    raw = {"": np.array([one_hot(kind, 3, sure) for kind in kinds])}
    for name, shown in labels.items():
        rows = []
        for text in texts:
            tile = board.tile_set.by_text.get(text)
            has = tile is not None and name in dict(tile.shows)
            label = tile.get(name) if tile is not None and has else ""
            rows.append(one_hot(shown.index(label), len(shown), sure) if label in shown else np.zeros(len(shown)))
        raw[name] = np.array(rows)
    logs = {name: log_softmax(values + rng.normal(0, noise, values.shape)) for name, values in raw.items()}
    return Evidence(logs.pop(""), logs, labels)


def swap(evidence: Evidence, cell: int, name: str, label: str) -> None:
    """Make one head wrongly sure."""
    labels = evidence.labels[name]
    evidence.heads[name][cell] = log_softmax(one_hot(labels.index(label), len(labels), 30.0)[None])[0]


def burn(evidence: Evidence, cell: int) -> None:
    """Make all heads say nothing."""
    for values in evidence.heads.values():
        values[cell] = -math.log(values.shape[1])


def some_tiles(board: Board, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [board.tile_set.tiles[t].text for t in rng.permutation(len(board.tile_set.tiles))[: len(board.cells)]]


@pytest.mark.parametrize("name", BOARDS)
def test_a_clear_board_is_read_and_sure(name: str) -> None:
    board = BOARDS[name]
    texts = some_tiles(board, 1)
    decoded = decode(board, evidence_of(board, texts, 0.3))
    assert list(decoded.tiles) == texts
    assert min(decoded.confidence) > 0.95
    assert all(other and other != text for other, text in zip(decoded.runner_up, texts, strict=True))
    assert -2 < decoded.mean_log_likelihood < 0
    assert decoded.log_likelihood == pytest.approx(decoded.mean_log_likelihood * len(texts))


@pytest.mark.parametrize("board", [EASY, NEXUS, ORCHID, HIGHER])
def test_empty_spaces_and_things_that_are_no_tiles(board: Board) -> None:
    texts = some_tiles(board, 2)
    texts[::2] = ["--"] * len(texts[::2])
    texts[3] = "??"
    decoded = decode(board, evidence_of(board, texts, 0.3))
    assert list(decoded.tiles) == texts
    assert min(decoded.confidence) > 0.9
    bare = decode(board, evidence_of(board, ["--"] * len(texts)))
    assert set(bare.tiles) == {"--"}
    assert bare.mean_log_likelihood == 0


def test_one_wrong_head_is_outvoted() -> None:
    texts = some_tiles(HIGHER, 3)
    evidence = evidence_of(HIGHER, texts)
    tile = HIGHER.tile_set.by_text[texts[5]]
    swap(evidence, 5, "letter", "A" if tile.get("letter") != "A" else "P")
    assert list(decode(HIGHER, evidence).tiles) == texts
    at = next(i for i, text in enumerate(texts) if HIGHER.tile_set.by_text[text].get("white-red") == "1")
    evidence = evidence_of(HIGHER, texts)
    swap(evidence, at, "white-red", "8")
    assert list(decode(HIGHER, evidence).tiles) == texts


def test_a_tile_exists_once() -> None:
    texts = ["1-2-3", "1-2-4", *["--"] * 17]
    evidence = evidence_of(EASY, texts)
    for cell, (three, four) in enumerate([(0.99, 0.009), (0.6, 0.39)]):
        evidence.heads["d"][cell] = np.log([three, four, 2e-4, 4e-4, 4e-4])
    decoded = decode(EASY, evidence)
    assert decoded.tiles[:2] == ("1-2-3", "1-2-4")
    assert decoded.runner_up[:2] == ("1-2-4", "1-2-3")
    assert decoded.margin[0] == pytest.approx(decoded.margin[1])
    assert decoded.margin[0] == pytest.approx(math.log(0.99 * 0.39 / 0.6 / 0.009), abs=1e-4)


def test_a_burnt_out_tile_is_the_one_that_is_left_or_in_doubt() -> None:
    pool = [tile.text for tile in EASY.tile_set.tiles]
    evidence = evidence_of(EASY, pool[:19])
    burn(evidence, 7)
    left = decode(EASY, evidence, taken=frozenset([*pool[19:], "--"]))
    assert list(left.tiles) == pool[:19]
    assert left.confidence[7] > 0.9
    doubt = decode(EASY, evidence)
    assert doubt.tiles[7] in {pool[7], *pool[19:]}
    assert doubt.confidence[7] == pytest.approx(1 / 9, abs=0.01)
    assert min(c for i, c in enumerate(doubt.confidence) if i != 7) > 0.9


def test_a_cell_set_by_hand_mends_another() -> None:
    texts = ["1-2-3", "1-2-4", *["--"] * 17]
    evidence = evidence_of(EASY, texts)
    evidence.heads["d"][:2] = np.log([[0.6, 0.39, 2e-3, 4e-3, 4e-3], [0.7, 0.29, 2e-3, 4e-3, 4e-3]])
    assert decode(EASY, evidence).tiles[:2] == ("1-2-4", "1-2-3")
    mended = decode(EASY, evidence, fixed={0: "1-2-3", 5: "??", 6: "9-7-8"})
    assert mended.tiles[:2] == ("1-2-3", "1-2-4")
    assert mended.tiles[5:7] == ("??", "9-7-8")
    assert mended.confidence[0] == 1 and mended.margin[0] == math.inf and mended.runner_up[0] == ""
    assert "1-2-3" not in mended.runner_up
    assert decode(EASY, evidence, fixed=dict(enumerate(texts))).tiles == tuple(texts)


def test_boards_of_one_player_share_the_tiles() -> None:
    pool = [tile.text for tile in np.random.default_rng(4).permutation(np.array(NEXUS.tile_set.tiles, dtype=object))]
    nexus, scrapyard = evidence_of(NEXUS, pool[:37]), evidence_of(SCRAPYARD, pool[37:44])
    burn(scrapyard, 2)
    apart = decode(SCRAPYARD, scrapyard)
    first, second = decode_together([(NEXUS, nexus), (SCRAPYARD, scrapyard)])
    assert list(first.tiles) == pool[:37]
    assert second.tiles[2] in {pool[39], *pool[44:]}
    assert second.confidence[2] == pytest.approx(1 / 21, abs=0.01)
    assert apart.confidence[2] == pytest.approx(1 / 58, abs=0.01)
    first, second = decode_together(
        [(NEXUS, nexus), (SCRAPYARD, scrapyard)], fixed=[{}, {2: pool[0]}], taken={pool[50]}
    )
    assert second.tiles[2] == pool[0] and pool[0] not in first.tiles
    assert decode_together([]) == ()


def brute_force(board: Board, evidence: Evidence) -> tuple[tuple[str, ...], list[dict[str, float]]]:
    """Return the best board and, for each cell, the best total with each of its readings, by trying everything."""
    tiles = board.tile_set.tiles
    scores: list[dict[str, float]] = []
    for i in range(len(board.cells)):
        sums = {
            tile.text: sum(
                max(float(evidence.heads[name][i, evidence.labels[name].index(label)]), HEAD_FLOOR)
                for name, label in tile.shows
            )
            for tile in tiles
        }
        tile, space, other = (max(float(value), WHAT_FLOOR) for value in evidence.what[i])
        level = max(sums.values())
        scores.append({text: tile + value for text, value in sums.items()})
        scores[-1] |= {"--": space + level, "??": other + level - UNREAD_PENALTY}
    best: list[dict[str, float]] = [{} for _ in scores]
    top, winner = -math.inf, tuple[str, ...]()
    for texts in itertools.product(*scores):
        held = [text for text in texts if text not in ("--", "??")]
        if len(set(held)) < len(held):
            continue
        total = sum(score[text] for score, text in zip(scores, texts, strict=True))
        for cell, text in zip(best, texts, strict=True):
            cell[text] = max(cell.get(text, -math.inf), total)
        if total > top:
            top, winner = total, texts
    return winner, best


@pytest.mark.parametrize("seed", range(12))
def test_the_same_as_trying_everything(seed: int) -> None:
    rng = np.random.default_rng(seed)
    few = TileSet("few", "hexagon", NEXUS.tile_set.attributes, NEXUS.tile_set.tiles[: (3, 4, 5)[seed % 3]])
    board = replace(SCRAPYARD, cells=SCRAPYARD.cells[:5], groups=(2, 3), tile_set=few)
    texts = [few.tiles[t].text for t in rng.integers(len(few.tiles), size=5)]
    evidence = evidence_of(board, texts, 2.0, seed, sure=2.0)
    evidence.what[:, 0] += 3
    temperature = 1.0 + seed % 2
    decoded = decode(board, evidence, temperature=temperature)
    winner, best = brute_force(board, evidence)
    assert decoded.tiles == winner
    for i, totals in enumerate(best):
        top = totals.pop(winner[i])
        second = max(totals, key=lambda text: totals[text])
        assert decoded.runner_up[i] == second
        assert decoded.margin[i] == pytest.approx(top - totals[second], abs=1e-9)
        weights = sum(math.exp((total - top) / temperature) for total in totals.values())
        assert decoded.confidence[i] == pytest.approx(1 / (1 + weights))
        assert decoded.confidence[i] <= 1 / (1 + math.exp(-decoded.margin[i] / temperature)) + 1e-12


def test_infinite_log_probabilities() -> None:
    texts = some_tiles(NEXUS, 5)
    evidence = evidence_of(NEXUS, texts)
    for values in (evidence.what, *evidence.heads.values()):
        values[values < -3] = -np.inf
    decoded = decode(NEXUS, evidence)
    assert list(decoded.tiles) == texts
    assert np.isfinite(decoded.margin).all()


def test_what_is_refused() -> None:
    evidence = evidence_of(EASY, some_tiles(EASY, 6))
    for fixed in ({19: "--"}, {-1: "--"}, {0: "1-2-5"}, {0: "1-2-3", 1: "1-2-3"}):
        with pytest.raises(ValueError):
            decode(EASY, evidence, fixed=fixed)
    with pytest.raises(ValueError, match="elsewhere"):
        decode(EASY, evidence, fixed={0: "1-2-3"}, taken=frozenset(["1-2-3"]))
    with pytest.raises(ValueError, match="temperature"):
        decode(EASY, evidence, temperature=0)
    with pytest.raises(ValueError, match="37 cells"):
        decode(NEXUS, evidence)
    with pytest.raises(ValueError, match="one tile set"):
        decode_together([(EASY, evidence), (NEXUS, evidence)])
    with pytest.raises(ValueError, match="2"):
        decode_together([(EASY, evidence)], fixed=[{}, {}])
    with pytest.raises(ValueError, match="head 'v'"):
        decode(EASY, replace(evidence, heads={"v": evidence.heads["v"][:, :3]}))
    with pytest.raises(ValueError, match="lacks"):
        decode(EASY, replace(evidence, heads={"v": evidence.heads["v"]}, labels={"v": ("1", "2", "3", "4", "5")}))


def test_it_is_fast() -> None:
    evidence = evidence_of(NEXUS, some_tiles(NEXUS, 7), 3.0, sure=3.0)

    def run() -> tuple[float, Decoded]:
        start = time.perf_counter()
        decoded = decode(NEXUS, evidence)
        return time.perf_counter() - start, decoded

    runs = [run() for _ in range(10)]
    assert min(seconds for seconds, _ in runs) < 0.015
    assert len({decoded for _, decoded in runs}) == 1


def test_where_no_tile_was_marked_an_empty_space_is_likelier_than_an_unread_tile() -> None:
    texts = [*some_tiles(EASY, 3)[:-1], "--"]
    evidence = evidence_of(EASY, texts)
    evidence.what[-1] = np.log([0.01, 0.03, 0.96])
    marked = np.array([text != "--" for text in texts])
    assert decode(EASY, replace(evidence, marked=np.ones(19, bool))).tiles[-1] == "??"
    unmarked = decode(EASY, replace(evidence, marked=marked))
    assert unmarked.tiles[-1] == "--"
    # what looks like neither is in doubt, whatever is said beforehand
    assert unmarked.confidence[-1] <= 0.04 + 1e-6
    assert min(unmarked.confidence[:-1]) > 0.99
