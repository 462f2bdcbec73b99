"""Coding agents as workers of the repair loop: how each is started, resumed, stopped and heard."""
