"""From files of sentence pairs to batches: clean, split without leaks, cut into pieces, store, batch."""
