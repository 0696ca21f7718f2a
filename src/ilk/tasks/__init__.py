"""The tasks behind the verbs: find and deduplicate, compare, passages, and carrying out a plan."""
