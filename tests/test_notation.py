"""Parsing and printing of states."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardsight.scoring.boards import BOARDS, EASY, HIGHER, NEXUS, ORCHID, Board, Tile
from boardsight.scoring.errors import NotationError
from boardsight.scoring.notation import (
    UNREAD,
    Position,
    State,
    Unread,
    format_position,
    format_state,
    parse_position,
    parse_state,
    parse_tile,
)
from boardsight.scoring.pad import BUTTONS, SHIPS

ALL_FORMS = [form for board in BOARDS.values() for form in board.forms]
FREDDIE = "GP SG / SN SO GH GO / GB GK GJ SD GL SL / SE SM SP SF SH GG / GI SB GD GM / GF GE"


@st.composite
def positions(draw: st.DrawFn, board: Board) -> Position:
    """Draw a position with any mixture of tiles, empty spaces and unread tiles."""
    tiles = draw(st.permutations(board.tile_set.tiles))
    kinds = draw(st.lists(st.sampled_from("ttt-?"), min_size=len(board.cells), max_size=len(board.cells)))
    chosen = {"-": None, "?": UNREAD}
    return Position(board, tuple(chosen.get(kind, tile) for kind, tile in zip(kinds, tiles, strict=False)))


@st.composite
def states(draw: st.DrawFn) -> State:
    """Draw a state of any game."""
    game = draw(st.sampled_from([*{b.game for b in ALL_FORMS}, "take-5", "high-score"]))
    if game == "high-score":
        return State(game, dice=tuple(draw(st.lists(st.sampled_from("12345V"), min_size=1, max_size=8))))
    if game == "take-5":
        card = st.one_of(st.integers(1, 98).map(str), st.sampled_from(["x2", "+5", "??"]))
        hand = st.lists(st.sampled_from(["x2", "+5"]), max_size=3)
        return State(game, cards=tuple(draw(st.lists(card, min_size=1))), hand=tuple(draw(hand)))
    boards = [board for board in ALL_FORMS if board.game == game]
    chosen = draw(st.lists(st.sampled_from(boards), min_size=1, unique_by=lambda board: board.name))
    state = State(game, tuple(draw(positions(board)) for board in chosen))
    if any(board.name == "orchid" for board in chosen):
        kept: list[Tile | Unread] = [*chosen[0].tile_set.tiles, UNREAD]
        reserve = draw(st.lists(st.sampled_from(kept), max_size=3))
        state = replace(state, reserve=tuple(reserve))
    if game == "take-it-higher":
        cells = draw(st.lists(st.sampled_from([c.name for c in HIGHER.cells]), max_size=4, unique=True))
        ships = draw(st.permutations(SHIPS))
        groups = tuple((cell, tuple(ships[i * 2 : i * 2 + 2])) for i, cell in enumerate(cells))
        state = replace(state, ships=groups, ring=draw(st.sampled_from([None, *BUTTONS])))
    return state


@given(states())
def test_round_trip(state: State) -> None:
    line = format_state(state)
    assert parse_state(line, state.game) == state
    assert format_state(parse_state(line, state.game)) == line


@given(states())
def test_repr_rebuilds(state: State) -> None:
    assert eval(repr(state), {"parse_state": parse_state}) == state
    for position in state.positions:
        assert eval(repr(position), {"Position": Position}) == position


@pytest.mark.parametrize("board", ALL_FORMS, ids=lambda b: f"{b.name}.{b.form}")
def test_every_tile_and_cell(board: Board) -> None:
    for tile in board.tile_set.tiles:
        assert parse_tile(tile.text, board.tile_set) is tile
    for cell in board.cells:
        position = Position.empty(board).with_tile(cell.name, board.tile_set.tiles[0])
        assert position.at(cell.name) is board.tile_set.tiles[0]
        assert list(position.placed()) == [(cell.name, board.tile_set.tiles[0])]
        assert parse_position(format_position(position), board) == position


def test_game_is_told_by_name_or_shape() -> None:
    assert parse_state(FREDDIE).game == "take-it-higher"
    assert parse_state(format_position(Position.empty(EASY))).game == "take-it-easy"
    assert parse_state("nexus: " + format_position(Position.empty(NEXUS))).game == "take-it-to-the-limit"
    assert parse_state(format_position(Position.empty(ORCHID))).positions[0].board is ORCHID


def test_form_of_the_orchid_board_is_told_by_its_shape() -> None:
    right = ORCHID.form_named("right")
    text = format_position(Position.empty(right))
    assert parse_state(f"orchid: {text}").positions[0].board is right
    assert parse_state(text, form="right").positions[0].board is right
    assert format_state(parse_state(text)).startswith("orchid.right: ")


def test_form_of_the_octagons_must_be_asked_for() -> None:
    swapped = HIGHER.form_named("swapped")
    assert parse_state(FREDDIE).positions[0].board is HIGHER
    assert parse_state(FREDDIE, form="swapped").positions[0].board is swapped
    assert parse_state(f"higher.swapped: {FREDDIE}").positions[0].board is swapped


def test_ships_and_ring_follow_the_board() -> None:
    state = parse_state(f"{FREDDIE} ; ships: r3.2=white r5.1=green+purple ; ring: 140")
    assert state.ships == (("r3.2", ("white",)), ("r5.1", ("green", "purple")))
    assert state.launched == ("white", "green", "purple")
    assert state.ring == 140


def test_cards_dice_and_hand() -> None:
    pile = parse_state("97 55 x2 +5 hand +5", "take-5")
    assert (pile.cards, pile.hand) == (("97", "55", "x2", "+5"), ("+5",))
    assert parse_state("5 5 5 4 4 2 V", "high-score").dice == ("5", "5", "5", "4", "4", "2", "V")


@pytest.mark.parametrize("space", ["  ", "\t", " \t "])
def test_additional_space_is_accepted(space: str) -> None:
    assert parse_state(FREDDIE.replace(" ", space)) == parse_state(FREDDIE)


def test_full_leaves_orchid_cells_out_of_account() -> None:
    tiles = iter(ORCHID.tile_set.tiles)
    position = Position(ORCHID, tuple(None if c.kind == "orchid" else next(tiles) for c in ORCHID.cells))
    assert position.full
    assert not position.with_tile("c1.1", None).full


@pytest.mark.parametrize(
    ("text", "game", "reason"),
    [
        ("1-2-3m", "limit", "'1-2-3m' does not exist: the tile 1-2-3 is written '1-2-3sg'"),
        ("1-2-8", "limit", "is written '1-2-8s'"),
        ("2-1-3", "easy", "stripe v is one of 1, 5, 9, not 2"),
        ("1-2-3s", "easy", "the tile 1-2-3 is written '1-2-3'"),
        ("GQ", "higher", "'GQ' is no tile of 'higher'"),
    ],
)
def test_a_wrong_tile_says_what_is_right(text: str, game: str, reason: str) -> None:
    tiles = next(b.tile_set for b in BOARDS.values() if b.tile_set.name == game)
    with pytest.raises(NotationError) as caught:
        parse_tile(text, tiles)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("line", "game", "reason"),
    [
        ("", None, "shape of no board"),
        ("GP SG", None, "shape of no board"),
        (FREDDIE.replace("GE", ""), "take-it-higher", "1 cells in row 6"),
        (FREDDIE.replace(" / GF GE", ""), "take-it-higher", "5 rows"),
        (FREDDIE + " ; ring: 30", None, "ring '30'"),
        (FREDDIE + " ; ring: 20 ; ring: 20", None, "'ring' is given twice"),
        (FREDDIE + " ; ships: r3.2=mauve", None, "'mauve'"),
        (FREDDIE + " ; ships: r9.9=white", None, "'r9.9=white'"),
        (FREDDIE + " ; ships: r3.2", None, "CELL=SHIP"),
        (FREDDIE + " ; ships: r3.2=white r3.2=red", None, "given twice"),
        (FREDDIE + " ; ships:", None, "no ship is named"),
        (FREDDIE + " ; reserve: 1-2-3sg", None, "only the orchid board"),
        (FREDDIE + " ; " + FREDDIE, None, "given twice"),
        ("ring: 20 ; " + FREDDIE, None, "must follow the board"),
        (FREDDIE + " ; ring: 20 ; " + FREDDIE, None, "boards come before"),
        ("hexes: " + FREDDIE, None, "is no board here"),
        (": " + FREDDIE, None, "name is missing"),
        ("higher.odd: " + FREDDIE, None, "no form 'odd'"),
        (FREDDIE, "chess", "'chess' is no game"),
        (FREDDIE + "\n" + FREDDIE, None, "more than one line"),
        ("-- -- / -- -- -- / -- -- ; ring: 20", None, "only Take It Higher!"),
        ("6 5", "high-score", "die '6'"),
        ("", "high-score", "no dice"),
        ("", "take-5", "no cards"),
        ("99", "take-5", "card '99'"),
        ("07", "take-5", "card '07'"),
        ("97 hand", "take-5", "no card after 'hand'"),
        ("97 hand 33", "take-5", "only special cards"),
    ],
)
def test_a_wrong_line_is_quoted(line: str, game: str | None, reason: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_state(line, game)
    assert reason in str(caught.value)
    assert "'" in str(caught.value)


def test_a_form_that_no_board_has() -> None:
    with pytest.raises(NotationError, match="'swapped' is no form"):
        parse_state("-- -- -- / -- -- -- -- / -- -- -- -- -- / -- -- -- -- / -- -- --", "take-it-easy", "swapped")


def test_position_of_the_wrong_size() -> None:
    with pytest.raises(ValueError, match="19 cells, not 3"):
        Position(EASY, (None, None, None))


LINES = [
    FREDDIE + " ; ships: r3.2=white r5.1=green+purple ; ring: 140",
    "nexus: " + format_position(Position(NEXUS, NEXUS.tile_set.tiles[:37])),
    "orchid: " + format_position(Position(ORCHID, ORCHID.tile_set.tiles[:25])) + " ; reserve: 1-11-10s 9-11-10s",
    format_position(Position(EASY, EASY.tile_set.tiles[:19])),
]


def mutate(line: str, rng: random.Random) -> str:
    """Return the line with one to four letters or words deleted, doubled, swapped or replaced."""
    letters = list(line)
    for _ in range(rng.randint(1, 4)):
        i = rng.randrange(len(letters)) if letters else 0
        what = rng.randrange(5)
        if what == 0 and letters:
            del letters[i]
        elif what == 1:
            letters.insert(i, rng.choice("GSAP19-/;:= \t+?x%sé\n\0"))
        elif what == 2 and letters:
            letters[i] = rng.choice("GSAP19-/;:= +?xsmgv")
        elif what == 3 and letters:
            j = rng.randrange(len(letters))
            letters[i], letters[j] = letters[j], letters[i]
        else:
            j = min(len(letters), i + rng.randint(1, 20))
            letters[i:j] = []
    return "".join(letters)


def fuzz(count: int, seed: int = 7) -> tuple[int, int]:
    """Parse mutated lines; return how many were refused and how many accepted.

    Raises AssertionError for an error that quotes nothing and for an accepted line that does not come back; any
    error but a NotationError is let through.
    """
    rng = random.Random(seed)
    lines = [(line, parse_state(line).game) for line in LINES]
    lines += [("97 55 x2 +5 hand +5", "take-5"), ("5 5 5 4 4 2 V", "high-score")]
    games = [game for _, game in lines]
    refused = accepted = 0
    for _ in range(count):
        line, own = rng.choice(lines)
        line = mutate(line, rng)
        game = rng.choice([own, own, own, None, rng.choice(games)])
        try:
            state = parse_state(line, game, rng.choice(["", "", "", "swapped", "right"]))
        except NotationError as error:
            refused += 1
            if "'" not in str(error) and '"' not in str(error):
                raise AssertionError(f"{line!r}: {error} quotes nothing") from error
        else:
            accepted += 1
            if parse_state(format_state(state), state.game) != state:
                raise AssertionError(f"{line!r} does not come back")
    return refused, accepted


def test_mutated_lines_give_parse_errors_and_nothing_else() -> None:
    refused, accepted = fuzz(3000)
    assert refused > 1500
    assert accepted > 60


@pytest.mark.slow
def test_a_hundred_thousand_mutated_lines() -> None:
    refused, accepted = fuzz(100_000, seed=11)
    assert refused + accepted == 100_000
