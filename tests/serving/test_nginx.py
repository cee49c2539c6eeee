"""The configuration for nginx, tried with a real one, where it is installed (Debian: apt-get install nginx-light)."""

import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import ROOT
from tests.serving.conftest import call, expected, serving

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin")
NAME = "translate.example.org"


@pytest.mark.slow
@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
def test_behind_nginx(files: list[Path], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with serving("--run", files[0], "--allow-host", NAME, "--suggestions", tmp_path / "s") as server:
        site = (ROOT / "docs/deploy/nginx.conf").read_text()
        site = site.replace("listen 80", f"listen 127.0.0.1:{port}").replace(
            "127.0.0.1:5000", f"127.0.0.1:{server.port}"
        )
        (tmp_path / "nginx.conf").write_text(f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\n{site}\n}}\n")
        options = ["-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"), "-e", "stderr", "-g", "daemon off;"]
        nginx = subprocess.Popen([str(NGINX), *options])
        try:
            behind = SimpleNamespace(url=f"http://127.0.0.1:{port}/", port=port)
            while not answers(port):
                assert nginx.poll() is None
                time.sleep(0.05)
            fields = {"q": "we see it .", "source": "en", "target": "fr"}
            status, value, _ = call(behind, "translate", fields, Host=NAME, Origin=f"https://{NAME}")
            assert (status, value) == (200, {"translatedText": expected("we see it .")})
            assert call(behind, "translate", fields, Host=NAME, Origin="https://evil.example")[0] == 403
            assert call(behind, "health", Host="evil.example")[0] == 400
            assert call(behind, "suggest", fields | {"s": "x"}, Host=NAME)[1] == {"success": True}
            request = urllib.request.Request(behind.url, headers={"Host": NAME})
            with urllib.request.urlopen(request) as answer:
                assert "English → French" in answer.read().decode()
            many = [call(behind, "health", Host=NAME)[0] for _ in range(100)]
            assert set(many) == {200, 503}  # ten a second, after a burst
        finally:
            nginx.terminate()
            nginx.wait()


def answers(port: int) -> bool:
    """Whether something listens."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
