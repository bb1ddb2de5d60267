"""Items of turns that are stored: their shape, ids, markers and export."""
