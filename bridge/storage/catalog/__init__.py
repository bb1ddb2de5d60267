"""What the database has of users' catalogs beside servers, names and choices."""
