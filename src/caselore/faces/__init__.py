"""What people and programs see: each face parses, calls the wired application and prints.

Must not hold SQL, prompts, thresholds or policy.
"""
