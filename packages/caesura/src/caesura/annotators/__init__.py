"""Models of annotators: who can be trusted, what is probably true, may a model replace a person, how many annotators are enough."""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

if TYPE_CHECKING:
    from caesura.annotators.model import AnnotatorModel as AnnotatorModel
    from caesura.annotators.model import fit_annotators as fit_annotators
    from caesura.annotators.planning import Plan as Plan
    from caesura.annotators.planning import plan as plan
    from caesura.annotators.profiles import AnnotatorProfile as AnnotatorProfile
    from caesura.annotators.replacement import AlternativeAnnotatorTest as AlternativeAnnotatorTest
    from caesura.annotators.replacement import alternative_annotator as alternative_annotator
    from caesura.annotators.simulation import Simulation as Simulation
    from caesura.annotators.simulation import simulate_annotators as simulate_annotators
    from caesura.annotators.territory import Prior as Prior

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "model": ["AnnotatorModel", "fit_annotators"],
        "planning": ["Plan", "plan"],
        "profiles": ["AnnotatorProfile"],
        "replacement": ["AlternativeAnnotatorTest", "alternative_annotator"],
        "simulation": ["Simulation", "simulate_annotators"],
        "territory": ["Prior"],
    },
)
