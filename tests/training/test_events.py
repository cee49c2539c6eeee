"""TensorBoard's event file: what is in it when a process dies, and what is said when it cannot be written."""

import html
import re
import resource
import time
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugin_util import markdown_to_safe_html
from torch.utils.tensorboard.summary import scalar

from nmt.config import TrainSettings
from nmt.errors import UserError
from nmt.training.events import EventFile
from nmt.training.monitor import Monitor, Validation
from nmt.training.state import TrainState


def curve(folder: Path, tag: str) -> list[tuple[int, float]]:
    return [(event.step, event.value) for event in EventAccumulator(str(folder)).Reload().Scalars(tag)]


def test_events_are_there_at_once_and_a_new_session_voids_what_it_repeats(tmp_path: Path) -> None:
    first = EventFile(tmp_path, first_step=1)
    for step in (1, 2, 3):
        first.add(scalar("loss", float(step)), step)
    assert curve(tmp_path, "loss") == [(1, 1.0), (2, 2.0), (3, 3.0)]  # nobody closed or flushed it
    first.path.rename(tmp_path / "events.out.tfevents.0000000001.killed.1.0")
    second = EventFile(tmp_path, first_step=3)
    second.add(scalar("loss", 30.0), 3)
    assert curve(tmp_path, "loss") == [(1, 1.0), (2, 2.0), (3, 30.0)]
    first.close()
    second.close()


def test_a_clock_that_is_set_back_loses_no_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TensorBoard reads the files by their names, which begin with the time."""
    now = time.time()
    for first, clock in ((1, now), (3, now - 86_400), (5, now + 86_400), (7, now)):
        monkeypatch.setattr(time, "time", lambda clock=clock: clock)
        events = EventFile(tmp_path, first_step=first)
        for step in (first, first + 1, first + 2):  # the last is void when the next session begins
            events.add(scalar("loss", float(first)), step)
        events.close()
    expected = [(1, 1.0), (2, 1.0), (3, 3.0), (4, 3.0), (5, 5.0), (6, 5.0), (7, 7.0), (8, 7.0), (9, 7.0)]
    assert curve(tmp_path, "loss") == expected


def test_a_file_that_cannot_grow_is_named_and_its_torn_end_is_passed_over(tmp_path: Path) -> None:
    events = EventFile(tmp_path, first_step=1)
    events.add(scalar("loss", 1.0), 1)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (events.path.stat().st_size + 10, limits[1]))
    try:
        with pytest.raises(UserError, match=r"events.out.tfevents.* cannot be written .File too large.: make room"):
            events.add(scalar("loss", 2.0), 2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    events.path.rename(tmp_path / "events.out.tfevents.0000000001.full.1.0")
    second = EventFile(tmp_path, first_step=2)
    second.add(scalar("loss", 2.0), 2)
    assert curve(tmp_path, "loss") == [(1, 1.0), (2, 2.0)]
    second.close()


HOSTILE = (
    '<img src="http://example.org/a.png"> a | b \\| c',
    "![x](http://example.org/b.png) [click](javascript:alert) <http://example.org> https://example.org",
    "*bold* _em_ `code` # x &lt;b&gt; &amp; 1. - + ~~~ ``` | --- | [a]: http://example.org",
)


def test_text_of_a_corpus_is_shown_as_text(tmp_path: Path) -> None:
    monitor = Monitor(tmp_path, TrainSettings(), total_steps=1)
    with monitor.live(step=0):
        monitor.validation(TrainState(step=1), Validation({"loss": 1.0}, [HOSTILE, HOSTILE], {}), is_best=True)
    (event,) = EventAccumulator(str(tmp_path)).Reload().Tensors("samples/text_summary")
    shown = markdown_to_safe_html(event.tensor_proto.string_val[0])  # what TensorBoard sends to the browser
    assert set(re.findall(r"<(\w+)", shown)) == {"table", "thead", "tbody", "tr", "th", "td"}
    cells = [html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", shown)]
    assert cells == [*HOSTILE, *HOSTILE]
