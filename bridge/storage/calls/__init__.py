"""What the database has of calls beside their journal: refused ones, and how calls are searched."""
