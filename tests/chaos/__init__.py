"""`make chaos`: kill real training processes, send them signals, break their disk, and check that nothing is lost."""
