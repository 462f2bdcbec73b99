"""The demonstration: two small services that really fail, and the story told over them."""
