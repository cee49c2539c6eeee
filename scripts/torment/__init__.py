"""Real training processes, killed, signalled and starved of disk, and what must be true of them afterwards."""
