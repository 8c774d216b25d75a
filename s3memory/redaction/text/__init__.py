"""A text made searchable: its words and signs, what was compiled and judged before. It knows no rule."""
