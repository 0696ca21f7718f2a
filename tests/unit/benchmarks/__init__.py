"""The benchmarks themselves: what is compared with must be right."""
