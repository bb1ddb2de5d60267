"""What a turn leaves behind and takes up again: items recorded, replayed and pruned."""
