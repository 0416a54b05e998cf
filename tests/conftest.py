"""Tests run compiled loops, as long work does, and look whether plain ones say the same.

Programs that tests start are not touched by this: they choose for themselves, as they do for everybody. Hypothesis sets no
deadlines, for the first example may pay for compiling a loop.
"""

from hypothesis import HealthCheck, settings

from twins import compare_first_calls

compare_first_calls()

settings.register_profile("caesura", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("caesura")
