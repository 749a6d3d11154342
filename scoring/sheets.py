"""Score a state: the rows, bonuses and penalties of the tile games, and the door to the other two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from boardsight.scoring.account import ColourTotal, Sheet, SheetLine
from boardsight.scoring.boards import COLOURS, Line, Tile
from boardsight.scoring.errors import BoardsightError
from boardsight.scoring.highscore import Challenge, score_roll
from boardsight.scoring.notation import Position, State
from boardsight.scoring.pad import highest_button
from boardsight.scoring.rules import Rules
from boardsight.scoring.take5 import score_pile

__all__ = ["ColourTotal", "Rules", "Sheet", "SheetLine", "score", "scrapyard_value"]

GOLD_STUD, SILVER_STUD = 10, 9
"""Points a tile for a scoring row of gold and of silver studs (rulebook Take It Higher!, "Bonuses")."""
BONUS_FACES = {"g": ("gold", 80), "v": ("silver", 40)}
"""What a bonus tile shows, and what it pays with all three rows; with two rows it pays half."""
RAY = 10
"""Points a tile for the longest row of suns or moons."""
SYMBOLS = {"s": "sun", "m": "moon"}
SCRAPYARD_LEAST, SCRAPYARD_PENALTY = 60, 60
"""A scrap yard worth less than this costs that much (rulebook Take It to the Limit!, "Scrap Yard")."""


def _run(position: Position, line: Line) -> tuple[tuple[str, ...], tuple[Tile, ...]] | None:
    """Return cell names and tiles of a full row, empty orchid cells skipped; None if it is not full."""
    names, tiles = [], []
    for i in line.cells:
        tile, cell = position.tiles[i], position.board.cells[i]
        if isinstance(tile, Tile):
            names.append(cell.name)
            tiles.append(tile)
        elif tile is not None or cell.kind != "orchid":
            return None
    return (tuple(names), tuple(tiles)) if tiles else None


def row_line(position: Position, line: Line) -> SheetLine | None:
    """Return the entry of a row, or None if it does not score: it must be full and of one colour."""
    run = _run(position, line)
    if run is None:
        return None
    names, tiles = run
    labels = {tile.get(line.attribute) for tile in tiles}
    if len(labels) != 1:
        return None
    label = labels.pop()
    value = int(label)
    colour = COLOURS[position.board.tile_set.name][line.attribute][label]
    points = value * len(names)
    return SheetLine("row", points, names, line.direction, colour, value, len(names), position.board.name)


def scoring_rows(position: Position) -> tuple[tuple[Line, SheetLine], ...]:
    """Return the rows that score, each with its entry, in the order of ``board.lines``."""
    found = ((line, row_line(position, line)) for line in position.board.lines)
    return tuple((line, entry) for line, entry in found if entry is not None)


def stud_line(position: Position, entry: SheetLine) -> SheetLine | None:
    """Return the gold or silver bonus of a scoring row, or None if its studs are mixed."""
    studs = {tile.get("stud") for name in entry.cells if isinstance(tile := position.at(name), Tile)}
    if len(studs) != 1:
        return None
    what, value = ("gold", GOLD_STUD) if studs == {"G"} else ("silver", SILVER_STUD)
    n = len(entry.cells)
    return SheetLine(what, value * n, entry.cells, entry.direction, what, value, n, position.board.name)


def bonus_lines(position: Position, rows: Sequence[tuple[Line, SheetLine]]) -> tuple[SheetLine, ...]:
    """Return the entries of the bonus tiles that pay: the full figure for three scoring rows, half for two."""
    found = []
    for i, (cell, tile) in enumerate(zip(position.board.cells, position.tiles, strict=True)):
        face = BONUS_FACES.get(tile.get("bonus")) if isinstance(tile, Tile) else None
        count = sum(i in line.cells for line, _ in rows) if face else 0
        if face and count >= 2:
            colour, value = face
            points = value if count == 3 else value // 2
            found.append(SheetLine("bonus", points, (cell.name,), "", colour, value, count, position.board.name))
    return tuple(found)


def ray_line(position: Position) -> SheetLine | None:
    """Return the entry of the longest full row of suns or of moons, the first of equals; None if there is none."""
    best: SheetLine | None = None
    for line in position.board.lines:
        run = _run(position, line)
        if run is None:
            continue
        names, tiles = run
        symbols = {tile.get("symbol") for tile in tiles}
        if len(symbols) == 1 and (best is None or len(names) > len(best.cells)):
            symbol, n = SYMBOLS[symbols.pop()], len(names)
            best = SheetLine("ray", RAY * n, names, line.direction, symbol, RAY, n, position.board.name)
    return best


def scrapyard_best(position: Position) -> tuple[int, tuple[SheetLine, ...]]:
    """Return the value of a scrap yard and the entries that make it.

    It is the highest of its three best scoring rows, its two best silver bonuses and its best gold bonus.
    """
    rows = scoring_rows(position)
    bonuses = bonus_lines(position, rows)

    def best(entries: Iterable[SheetLine], most: int) -> tuple[SheetLine, ...]:
        return tuple(sorted(entries, key=lambda e: -e.points)[:most])

    choices = (
        best((entry for _, entry in rows), 3),
        best((b for b in bonuses if b.colour == "silver"), 2),
        best((b for b in bonuses if b.colour == "gold"), 1),
    )
    chosen = max(choices, key=lambda entries: sum(e.points for e in entries))
    return sum(e.points for e in chosen), chosen


def scrapyard_value(position: Position) -> int:
    """Return the value of a scrap yard."""
    return scrapyard_best(position)[0]


def _score_higher(state: State, rules: Rules) -> Sheet:
    rows: list[SheetLine] = []
    studs: list[SheetLine] = []
    for position in state.positions:
        for _, entry in scoring_rows(position):
            rows.append(entry)
            if rules.studs and (bonus := stud_line(position, entry)):
                studs.append(bonus)
    lines = [*rows, *studs]
    ring = state.ring
    if ring is None:
        ring = highest_button(state.launched)
    if rules.ships == "none":
        ring = 0
    if ring:
        lines.append(SheetLine("ring", ring, value=ring))
    subtotals = {
        "rows": sum(e.points for e in rows),
        "golds": sum(e.points for e in studs if e.what == "gold"),
        "silvers": sum(e.points for e in studs if e.what == "silver"),
        "take-it-higher": ring,
    }
    return Sheet(tuple(lines), subtotals, sum(subtotals.values()))


def _score_limit(state: State, rules: Rules) -> Sheet:
    rows: list[SheetLine] = []
    bonuses: list[SheetLine] = []
    rays: list[SheetLine] = []
    penalties: list[SheetLine] = []
    value: int | None = None
    for position in state.positions:
        name = position.board.name
        if name == "scrapyard":
            if rules.scrapyard == "none":
                continue
            value, parts = scrapyard_best(position)
            if rules.scrapyard == "standard" and value < SCRAPYARD_LEAST:
                cells = tuple(dict.fromkeys(cell for part in parts for cell in part.cells))
                penalties.append(SheetLine("penalty", -SCRAPYARD_PENALTY, cells, value=value, board=name))
            continue
        found = scoring_rows(position)
        rows += [entry for _, entry in found]
        bonuses += bonus_lines(position, found)
        if (name == "nexus" or rules.mixed) and (ray := ray_line(position)):
            rays.append(ray)
    subtotals = {
        "rows": sum(e.points for e in rows),
        "bonuses": sum(e.points for e in bonuses),
        "ray": sum(e.points for e in rays),
        "scrapyard-penalty": sum(e.points for e in penalties),
    }
    total = sum(subtotals.values())
    if value is not None:
        subtotals["scrapyard-value"] = value
    return Sheet((*rows, *bonuses, *rays, *penalties), subtotals, total)


def _score_easy(state: State, rules: Rules) -> Sheet:
    rows = tuple(entry for position in state.positions for _, entry in scoring_rows(position))
    total = sum(e.points for e in rows)
    return Sheet(rows, {"rows": total}, total)


_SCORERS = {
    "take-it-higher": _score_higher,
    "take-it-to-the-limit": _score_limit,
    "take-it-easy": _score_easy,
}


def score(state: State, rules: Rules | None = None, challenge: Challenge | None = None) -> Sheet:
    """Return the score sheet of a state, scored as it lies: spaces may be empty and tiles unread.

    Raises BoardsightError where dice come without the challenge card that says how they score.
    """
    if state.game == "take-5":
        return score_pile(state)
    if state.game == "high-score":
        if challenge is None:
            raise BoardsightError(f"dice {str(state)!r} need a challenge card, e.g. 'total vortex=5'")
        return score_roll(state, challenge)
    return _SCORERS[state.game](state, rules or Rules())
