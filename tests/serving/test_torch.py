"""--engine torch: batches of what waits."""

import asyncio
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from nmt.commands.engines import Loaded
from nmt.serving.jobs import Batches
from nmt.serving.results import Job
from nmt.unlike_training import TrainingData
from tests.commands import succeeded, translate
from tests.conftest import ROOT
from tests.serving.conftest import call, serving
from tests.web.conftest import wordy_translator


def test_what_waits_is_translated_together() -> None:
    engine = wordy_translator()
    jobs = Batches([Loaded(engine, TrainingData({"LATIN": 1.0}, 20, 100), None)] * 2, "cpu")

    async def run() -> list[Any]:
        await jobs.start()
        wanted = [Job(number % 2, f"I see {number} .", 1 + number % 3 // 2) for number in range(24)]
        tasks = [asyncio.ensure_future(jobs.run(job)) for job in wanted]
        await asyncio.sleep(0)
        for task in tasks[:5]:
            task.cancel()  # of requests that were given up
        results = await asyncio.gather(*tasks, return_exceptions=True)
        with pytest.raises(KeyError):
            await jobs.run(Job(0, "a", result="odd"))
        assert await jobs.run(wanted[0]) == expected(wanted[0])  # an error does not stop the others
        assert results[5:] == [expected(job) for job in wanted[5:]]
        return results

    def expected(job: Job) -> list[str]:
        return [each.text for each in engine.nbest(job.sentence, job.best)[0]]

    with ThreadPoolExecutor(1) as pool:
        results = pool.submit(asyncio.run, run()).result()
    assert all(isinstance(result, asyncio.CancelledError) for result in results[:5])
    assert jobs.batches < 10 < jobs.sentences
    jobs.stop()


@pytest.mark.slow
def test_a_run_is_served_by_pytorch(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(ROOT / "tests/fixtures/run-2/run", run)
    texts = [f"we see {number} cats!" for number in range(30)]
    expected = succeeded(translate(run, "--engine", "torch", stdin="\n".join(texts))).stdout.splitlines()
    with serving("--run", run, "--engine", "torch") as server, ThreadPoolExecutor(10) as pool:

        def ask(text: str) -> Any:
            return call(server, "translate", {"q": text, "source": "en", "target": "fr"})[1]["translatedText"]

        assert list(pool.map(ask, texts)) == expected
        assert call(server, "")[0] == 404  # the page needs portable.nmt, which a run of this format has not
