"""A package that adds one of everything to Caesura; ``caesura.toml`` describes it."""
