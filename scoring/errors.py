"""The errors that boardsight raises for bad arguments."""

from __future__ import annotations


class BoardsightError(Exception):
    """Base of every error that this package raises on purpose."""


class NotationError(BoardsightError, ValueError):
    """A line of notation that cannot be parsed; the message quotes the input."""
