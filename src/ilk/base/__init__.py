"""The machine: memory, processors, progress, atomic files, checkpoints."""
