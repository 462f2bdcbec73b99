"""Work that is done later: under a lock, again after an error, and on a schedule."""
