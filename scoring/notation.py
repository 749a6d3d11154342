"""Parse and print game states: one line of text for every state.

Parsing and printing are exact inverses: ``parse_state(format_state(state)) == state``, and a line in the
printed form comes back letter by letter. Additional space between the parts of a line is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from boardsight.scoring.boards import BOARDS, Board, Tile, TileSet, boards_of
from boardsight.scoring.errors import NotationError
from boardsight.scoring.pad import BUTTONS, SHIPS

GAMES: tuple[str, ...] = ("take-it-higher", "take-it-to-the-limit", "take-it-easy", "take-5", "high-score")

EMPTY_TEXT = "--"
UNREAD_TEXT = "??"


class Unread(Enum):
    """The type of ``UNREAD``: a tile, card or die that is there but could not be read."""

    UNREAD = UNREAD_TEXT

    def __repr__(self) -> str:
        return "UNREAD"

    def __str__(self) -> str:
        return UNREAD_TEXT


UNREAD = Unread.UNREAD
"""A tile that is there but could not be read, ``??`` in the notation."""

Occupant = Tile | Unread | None
"""What lies on a cell: a tile, an unread one, or nothing."""

DICE_FACES: tuple[str, ...] = ("1", "2", "3", "4", "5", "V")
LAST_CARD = 98
"""The highest number that a card of Take 5! may bear here; the table of heads knows it too."""
SPECIAL_CARDS: tuple[str, ...] = ("x2", "+5")


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """One board with what lies on each of its cells, in the order of ``board.cells``."""

    board: Board
    tiles: tuple[Occupant, ...]

    def __post_init__(self) -> None:
        if len(self.tiles) != len(self.board.cells):
            raise ValueError(f"board {self.board.name!r} has {len(self.board.cells)} cells, not {len(self.tiles)}")

    @classmethod
    def empty(cls, board: Board) -> Position:
        """Return the board with nothing on it."""
        return cls(board, (None,) * len(board.cells))

    @classmethod
    def parse(cls, text: str, name: str, form: str = "") -> Position:
        """Return the position that a text gives on the board of that name and form."""
        return parse_position(text, BOARDS[name].form_named(form))

    def at(self, cell: str) -> Occupant:
        """Return what lies on the cell of that name."""
        return self.tiles[self.board.index[cell]]

    def with_tile(self, cell: str, tile: Occupant) -> Position:
        """Return the position with one cell changed."""
        i = self.board.index[cell]
        return Position(self.board, (*self.tiles[:i], tile, *self.tiles[i + 1 :]))

    @property
    def full(self) -> bool:
        """Return True where every space, orchid cells apart, has a tile on it."""
        return all(t is not None for t, c in zip(self.tiles, self.board.cells, strict=True) if c.kind == "space")

    def placed(self) -> Iterator[tuple[str, Tile]]:
        """Yield the name of each cell with a readable tile, and the tile."""
        for cell, tile in zip(self.board.cells, self.tiles, strict=True):
            if isinstance(tile, Tile):
                yield cell.name, tile

    def __str__(self) -> str:
        return format_position(self)

    def __repr__(self) -> str:
        form = f", {self.board.form!r}" if self.board.form else ""
        return f"Position.parse({format_position(self)!r}, {self.board.name!r}{form})"


@dataclass(frozen=True, slots=True, repr=False)
class State:
    """A player's whole state in one game: boards and what goes with them, or a pile of cards, or dice."""

    game: str
    positions: tuple[Position, ...] = ()
    reserve: tuple[Tile | Unread, ...] = ()
    """Orchid: tiles kept for relocation."""
    ships: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Take It Higher!: cell name and the ships that stand there."""
    ring: int | None = None
    """Take It Higher!: button that the ring rests on; None if the text does not say."""
    cards: tuple[str, ...] = ()
    """Take 5!: the pile."""
    hand: tuple[str, ...] = ()
    """Take 5!: special cards still in hand."""
    dice: tuple[str, ...] = ()
    """High Score: faces ``1`` to ``5`` and ``V``."""

    @property
    def launched(self) -> tuple[str, ...]:
        """Return the ships that stand on the board, in the order of the launch pad."""
        on_board = {ship for _, ships in self.ships for ship in ships}
        return tuple(ship for ship in SHIPS if ship in on_board)

    def position(self, name: str) -> Position | None:
        """Return the position on the board of that name, or None if the state has no such board."""
        for position in self.positions:
            if position.board.name == name:
                return position
        return None

    def __str__(self) -> str:
        return format_state(self)

    def __repr__(self) -> str:
        return f"parse_state({format_state(self)!r}, {self.game!r})"


# ---------------------------------------------------------------- printing


def _groups(texts: Sequence[str], sizes: Iterable[int]) -> str:
    groups, at = [], 0
    for size in sizes:
        groups.append(" ".join(texts[at : at + size]))
        at += size
    return " / ".join(groups)


def tile_text(tile: Occupant) -> str:
    """Return the notation of what lies on a cell."""
    return EMPTY_TEXT if tile is None else str(tile)


def format_position(position: Position) -> str:
    """Return the cells of a board as one line, without the board's name."""
    return _groups([tile_text(tile) for tile in position.tiles], position.board.groups)


