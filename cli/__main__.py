"""Run the command line as ``python -m boardsight.cli``."""

from boardsight.cli.main import app

app(prog_name="boardsight")
