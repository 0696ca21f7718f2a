"""How right the answers are: `ilk scan` scored on documents whose likeness is known.

``python -m benchmarks.accuracy --help`` says how to score documents of your own.

- ``documents``: what is scored: the files of a folder, or the lines of a JSONL file
- ``naming``, ``labels``: what is known of them, and whom the labels mean
- ``scan``, ``answers``: the product's answer, and that of other packages
- ``fitting``: whether labels were measured as they are asked about
- ``truth``, ``pairs``, ``curve``: pairs right and wrong, at one threshold and at every one
- ``clusters``: clusters beside families
- ``graded``: likeness beside grades, or beside the versions of a document
- ``recipes``: fingerprints compared, without the product around them
- ``beside``: other packages on the sets that some developers have, and on edited copies
- ``report``, ``markdown``: what these two tell, as JSON and as tables
- ``drawn``: curves as pictures
- ``evaluate``: from paths to scores; ``known``: the sets that some developers have
"""
