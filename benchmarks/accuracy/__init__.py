"""How right the answers are: `ilk scan` scored on documents whose likeness is known.

``python -m benchmarks.accuracy --help`` says how to score a folder of documents of one's own.
"""
