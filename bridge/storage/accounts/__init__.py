"""What the database has of accounts: logins, usage, browsers to be paired, and all of one user at once."""
