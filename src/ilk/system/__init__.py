"""The machine: memory, processors, progress, files that appear whole, seeded draws, checkpoints."""
