"""Agreement among coders: coefficients, and the chance models they correct for."""

from caesura.agreement.among_coders import agree, agreements
from caesura.agreement.coefficients import COEFFICIENTS, DEFAULT_COEFFICIENTS
from caesura.agreement.flexible import agree_flexibly, flexible_agreement
from caesura.agreement.result import Agreement
from caesura.agreement.tables import agreement_tables

__all__ = [
    "COEFFICIENTS",
    "DEFAULT_COEFFICIENTS",
    "Agreement",
    "agree",
    "agree_flexibly",
    "agreement_tables",
    "agreements",
    "flexible_agreement",
]
