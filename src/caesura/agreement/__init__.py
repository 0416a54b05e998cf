"""Agreement among coders: coefficients, and the chance models they correct for."""

from caesura.agreement.result import Agreement

__all__ = ["Agreement"]
