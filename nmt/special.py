"""Ids of the special tokens: the one place where they are written down."""

PAD, BOS, EOS, UNK = range(4)
EOS_PIECE = "</s>"
