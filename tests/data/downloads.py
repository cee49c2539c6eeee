"""A site on this machine that the downloads fetch from, and the commands themselves."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.conftest import ROOT


@contextmanager
def site(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a site that answers while this lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Quiet(BaseHTTPRequestHandler):
    """Answers without a log."""

    def send_file(self, content: bytes, length: int | None = None) -> None:
        """Send a file, or less of it than was announced."""
        self.send_response(200)
        self.send_header("Content-Length", str(len(content) if length is None else length))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


def downloader(script: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a script of this name in a folder."""

    def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(ROOT / "scripts" / script), *arguments]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    return run


def assert_nothing_but_a_sentence(done: subprocess.CompletedProcess[str], folder: Path, message: str) -> None:
    """It failed with one sentence and left no file."""
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not [path for path in folder.rglob("*") if path.is_file()]
