"""Encoders, attention and decoders, and the model they make."""
