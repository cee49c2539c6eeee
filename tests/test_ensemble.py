import pytest
import torch

from nmt.ensemble import Ensemble
from nmt.search import Beam
from nmt.special import BOS
from tests.conftest import sentences, tiny_model

LENGTHS = torch.tensor([5, 3])


def test_one_model_many_times_is_that_model() -> None:
    model = tiny_model("model=bahdanau").eval()
    source = sentences(LENGTHS.tolist())
    alone = Beam(beam_size=3)(model, source, LENGTHS)
    together = Beam(beam_size=3)(Ensemble([model, model]).eval(), source, LENGTHS)
    for one, other in zip(alone, together, strict=True):
        assert [each.tokens for each in one] == [each.tokens for each in other]
        assert [each.score for each in one] == pytest.approx([each.score for each in other], abs=1e-5)
        torch.testing.assert_close(one[0].weights, other[0].weights)


@pytest.mark.parametrize("names", [("bahdanau", "luong"), ("stacked", "seq2seq"), ("seq2seq", "seq2seq")])
def test_it_says_the_mean_of_what_its_models_say(names: tuple[str, str]) -> None:
    models = [tiny_model(f"model={name}", seed=seed).eval() for seed, name in enumerate(names)]
    source, tokens = sentences(LENGTHS.tolist()), torch.tensor([BOS, BOS])
    with torch.inference_mode():
        ensemble = Ensemble(models).eval()
        logits, weights, _ = ensemble.step(tokens, *ensemble.encode(source, LENGTHS))
        single = [model.step(tokens, *model.encode(source, LENGTHS)) for model in models]
        torch.testing.assert_close(logits.exp(), sum(each[0].softmax(-1) for each in single) / 2)
        seen = [each[1] for each in single if each[1] is not None]
        if not seen:
            assert weights is None
        else:
            torch.testing.assert_close(weights, sum(seen) / len(seen))
