"""Agreement among coders: coefficients, and the chance models they correct for."""

from caesura.agreement.flexible import flexible_agreement
from caesura.agreement.result import Agreement

__all__ = ["Agreement", "flexible_agreement"]
