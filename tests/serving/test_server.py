"""serve.py on loopback with real clients: the API, its limits, and what it refuses."""

import gzip
import json
import os
import signal
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from deep_translator import LibreTranslator
from libretranslatepy import LibreTranslateAPI

from tests.serving.conftest import START, Serving, call, expected, serving, translate, translators

SENTENCES = ["I see a cat .", "we see it .", "I see it .", "we see a cat ."]


def refused(server: Serving, path: str, body: Any, **headers: str) -> tuple[int, str]:
    status, value, _ = call(server, path, body, **headers)
    return status, value["error"]


def test_client_libraries_work_unchanged(server: Serving) -> None:
    client = LibreTranslateAPI(server.url)
    assert client.translate("I see a cat .", "en", "fr") == expected("I see a cat .")
    assert client.languages()[0] == {"code": "en", "name": "English", "targets": ["en", "fr"]}
    assert client.detect("я вижу море")[0]["language"] == "ru"
    other = LibreTranslator(source="en", target="fr", api_key="any", custom_url=server.url)
    assert other.translate("we see it .") == expected("we see it .")
    assert other.translate_batch(SENTENCES[:2]) == [expected(sentence) for sentence in SENTENCES[:2]]


def test_texts_lists_alternatives_and_whitespace(server: Serving) -> None:
    assert len({expected(sentence) for sentence in SENTENCES}) > 2  # else another's translation would not show
    one, other = map(expected, SENTENCES[:2])
    assert translate(server, "  I see a cat .\n\n\twe see it .\n") == {"translatedText": f"  {one}\n\n\t{other}\n"}
    assert translate(server, SENTENCES) == {"translatedText": [expected(sentence) for sentence in SENTENCES]}
    best, *others = (found.text for found in translators()[0].nbest("I see a cat .", 3)[0])
    found = translate(server, "I see a cat .", alternatives=2)
    assert found == {"translatedText": best, "alternatives": [text for text in others if text != best]}
    found = translate(server, SENTENCES[:2], alternatives=9, source="auto")
    assert [each["language"] for each in found["detectedLanguage"]] == ["en", "en"]
    assert [len(each) for each in found["alternatives"]] == [3, 3]
    assert translate(server, "x y", source="fr") == {"translatedText": "x y"}  # from French to French
    assert translate(server, "Я вижу", source="auto")["translatedText"] == expected("Я вижу", model=1)
    assert translate(server, "<p>I see a <b>cat</b> .", format="html")["translatedText"].count("<b>") == 1
    assert translate(server, "\ud800 \udc00 \x00")["translatedText"]  # halves of surrogate pairs


