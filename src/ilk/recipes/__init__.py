"""How fingerprints are made: options, recipes, presets, tables of weights."""
