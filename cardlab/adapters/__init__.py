"""cardlab's games in the field's own interfaces, written once for every game.

Each adapter takes a :class:`cardlab.Game` and needs the extra ``adapters``.
"""
