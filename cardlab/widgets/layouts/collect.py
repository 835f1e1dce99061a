"""The table of the drafts of Alicematic, which is that of Alicematic itself."""

from cardlab.widgets.layouts.alicematic import HEIGHT, prompt, table

__all__ = ["HEIGHT", "SHEETS", "prompt", "table"]

SHEETS = ("alicematic", "around")
