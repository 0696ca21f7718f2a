"""What holds for any input: kernels equal the oracles."""
