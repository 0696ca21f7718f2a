"""What is looked for and how: the plan behind the thresholds, and the run of its steps."""
