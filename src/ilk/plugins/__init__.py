"""What packages beside the core, and plug-ins, stand on: the public names of each room.

A name that is not in ``ilk`` itself or here may change without notice.
"""
