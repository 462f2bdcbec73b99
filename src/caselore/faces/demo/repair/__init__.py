"""What the demonstration of the repair loop repairs, and the scripted workers that try to."""
