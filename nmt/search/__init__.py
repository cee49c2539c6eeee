"""Search methods, which choose a translation by the model's probabilities (configs/decode/).

A method is a subclass of `Search` that writes `choose`, and a YAML file that names it.
"""

from nmt.search.base import Alive, Choice, Hypothesis, Model, Search
from nmt.search.beam import Beam, Greedy
from nmt.search.sample import Sample
from nmt.search_settings import NEVER

__all__ = ["NEVER", "Alive", "Beam", "Choice", "Greedy", "Hypothesis", "Model", "Sample", "Search"]
