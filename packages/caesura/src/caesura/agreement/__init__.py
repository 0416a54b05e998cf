"""Coefficients of agreement among coders, and the models of chance they correct for."""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

if TYPE_CHECKING:
    from caesura.agreement.among_coders import agree as agree
    from caesura.agreement.among_coders import agreements as agreements
    from caesura.agreement.coefficients import COEFFICIENTS as COEFFICIENTS
    from caesura.agreement.coefficients import DEFAULT_COEFFICIENTS as DEFAULT_COEFFICIENTS
    from caesura.agreement.coefficients import SPAN_COEFFICIENTS as SPAN_COEFFICIENTS
    from caesura.agreement.disagreement import Disagreement as Disagreement
    from caesura.agreement.disagreement import explain_disagreement as explain_disagreement
    from caesura.agreement.flexible_agreement import agree_flexibly as agree_flexibly
    from caesura.agreement.flexible_agreement import flexible_agreement as flexible_agreement
    from caesura.agreement.result import Agreement as Agreement
    from caesura.agreement.result import agreement_tables as agreement_tables
    from caesura.agreement.unitizing import alpha_u as alpha_u
    from caesura.agreement.unitizing import gamma as gamma
    from caesura.agreement.unitizing import span_agreements as span_agreements
    from caesura.agreement.unitizing import u_alpha as u_alpha

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "among_coders": ["agree", "agreements"],
        "coefficients": ["COEFFICIENTS", "DEFAULT_COEFFICIENTS", "SPAN_COEFFICIENTS"],
        "disagreement": ["Disagreement", "explain_disagreement"],
        "flexible_agreement": ["agree_flexibly", "flexible_agreement"],
        "result": ["Agreement", "agreement_tables"],
        "unitizing": ["alpha_u", "gamma", "span_agreements", "u_alpha"],
    },
)
