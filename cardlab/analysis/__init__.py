"""Counting, solving and simulating: arrays and DataFrames from the rules.

Each module is imported by its own name, ``from cardlab.analysis import decks``, so that what one of
them needs is loaded only with it.
"""
