"""Settings of every test."""

import gc

from hypothesis import settings

# How long an example takes depends on the machine, and says nothing about the code.
settings.register_profile("cardlab", settings(), deadline=None)
settings.load_profile("cardlab")

# Tests keep many small things, positions and logs above all, and hardly any of them in cycles.
# Looked through as often as Python does by default, they cost some tests a third of their time.
gc.set_threshold(10_000)
