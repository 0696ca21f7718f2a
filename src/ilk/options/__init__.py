"""Every option, once: its type, bounds, default, unit and help (``table``), in ``kinds``."""
