"""A trained run as one file that needs no PyTorch: captured graph, weights and vocabularies, and an engine in numpy."""
