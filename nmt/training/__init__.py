"""The training loop, its loss and schedules, checkpoints and logs."""
