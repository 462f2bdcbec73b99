"""The dashboard: pages that the server writes whole, readable without JavaScript."""
