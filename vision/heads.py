"""What the networks are asked: the names of their outputs and the labels of each, from the boards' declarations."""

from __future__ import annotations

from boardsight.scoring.boards import BOARDS
from boardsight.scoring.pad import BUTTONS, SHIPS

KINDS = ("hexagon tile", "octagon tile", "hexagon space", "octagon space")
"""What the locator marks, in the order of its channels."""
WHAT = ("tile", "space", "other")
"""What a crop can show."""
FLEET = (*SHIPS, *map(str, BUTTONS))
"""What stands on or beside a board with a launch pad: a ship of each colour, and the buttons of the pad."""
SHIP_COLOURS = len(SHIPS)
"""How many of ``FLEET``, from its start, are ships."""
FORM = "form"
"""Head that tells in which form a board's stripes run; its labels are the names of the forms."""


def tile_heads() -> dict[str, tuple[str, ...]]:
    """Return the classifier's heads: ``what``, and ``SHAPE.ATTRIBUTE`` for everything that a tile can show."""
    heads: dict[str, list[str]] = {"what": list(WHAT)}
    sets = {board.tile_set.name: board.tile_set for board in BOARDS.values()}
    for tile_set in sets.values():
        for attribute in tile_set.attributes:
            labels = heads.setdefault(f"{tile_set.shape}.{attribute.name}", [])
            labels += [label for label in attribute.labels if label not in labels]
    for tile_set in sets.values():
        own = {attribute.name for attribute in tile_set.attributes}
        for name, labels in heads.items():
            shape, _, attribute_name = name.partition(".")
            if shape == tile_set.shape and attribute_name not in own and "" not in labels:
                labels.append("")
    for board in BOARDS.values():
        if any(dict(form.stripes) != dict(board.stripes) for form in board.others):
            heads[f"{board.tile_set.shape}.{FORM}"] = [form.form for form in board.forms]
    return {name: tuple(labels) for name, labels in heads.items()}


def turn_heads() -> dict[str, int]:
    """Return the orientation network's heads: the shape, and how many ways a crop of it can lie.

    Way ``k`` below half is ``k`` turns of the shape's symmetry clockwise, the others are mirrored left to right first.
    """
    return {"hexagon": 12, "octagon": 8}
