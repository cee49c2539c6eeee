"""Rank the pairs of a corpus by how likely they are to be wrong, with reasons in plain words."""
