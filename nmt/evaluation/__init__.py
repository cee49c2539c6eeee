"""Scores, pictures and reports."""
