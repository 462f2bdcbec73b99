"""The repair loop: a red pipeline goes back to the worker that owns the change, within bounds."""
