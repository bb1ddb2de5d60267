"""What all endpoints share: connections, access control, bodies, streams, errors."""
