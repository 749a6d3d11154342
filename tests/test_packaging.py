"""The layout: every folder is packaged whole, is imported under one name only, and depends on the right ones."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FOLDERS = {name.removeprefix("boardsight."): name for name in PROJECT["tool"]["setuptools"]["packages"]}

#: Which other parts each part may import: arrows go one way.
MAY_IMPORT = {
    "scoring": {"scoring"},
    "models": {"models", "scoring"},
    "vision": {"vision", "models", "scoring"},
    "training": {"training", "vision", "models", "scoring"},
    "tournament": {"tournament", "models", "vision", "scoring"},
    "web": {"web", "cli", "tournament", "models", "vision", "scoring"},
    "cli": {"cli", "web", "tournament", "vision", "scoring"},
}
#: What the rules of the games must not need.
HEAVY = {
    "numpy",
    "cv2",
    "onnxruntime",
    "scipy",
    "PIL",
    "pillow_heif",
    "torch",
    "rich",
    "typer",
    "fsspec",
    "distributed",
    "sqlite3",
}


def sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).glob("*.py"))


def imported(path: Path, *, top_level: bool = False) -> Iterator[str]:
    """Yield the full name of each module that a source imports, anywhere in it or at its top level only."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in tree.body if top_level else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_top_level_folder_with_code_is_a_package() -> None:
    found = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert found - {"tests"} == set(FOLDERS)
    assert PROJECT["tool"]["setuptools"]["package-dir"] == {name: folder for folder, name in FOLDERS.items()}


@pytest.mark.parametrize("folder", FOLDERS)
def test_packages_are_flat_and_typed(folder: str) -> None:
    nested = [path for path in (ROOT / folder).rglob("*.py") if path.parent != ROOT / folder]
    assert not nested, "a folder inside a package is missing from the wheel"
    assert (ROOT / folder / "py.typed").is_file()


@pytest.mark.parametrize("folder", FOLDERS)
def test_everything_of_a_folder_is_installed(folder: str) -> None:
    kinds = (".py", ".onnx", ".json", ".typed", ".html", ".css", ".js", ".svg")
    for path in (ROOT / folder).rglob("*"):
        if path.suffix in kinds:
            assert files(FOLDERS[folder]).joinpath(*path.relative_to(ROOT / folder).parts).is_file(), path


@pytest.mark.parametrize("folder", FOLDERS)
def test_links_for_the_type_checkers_are_there(folder: str) -> None:
    assert (ROOT / ".pkgroot" / "boardsight" / folder).exists()


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_is_imported_by_its_short_name(folder: str) -> None:
    for path in sources(folder):
        for name in imported(path):
            assert name.split(".")[0] not in FOLDERS, f"{path.name} imports {name}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_arrows_go_one_way(folder: str) -> None:
    for path in sources(folder):
        for name in imported(path):
            if name.startswith("boardsight.") and name.count("."):
                part = name.split(".")[1]
                assert part in MAY_IMPORT[folder], f"{folder}/{path.name} imports {name}"


def test_rules_know_no_pixels_and_no_files() -> None:
    for path in sources("scoring"):
        for name in imported(path):
            assert name.split(".")[0] not in HEAVY | {"pathlib", "os", "io"}, f"{path.name} imports {name}"


def test_only_training_knows_torch() -> None:
    for folder in set(FOLDERS) - {"training"}:
        for path in sources(folder):
            assert "torch" not in {name.split(".")[0] for name in imported(path)}, path.name


def test_modules_import_without_cycles() -> None:
    graph = {
        f"boardsight.{folder}.{path.stem}": set(imported(path, top_level=True))
        for folder in FOLDERS
        for path in sources(folder)
        if path.stem != "__init__"
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name in graph and name not in done:
            for other in graph[name]:
                visit(other, (*trail, name))
            done.add(name)

    for name in graph:
        visit(name, ())


@pytest.mark.parametrize("folder", FOLDERS)
def test_modules_stay_short(folder: str) -> None:
    for path in sources(folder):
        lines = len(path.read_text("utf-8").splitlines())
        assert lines <= 450, f"{folder}/{path.name} has {lines} lines"


def test_the_command_starts_without_the_heavy_packages() -> None:
    heavy = sorted(HEAVY - {"typer"})
    code = f"import sys, boardsight.cli; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_other_commands_do_not_need_the_page() -> None:
    code = "import sys, boardsight.cli; print([m for m in ('starlette', 'uvicorn', 'jinja2') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_reader_runs_without_training_packages() -> None:
    if importlib.util.find_spec("boardsight.vision.reader") is None:
        pytest.skip("no reader yet")
    code = "import sys, boardsight.vision.reader; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
