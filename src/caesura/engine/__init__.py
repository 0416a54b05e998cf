"""Where the counting happens: here on threads, or on a cluster; the rows that come back are the same."""

from caesura.metrics.threads import count_rows

__all__ = ["count_rows"]
