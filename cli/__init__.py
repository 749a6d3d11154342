"""The command line: ``boardsight score``, ``boardsight tally``."""

from boardsight.cli.main import app

__all__ = ["app"]
