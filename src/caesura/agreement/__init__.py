"""Agreement among coders: coefficients, and the chance models they correct for."""

from caesura.agreement.agreement_tables import agreement_tables
from caesura.agreement.among_coders import agree, agreements
from caesura.agreement.answer import Agreement
from caesura.agreement.coefficients import COEFFICIENTS, DEFAULT_COEFFICIENTS
from caesura.agreement.flexible_agreement import agree_flexibly, flexible_agreement
from caesura.agreement.unitizing import SPAN_COEFFICIENTS, alpha_u, gamma, span_agreements, u_alpha

__all__ = [
    "COEFFICIENTS",
    "DEFAULT_COEFFICIENTS",
    "SPAN_COEFFICIENTS",
    "Agreement",
    "agree",
    "agree_flexibly",
    "agreement_tables",
    "agreements",
    "alpha_u",
    "flexible_agreement",
    "gamma",
    "span_agreements",
    "u_alpha",
]
