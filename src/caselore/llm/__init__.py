"""One seam to language models: ask(prompt, schema, budget) → answer, with what it cost.

Must not know prompts, incidents or any other domain type, keep state, or log a prompt's text.
"""
