"""All that the database has of one user, whichever table it is in: its export and its deletion."""
