"""What replicas share in PostgreSQL, beside what one bridge stores."""
