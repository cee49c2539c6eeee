"""What `scripts/compare.py` reads, computes, writes and draws."""
