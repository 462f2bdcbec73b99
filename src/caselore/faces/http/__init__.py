"""The HTTP face: `/api/v1`, its description, health and metrics."""
