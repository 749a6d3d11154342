"""The JSON that the commands print: one object a photo or state, one a line. Keys that do not apply are left out."""

from __future__ import annotations

import json
from collections.abc import Mapping

from boardsight.scoring.account import Sheet
from boardsight.scoring.notation import State, format_position
from boardsight.tournament.outcome import Outcome, Player
from boardsight.vision.reading import BoardReading, CellReading, FleetReading, PieceReading, Reading

JsonObject = dict[str, object]

OF_A_PLAYER = ("ships", "launched", "ring")
"""Keys of what stands on and beside a player's board."""


def dumps(value: Mapping[str, object]) -> str:
    """Return an object as one line of JSON, in ASCII so that any terminal, pipe and file name will do."""
    return json.dumps(value, allow_nan=False)


def error_object(key: str, name: str, code: str, message: str) -> JsonObject:
    """Return the object that stands for a photo or state that could not be read."""
    return {key: name, "error": {"code": code, "message": message}}


def _board_object(reading: BoardReading) -> JsonObject:
    out: JsonObject = {"board": reading.board.name}
    if reading.board.form:
        out["form"] = reading.board.form
    out["notation"] = reading.notation
    out["certain"] = reading.certain
    if reading.mirrored:
        out["mirrored"] = True
    out["cells"] = [_cell_object(cell) for cell in reading.cells]
    if reading.reserve:
        out["reserve"] = [_cell_object(cell) for cell in reading.reserve]
    if reading.fleet is not None and (reading.fleet.ships or reading.fleet.ring is not None):
        out["fleet"] = _fleet(reading.fleet)
    return out


def _fleet(fleet: FleetReading) -> list[JsonObject]:
    """Return each ship and the ring: where it is and how sure that is."""
    out: list[JsonObject] = []
    for ship in fleet.ships:
        item: JsonObject = {"ship": ship.ship} if ship.ship else {"ship": None}
        item["cell" if ship.cell else "on"] = ship.cell or "pad"
        item |= {"confidence": round(ship.confidence, 4), "centre": list(ship.at), "certain": ship.certain}
        if ship.runner_up:
            item["runner_up"] = ship.runner_up
        out.append(item)
    if fleet.ring is not None:
        item = {"ring": fleet.ring, "confidence": round(fleet.ring_confidence, 4), "certain": fleet.ring_certain}
        if fleet.ring_runner_up is not None:
            item["runner_up"] = fleet.ring_runner_up
        out.append(item)
    return out


def _how_sure(one: CellReading | PieceReading) -> JsonObject:
    """Return how sure a tile or a loose piece is, and where it lies."""
    x, y = one.centre
    return {"confidence": round(one.confidence, 4), "centre": [round(x, 1), round(y, 1)], "certain": one.certain}


def _cell_object(cell: CellReading) -> JsonObject:
    item: JsonObject = {
        "cell": cell.cell,
        "tile": cell.tile,
        **_how_sure(cell),
    }
    if cell.runner_up:
        item["runner_up"] = cell.runner_up
    return item


def _pieces(reading: Reading) -> JsonObject:
    """Return the loose pieces of a photo: what they say, and each one with its place and how sure it is."""
    if not reading.pieces:
        return {}
    items: list[JsonObject] = []
    for piece in reading.pieces:
        item: JsonObject = {
            "piece": piece.kind,
            "text": piece.text,
            **_how_sure(piece),
            **dict(piece.shows),
        }
        if piece.runner_up:
            item["runner_up"] = piece.runner_up
        items.append(item)
    said = {"dice": list(reading.dice), "cards": list(reading.cards)}
    return {**{name: texts for name, texts in said.items() if texts}, "pieces": items}


def _extras(state: State) -> JsonObject:
    """Return what goes with the boards of a state."""
    out: JsonObject = {}
    if state.reserve:
        out["reserve"] = [str(tile) for tile in state.reserve]
    if state.ships:
        out["ships"] = {cell: list(ships) for cell, ships in state.ships}
        out["launched"] = list(state.launched)
    if state.ring is not None:
        out["ring"] = state.ring
    if state.cards:
        out["cards"] = list(state.cards)
    if state.hand:
        out["hand"] = list(state.hand)
    if state.dice:
        out["dice"] = list(state.dice)
    return out


def _boards_of_players(players: tuple[Player, ...]) -> list[JsonObject]:
    """Return the boards of several players, each with its player's number; the first of each carries the sheet."""
    out = []
    for number, player in enumerate(players, start=1):
        for i, board in enumerate(player.boards):
            item = {**_board_object(board), "player": number}
            if i == 0:
                item |= {key: value for key, value in _extras(player.state).items() if key in OF_A_PLAYER}
                item["sheet"] = player.sheet.to_json()
                if player.relocation is not None:
                    item["relocation"] = player.relocation.to_json()
            out.append(item)
    return out


def photo_object(outcome: Outcome) -> JsonObject:
    """Return the object of a photo: its boards and sheet, or the error."""
    reading = outcome.reading
    loose = _pieces(reading)
    if reading.fault is not None:
        error = error_object("photo", reading.photo, reading.fault.code, reading.fault.message)
        return {**error, "game": reading.game, **loose} if loose else error
    out: JsonObject = {"photo": reading.photo, "game": reading.game}
    if not outcome.players:
        out.update(loose)
        out["scorings"] = {scoring: dict(totals) for scoring, totals in outcome.scorings.items()}
    elif len(outcome.players) == 1:
        player = outcome.players[0]
        if player.boards:
            out["boards"] = [_board_object(board) for board in player.boards]
        out.update({**_extras(player.state), **loose})
        out["sheet"] = player.sheet.to_json()
        if player.relocation is not None:
            out["relocation"] = player.relocation.to_json()
    else:
        out["boards"] = _boards_of_players(outcome.players)
    out["certain"] = reading.certain
    out["warnings"] = list(outcome.warnings)
    return out


def state_object(state: State, sheet: Sheet, certain: bool, warnings: tuple[str, ...]) -> JsonObject:
    """Return the object of a state that was given as notation."""
    out: JsonObject = {"game": state.game}
    if state.positions:
        boards: list[JsonObject] = []
        for position in state.positions:
            item: JsonObject = {"board": position.board.name}
            if position.board.form:
                item["form"] = position.board.form
            boards.append({**item, "notation": format_position(position)})
        out["boards"] = boards
    out.update(_extras(state))
    out["sheet"] = sheet.to_json()
    out["certain"] = certain
    out["warnings"] = list(warnings)
    return out