def format_state(state: State) -> str:
    """Return the state as one line; the inverse of ``parse_state``."""
    if state.game == "high-score":
        return " ".join(state.dice)
    if state.game == "take-5":
        return " ".join((*state.cards, *(("hand", *state.hand) if state.hand else ())))
    parts = []
    named = len(boards_of(state.game)) > 1
    for position in state.positions:
        board = position.board
        name = f"{board.name}.{board.form}: " if board.form else f"{board.name}: " if named else ""
        parts.append(name + format_position(position))
    if state.reserve:
        parts.append("reserve: " + " ".join(str(tile) for tile in state.reserve))
    if state.ships:
        parts.append("ships: " + " ".join(f"{cell}={'+'.join(ships)}" for cell, ships in state.ships))
    if state.ring is not None:
        parts.append(f"ring: {state.ring}")
    return " ; ".join(parts)


# ---------------------------------------------------------------- parsing

_NUMBERS = re.compile(r"(\d{1,2}-\d{1,2}-\d{1,2})([a-z]*)")


def parse_tile(text: str, tiles: TileSet) -> Tile:
    """Return the tile of that text.

    Raises NotationError for a text that names no tile of the set; where only its symbol or bonus is wrong, the
    message says what is right.
    """
    tile = tiles.by_text.get(text)
    if tile is not None:
        return tile
    match = _NUMBERS.fullmatch(text)
    if match:
        for right in tiles.tiles:
            if _NUMBERS.sub(r"\1", right.text) == match[1]:
                raise NotationError(f"tile {text!r} does not exist: the tile {match[1]} is written {right.text!r}")
        numbers = match[1].split("-")
        for number, stripe in zip(numbers, (a for a in tiles.attributes if a.stripe), strict=False):
            if number not in stripe.labels:
                known = ", ".join(stripe.labels)
                raise NotationError(
                    f"tile {text!r} does not exist: stripe {stripe.name} is one of {known}, not {number}"
                )
    raise NotationError(f"{text!r} is no tile of {tiles.name!r}; tiles are written like {tiles.tiles[0].text!r}")


def _parse_occupant(text: str, tiles: TileSet) -> Occupant:
    if text == EMPTY_TEXT:
        return None
    return UNREAD if text == UNREAD_TEXT else parse_tile(text, tiles)


def _split_groups(text: str) -> list[list[str]]:
    return [group.split() for group in text.split("/")]


def parse_position(text: str, board: Board) -> Position:
    """Return the position that a line of cells gives on a board.

    Raises NotationError where the cells do not fit the board or a tile does not exist.
    """
    groups = _split_groups(text)
    unit = "columns" if board.lattice == "hex" else "rows"
    if len(groups) != len(board.groups):
        raise NotationError(f"{text!r} has {len(groups)} {unit}, board {board.name!r} has {len(board.groups)}")
    for i, (group, size) in enumerate(zip(groups, board.groups, strict=True), start=1):
        if len(group) != size:
            raise NotationError(
                f"{text!r} has {len(group)} cells in {unit[:-1]} {i} where board {board.name!r} has {size}"
            )
    return Position(board, tuple(_parse_occupant(word, board.tile_set) for group in groups for word in group))


def _matching_boards(text: str, boards: Iterable[Board]) -> list[Board]:
    sizes = tuple(len(group) for group in _split_groups(text))
    return [board for board in boards if board.groups == sizes]


def _choose_board(name: str, body: str, game: str | None, form: str, line: str) -> Board:
    """Return the board that a part of a line is about, by its name or else by its shape."""
    candidates = boards_of(game) if game else tuple(BOARDS.values())
    name, _, own_form = name.partition(".")
    form = own_form or form
    if name:
        named = [board for board in candidates if board.name == name]
        if not named:
            known = ", ".join(board.name for board in candidates)
            raise NotationError(f"{name!r} in {line!r} is no board here; known: {known}")
        candidates = tuple(named)
    if own_form and not any(board.form == own_form for c in candidates for board in c.forms):
        raise NotationError(f"board {name!r} has no form {own_form!r} in {line!r}")
    if form:
        # A form asked for applies to the boards that have it; the others of the game are as usual.
        candidates = tuple(next((f for f in board.forms if f.form == form), board) for board in candidates)
        fitting = _matching_boards(body, candidates)
    else:
        fitting = _matching_boards(body, candidates) or _matching_boards(body, (f for b in candidates for f in b.forms))
    if fitting:
        return fitting[0]
    if len(candidates) == 1:
        return candidates[0]
    shapes = ", ".join(f"{board.name} {' '.join(map(str, board.groups))}" for board in candidates)
    raise NotationError(f"{body!r} has the shape of no board here; known: {shapes}")


