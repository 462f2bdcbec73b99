"""The command line: parses, calls the wired application, prints.

Must not hold policy, SQL or thresholds.
"""
