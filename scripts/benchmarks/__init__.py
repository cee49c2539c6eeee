"""What `make bench` measures, and against what."""
