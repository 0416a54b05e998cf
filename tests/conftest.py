"""Tests run compiled loops, as long work does; Hypothesis sets no deadlines, for the first example may pay for compiling one.

Programs that tests start are not touched by this: they decide for themselves, as they do for everybody.
"""

from hypothesis import HealthCheck, settings

from caesura.kernels import jit

jit.mode = "always"

settings.register_profile("caesura", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("caesura")
