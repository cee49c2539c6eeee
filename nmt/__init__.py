"""Attention-based recurrent translation: train it, understand it, use it."""
