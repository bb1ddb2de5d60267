"""All I/O of the bridge: sockets, HTTP, the database, files and child processes."""
