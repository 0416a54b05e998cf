"""Hypothesis without deadlines: the first example of a property may pay for compiling a kernel."""

from hypothesis import HealthCheck, settings

settings.register_profile("caesura", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("caesura")
