"""The command ``serve``: where it listens, what it prints, and that it ends."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boardsight.cli import app
from boardsight.scoring.errors import BoardsightError
from boardsight.web.address import TOKEN_FILE, own_address, own_names, qr_svg, qr_text, token_in
from boardsight.web.app import bound


def start(folder: Path, *options: str) -> tuple[subprocess.Popen[str], str]:
    """Start the page and return the process and the address that it prints."""
    command = [sys.executable, "-m", "boardsight.cli", "serve", str(folder), "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.match(r"(http://\S+)", line):
            return process, found[1]
    raise AssertionError(process.communicate()[1])


def get(address: str, path: str) -> int:
    """Return the status of a page, once the server answers."""
    host = address.split("/")[2]
    for _ in range(100):
        connection = http.client.HTTPConnection(host, timeout=10)
        try:
            connection.request("GET", path, headers={"connection": "close"})
            with connection.getresponse() as answer:
                return answer.status
        except OSError:
            time.sleep(0.1)
        finally:
            connection.close()
    raise AssertionError("the page does not answer")


@pytest.mark.slow
def test_the_page_is_open_to_this_machine_only_and_ends_when_told(tmp_path: Path) -> None:
    process, address = start(tmp_path)
    try:
        assert address.startswith("http://127.0.0.1:")
        assert get(address, "/health") == 200
        assert get(address, "/") == 403
        assert get(address, "/" + address.split("/", 3)[3]) == 303
        elsewhere = own_address()
        if elsewhere != "127.0.0.1":
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((elsewhere, int(address.split(":")[2].split("/")[0])), timeout=5)
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "Traceback" not in errors


@pytest.mark.slow
def test_with_lan_it_shows_a_code_and_other_machines_may_come(tmp_path: Path) -> None:
    process, address = start(tmp_path, "--lan")
    try:
        assert address.split("/")[2].split(":")[0] == own_address()
        assert f"token={token_in(tmp_path)}" in address
        assert get(address, "/health") == 200
        assert get(address, "/") == 403
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


def test_listens_where_it_is_told() -> None:
    with bound("127.0.0.1", 0) as sock:
        host, port = sock.getsockname()
        assert host == "127.0.0.1"
        with pytest.raises(BoardsightError, match=f"port {port} on 127.0.0.1 cannot be used: .*--port"):
            bound("127.0.0.1", port)


def test_a_port_that_is_taken_is_one_clear_line(tmp_path: Path) -> None:
    with bound("127.0.0.1", 0) as sock:
        result = CliRunner().invoke(app, ["serve", str(tmp_path), "--port", str(sock.getsockname()[1])])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: port ")
    assert len(result.stderr.splitlines()) == 1


def test_a_folder_that_cannot_be_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    result = CliRunner().invoke(app, ["serve", str(tmp_path / "file" / "x")])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("boardsight.web", "segno", "uvicorn"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "segno", None)
    result = CliRunner().invoke(app, ["serve", str(tmp_path)])
    assert result.exit_code == 2
    assert result.stderr == "error: the page needs segno: pip install 'boardsight[web]'\n"


def test_the_token_is_kept_for_its_owner_only(tmp_path: Path) -> None:
    token = token_in(tmp_path)
    assert len(token) >= 24
    assert token_in(tmp_path) == token
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / TOKEN_FILE).stat().st_mode) == 0o600
    assert token_in(tmp_path, new=True) != token
    (tmp_path / TOKEN_FILE).write_text("short")
    assert len(token_in(tmp_path)) >= 24


def test_codes_and_names() -> None:
    address = "http://192.168.178.31:8321/?token=" + "x" * 24
    assert len(qr_text(address).splitlines()) > 15
    assert qr_svg(address).startswith(b"<?xml")
    assert all(name == name.casefold() and "." not in name for name in own_names())
