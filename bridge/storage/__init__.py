"""The database and the files of a bridge: everything that outlives the process."""
