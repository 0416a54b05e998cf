"""Agreement among coders: coefficients, and the chance models they correct for."""

from caesura._callable import callable_as
from caesura.agreement.coefficients import COEFFICIENTS, agreement
from caesura.agreement.flexible import flexible_agreement
from caesura.agreement.result import Agreement

__all__ = ["COEFFICIENTS", "Agreement", "agreement", "flexible_agreement"]

callable_as(__name__, "agreement")  # caesura.agreement(corpus)
