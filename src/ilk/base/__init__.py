"""The machine: memory, processors, progress, atomic files, seeded draws, checkpoints."""