def test_bodies_as_json_forms_and_queries(server: Serving) -> None:
    fields = {"q": "we see it .\r\nwe see it .", "source": "en", "target": "fr"}
    text = expected("we see it .")
    form = urllib.parse.urlencode(fields)
    assert call(server, "translate", form.encode())[1] == {"translatedText": f"{text}\n{text}"}
    parts = "".join(f'--x\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in fields.items())
    multipart = f"{parts}--x--\r\n".encode()
    kind = "multipart/form-data; boundary=x"
    assert call(server, "translate", multipart, Content_Type=kind)[1] == {"translatedText": f"{text}\n{text}"}
    assert refused(server, "translate", b"{}", Content_Type="text/plain")[0] == 415
    assert refused(server, "translate", b"[1", Content_Type="application/json") == (400, "Invalid JSON format")
    deep = b'{"q":' + b"[" * 20_000
    assert refused(server, "translate", deep, Content_Type="application/json") == (400, "Invalid JSON format")


def test_errors_are_those_of_the_api(server: Serving) -> None:
    right = {"q": "a", "source": "en", "target": "fr"}
    for change, message in (
        ({"q": ""}, "missing q parameter"),
        ({"q": [1]}, "q parameter is neither a text nor a list of texts"),
        ({"source": None}, "missing source parameter"),
        ({"target": 3}, "target parameter is not a text"),
        ({"target": "xx"}, "xx is not supported"),
        ({"source": "auto", "target": "en", "q": "море"}, "is not available as a target language from Russian (ru)"),
        ({"source": "fr", "target": "en"}, "English (en) is not available as a target language from French (fr)"),
        ({"format": "pdf"}, "pdf format is not supported"),
        ({"alternatives": "many"}, "alternatives parameter is not a number"),
        ({"alternatives": 11}, "alternatives parameter must be <= 10"),
        ({"q": ["x" * 2000] * 2}, "request (4000) exceeds text limit (3000)"),
    ):
        status, error = refused(server, "translate", right | change)
        assert (status, error.endswith(message)) == (400, True), error
    assert refused(server, "translate", [1]) == (400, "Invalid JSON format")
    assert refused(server, "nothing", None) == (404, "Not Found")
    assert refused(server, "translate", None) == (405, "Method Not Allowed")
    assert refused(server, "translate", {"q": "x" * 200_000})[0] == 413


def test_other_endpoints(server: Serving) -> None:
    assert call(server, "health")[:2] == (200, {"status": "ok"})
    settings = call(server, "frontend/settings")[1]
    assert (settings["charLimit"], settings["suggestions"], settings["keyRequired"]) == (3000, True, False)
    assert {"/translate", "/detect", "/explain", "/suggest"} <= call(server, "spec")[1]["paths"].keys()
    _, found, _ = call(server, "explain", {"q": "I see a cat . We see.", "source": "auto", "target": "fr"})
    assert (found["source"], found["target"], len(found["sentences"])) == ("en", "fr", 2)
    first = found["sentences"][0]
    same = translators()[0].translate("I see a cat .")[0]
    assert (first["text"], first["target_tokens"]) == (same.text, same.target_tokens)
    assert first["attention"][0] == pytest.approx(same.attention[0], abs=1e-4)
    confidences = [word.confidence for word in same.words]
    assert [word["confidence"] for word in first["words"]] == pytest.approx(confidences, abs=1e-4)
    assert len(first["alignment"]) > 0


def test_the_page_is_that_of_export_with_a_place_for_corrections(server: Serving) -> None:
    with urllib.request.urlopen(urllib.request.Request(server.url, headers={"Accept-Encoding": "gzip"})) as answer:
        page = gzip.decompress(answer.read()).decode()
        tag, policy = answer.headers["ETag"], answer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert 'data-suggest="suggest"' in page
    assert "connect-src &#x27;self&#x27;" in page or "connect-src 'self'" in page
    assert 'href="?source=ru&amp;target=fr"' in page
    assert call(server, "", If_None_Match=tag)[0] == 304
    with urllib.request.urlopen(f"{server.url}?source=ru&target=fr") as answer:
        assert "<title>Russian → French</title>" in answer.read().decode()


def test_corrections_are_kept(server: Serving) -> None:
    right = {"q": "I see it.", "s": "Je le vois.", "source": "en", "target": "fr"}
    assert call(server, "suggest", right)[1] == {"success": True}
    assert refused(server, "suggest", right | {"target": "ru"})[0] == 400
    assert (server.corrections / "eng-fra.tsv").read_text() == "eng\tfra\nI see it.\tJe le vois.\n"


def test_other_sites_cannot_use_it(server: Serving) -> None:
    fields = {"q": "a", "source": "en", "target": "fr"}
    own = f"127.0.0.1:{server.port}"
    assert call(server, "translate", fields, Origin=f"http://{own}")[0] == 200
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{server.port + 1}", "http://localhost"):
        assert refused(server, "translate", fields, Origin=origin)[0] == 403
    for host in (f"localhost:{server.port}", f"[::1]:{server.port}"):
        assert call(server, "health", Host=host)[0] == 200
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1.evil.example", ""):
        assert call(server, "health", Host=host)[0] == 400
    _, _, headers = call(server, "translate", fields)
    assert "Access-Control-Allow-Origin" not in headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "server" not in headers


def test_the_log_has_no_text_of_requests(server: Serving) -> None:
    query = urllib.parse.urlencode({"q": "secretive words", "source": "en", "target": "fr"})
    assert call(server, f"translate?{query}", b"", Content_Type="application/x-www-form-urlencoded")[0] == 200
    assert call(server, "translate?q=secretive", b"")[0] == 400
    lines = "".join(server.lines)
    assert "POST /translate 200" in lines
    assert "secretive" not in lines


def slow_text(number: int) -> str:
    """Many sentences, all different from those of other numbers."""
    return " ".join(f"I see {number} {place} ." for place in range(24))


def test_overload_is_refused_at_once_and_sigterm_finishes_the_rest(files: list[Path]) -> None:
    with serving("--run", files[0], "--max-requests", "2", "--workers", "1") as server, ThreadPoolExecutor(8) as pool:

        def ask(number: int) -> tuple[int, Any, Any]:
            return call(server, "translate", {"q": slow_text(number), "source": "en", "target": "fr"})

        futures = [pool.submit(ask, number) for number in range(8)]
        while not any(future.done() for future in futures):  # those that are refused
            time.sleep(0.01)
        assert server.stop() == 143
        answers = [future.result() for future in futures]
    done = [number for number, (status, _, _) in enumerate(answers) if status == 200]
    assert len(done) == 2
    for number in done:
        sentences = slow_text(number).split(" . ")
        assert answers[number][1]["translatedText"].startswith(expected(sentences[0] + " ."))
    for status, value, headers in answers:
        if status != 200:
            assert (status, headers["Retry-After"]) == (503, "1")
            assert "Too many requests" in value["error"]


def test_keys_timeouts_and_dead_processes(files: list[Path], tmp_path: Path) -> None:
    key = "a-long-and-random-key"
    (tmp_path / "keys").write_text(f"{key}\n")
    options = ("--api-key-file", tmp_path / "keys", "--allow-origin", "https://a.example", "--timeout", "1")
    with serving("--run", files[0], "--workers", "1", *options, "--max-characters", "100000") as server:
        fields = {"q": "we see it .", "source": "en", "target": "fr"}
        assert refused(server, "translate", fields) == (403, "Please contact the server operator to get an API key")
        assert refused(server, "detect", fields | {"api_key": key[:-1]}) == (403, "Invalid API key")
        assert call(server, "health")[0] == 200
        right = (200, {"translatedText": expected("we see it .")})
        assert call(server, "translate", fields | {"api_key": key})[:2] == right
        assert call(server, "translate", fields, Authorization=f"Bearer {key}")[:2] == right
        answer = call(server, "translate", fields | {"api_key": key}, Origin="https://a.example")
        assert answer[2]["Access-Control-Allow-Origin"] == "https://a.example"
        assert refused(server, "suggest", fields | {"s": "x", "api_key": key})[0] == 403

        long = "\n".join(f"I see {number} ." for number in range(5000))
        status, value, headers = call(server, "translate", fields | {"api_key": key, "q": long})
        assert (status, headers["Retry-After"]) == (503, "5")
        assert "took more than 1 s" in value["error"]

        for worker in workers(server):  # as the system does when memory is short
            os.kill(int(worker.parent.name), signal.SIGKILL)
        while (answer := call(server, "translate", fields | {"api_key": key}))[0] == 503:
            assert "took more than 1 s" in answer[1]["error"]  # a new process may need longer on a busy machine
        assert answer[:2] == right
        assert any("ended unexpectedly" in line for line in server.lines)

        (worker,) = workers(server)  # it ends with a server that is killed
        server.process.kill()
        server.process.wait()
        while worker.exists() and b"spawn_main" in worker.read_bytes():
            time.sleep(0.01)


def workers(server: Serving) -> list[Path]:
    """The command lines of the processes that translate."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    lines = [Path(f"/proc/{child}/cmdline") for child in children]
    return [line for line in lines if b"spawn_main" in line.read_bytes()]


def test_clients_that_go_away_or_dawdle_hold_nothing_up(server: Serving) -> None:
    idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
    for each in idle[:25]:
        each.sendall(START + b"Content-Length: 100\r\n\r\n{")
    for each in idle[25:]:
        each.sendall(b"GET / HT")
    body = json.dumps({"q": slow_text(1), "source": "en", "target": "fr"}).encode()
    gone = socket.create_connection(("127.0.0.1", server.port))
    gone.sendall(START + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    gone.close()
    assert translate(server, "we see it .") == {"translatedText": expected("we see it .")}
    for each in idle:
        each.close()


def test_many_at_once_get_their_own_answers(server: Serving) -> None:
    texts = [f"I see {number} cat ." for number in range(24)]
    wanted = [expected(text) for text in texts]
    barrier = threading.Barrier(12)

    def ask(text: str) -> str:
        if texts.index(text) < 12:
            barrier.wait()
        return translate(server, text)["translatedText"]

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(ask, texts)) == wanted
