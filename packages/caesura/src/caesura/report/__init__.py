"""Reports about a corpus, comparisons, and the tour of ``caesura demo``."""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

if TYPE_CHECKING:
    from caesura.report.blocks import Report as Report
    from caesura.report.comparison import Comparison as Comparison
    from caesura.report.comparison import compare as compare
    from caesura.report.content import make_report as make_report
    from caesura.report.page import html_page as html_page
    from caesura.report.page import markdown_report as markdown_report

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "blocks": ["Report"],
        "comparison": ["Comparison", "compare"],
        "content": ["make_report"],
        "page": ["html_page", "markdown_report"],
    },
)
