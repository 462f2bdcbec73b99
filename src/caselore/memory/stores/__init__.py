"""The places where banks live, and the plain SQL they use."""
