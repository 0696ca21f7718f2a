"""The service: a store over HTTP. Nothing is fetched, at any time, from anywhere.

One module, one concept:

- ``running``: the process: its address, its signals
- ``application``: the rooms below put together
- ``guard``: what every request must pass: host, origin, token, limits; what every answer carries
- ``routes``: the addresses for programs; ``bodies``: what they are sent; ``answers``: what they say
- ``pages``: those for people; ``sessions``: who has logged in to them
- ``batches``: JSON lines in, JSON lines out
- ``tokens``: who may what; ``limits``: how much; ``work``: how much at once
- ``problems``: errors as answers; ``metrics``: what was counted; ``logs``: a line per request
"""
