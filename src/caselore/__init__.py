"""caselore: case law for pipelines and agents."""
