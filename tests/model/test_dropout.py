import pytest
import torch

from nmt.model.dropout import SequenceDropout


@pytest.mark.parametrize("shape", [(200, 7, 50), (200, 350)])
def test_one_mask_for_all_steps_of_a_sequence_and_another_for_the_next(shape: tuple[int, ...]) -> None:
    torch.manual_seed(1)
    dropped = SequenceDropout(0.3)(torch.ones(shape))
    assert len(shape) == 2 or (dropped == dropped[:, :1]).all()
    assert not (dropped[0] == dropped[1]).all()
    assert dropped.unique().tolist() == pytest.approx([0.0, 1 / 0.7])
    assert dropped.mean().item() == pytest.approx(1.0, abs=0.03)
