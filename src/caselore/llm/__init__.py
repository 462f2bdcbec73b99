"""The one seam to language models: ask(prompt, schema, budget) → answer with its cost.

Must not hold policy: what a model may say is checked by those who ask.
"""