def _parse_ships(body: str, board: Board, line: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: list[tuple[str, tuple[str, ...]]] = []
    for word in body.split():
        cell, equals, names = word.partition("=")
        if not equals or cell not in board.index:
            raise NotationError(f"ships {word!r} in {line!r} must read CELL=SHIP+SHIP, e.g. 'r3.2=white'")
        ships = tuple(names.split("+"))
        for ship in ships:
            if ship not in SHIPS:
                raise NotationError(f"{ship!r} in {line!r} is no ship; known: {', '.join(SHIPS)}")
        if any(cell == other for other, _ in found):
            raise NotationError(f"cell {cell!r} is given twice in the ships of {line!r}")
        found.append((cell, ships))
    if not found:
        raise NotationError(f"no ship is named after 'ships:' in {line!r}")
    return tuple(found)


def _parse_ring(body: str, line: str) -> int:
    if body not in map(str, BUTTONS):
        raise NotationError(f"ring {body!r} in {line!r} must rest on one of {', '.join(map(str, BUTTONS))}")
    return int(body)


def _parse_dice(text: str) -> State:
    dice = tuple(text.split())
    for die in dice:
        if die not in DICE_FACES and die != UNREAD_TEXT:
            raise NotationError(f"die {die!r} in {text!r} must be one of {', '.join(DICE_FACES)}")
    if not dice:
        raise NotationError(f"no dice in {text!r}")
    return State("high-score", dice=dice)


def parse_card(word: str, line: str) -> str:
    """Return a card of Take 5! as it is written.

    Raises NotationError for a text that names none.
    """
    known = word in SPECIAL_CARDS or word == UNREAD_TEXT
    if not known and not (re.fullmatch(r"[1-9][0-9]?", word) and int(word) <= LAST_CARD):
        raise NotationError(f"card {word!r} in {line!r} must be a number up to {LAST_CARD}, 'x2' or '+5'")
    return word


def _parse_cards(text: str) -> State:
    words = text.split()
    if not words:
        raise NotationError(f"no cards in {text!r}")
    at = words.index("hand") if "hand" in words else len(words)
    if at == len(words) - 1:
        raise NotationError(f"no card after 'hand' in {text!r}")
    cards = tuple(parse_card(word, text) for word in words[:at])
    hand = tuple(parse_card(word, text) for word in words[at + 1 :])
    for card in hand:
        if card not in (*SPECIAL_CARDS, UNREAD_TEXT):
            raise NotationError(f"only special cards are kept in hand, not {card!r} in {text!r}")
    return State("take-5", cards=cards, hand=hand)


def parse_state(text: str, game: str | None = None, form: str = "") -> State:
    """Return the state that a line gives; the inverse of ``format_state``.

    Without a game the boards tell it by name or shape; cards and dice need the game. `form` asks for an
    alternative form of a board (``Board.forms``) where the game has a board with that form.

    Raises NotationError where the line cannot be parsed.
    """
    if game is not None and game not in GAMES:
        raise NotationError(f"{game!r} is no game; known: {', '.join(GAMES)}")
    if "\n" in text.strip():
        raise NotationError(f"{text!r} is more than one line")
    if game == "high-score":
        return _parse_dice(text)
    if game == "take-5":
        return _parse_cards(text)
    boards = boards_of(game) if game else tuple(BOARDS.values())
    if form and not any(form == f.form for board in boards for f in board.forms):
        raise NotationError(f"{form!r} is no form of a board of {game or 'any game'!r}")

    positions: list[Position] = []
    extras: dict[str, str] = {}
    for part in text.split(";"):
        name, colon, body = part.rpartition(":")
        name, body = name.strip(), body.strip()
        if colon and name in ("reserve", "ships", "ring"):
            if name in extras:
                raise NotationError(f"{name!r} is given twice in {text!r}")
            if not positions:
                raise NotationError(f"{name!r} must follow the board in {text!r}")
            extras[name] = body
            continue
        if colon and not name:
            raise NotationError(f"a name is missing before ':' in {text!r}")
        if extras:
            raise NotationError(f"boards come before {', '.join(extras)} in {text!r}")
        board = _choose_board(name, body, game or (positions[0].board.game if positions else None), form, text)
        if any(board.name == position.board.name for position in positions):
            raise NotationError(f"board {board.name!r} is given twice in {text!r}")
        positions.append(parse_position(body, board))

    game = positions[0].board.game
    reserve: tuple[Tile | Unread, ...] = ()
    if "reserve" in extras:
        if not any(position.board.name == "orchid" for position in positions):
            raise NotationError(f"only the orchid board has a reserve, in {text!r}")
        words = extras["reserve"].split()
        if not words:
            raise NotationError(f"no tile after 'reserve:' in {text!r}")
        tiles = positions[0].board.tile_set
        reserve = tuple(UNREAD if word == UNREAD_TEXT else parse_tile(word, tiles) for word in words)
    if game != "take-it-higher" and ("ships" in extras or "ring" in extras):
        raise NotationError(f"only Take It Higher! has ships and a ring, in {text!r}")
    return State(
        game,
        tuple(positions),
        reserve,
        _parse_ships(extras["ships"], positions[0].board, text) if "ships" in extras else (),
        _parse_ring(extras["ring"], text) if "ring" in extras else None,
    )
