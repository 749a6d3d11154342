"""Readings as JSON and back, whole: every field of every dataclass, so that nothing is lost on the way.

A board is written as its name and form; the evidence of a board is left out, it is kept by `vision.correct.pack`.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from typing import Any

import numpy as np

from boardsight.scoring.boards import Board, board_named
from boardsight.scoring.errors import BoardsightError
from boardsight.vision.decode import Evidence
from boardsight.vision.reading import Reading

#: Fields that are not written: the debugging pictures, and what is kept elsewhere.
LEFT_OUT = ("stages", "evidence")


class CodecError(BoardsightError, ValueError):
    """A text that is no reading."""


def _plain(value: Any) -> Any:
    if isinstance(value, Board):
        return [value.name, value.form]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value) if f.name not in LEFT_OUT}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    return value


def _built(kind: Any, value: Any) -> Any:
    """Return a plain value as a value of a type."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return None if value is None else _built(next(a for a in arguments if a is not type(None)), value)
    if kind is Board:
        return board_named(*value)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind, localns={"Evidence": Evidence})
        return kind(**{name: _built(hints[name], item) for name, item in value.items() if name in hints})
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(_built(arguments[0], item) for item in value)
        return tuple(_built(a, item) for a, item in zip(arguments, value, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {_built(arguments[0], key): _built(arguments[1], item) for key, item in value.items()}
    return kind(value) if kind in (int, float, str) else value


def dump(reading: Reading) -> str:
    """Return a reading as JSON, without the evidence of its boards."""
    return json.dumps(_plain(reading), allow_nan=False)


def load(text: str) -> Reading:
    """Return the reading that `dump` made a text of.

    Raises CodecError where it is no such text.
    """
    try:
        reading: Reading = _built(Reading, json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CodecError("a reading in the database is damaged") from error
    return reading
