"""Plain scripts that the demonstration copies into a throw-away folder and runs there."""
