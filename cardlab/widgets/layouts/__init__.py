"""How each game's table looks: one module a game, with ``table(view)`` and ``HEIGHT``."""
