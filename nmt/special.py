"""Ids of special tokens, and signs of SentencePiece."""

PAD, BOS, EOS, UNK = range(4)
EOS_PIECE = "</s>"
WORD_START = "▁"  # SentencePiece writes the space before a word as U+2581
