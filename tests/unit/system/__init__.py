"""The machine: memory, processors, progress, checkpoints."""
