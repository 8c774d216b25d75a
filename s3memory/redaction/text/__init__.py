"""Tools for searching a text: its lines, tables and words, and caches for patterns and judgements. It knows no rule."""
