"""Lines of Hebrew with their vowel points, written for the tour: ספר is *sefer*, a book, or *safar*, he counted."""

from __future__ import annotations

__all__ = ["LINES", "UNPOINTED"]

LINES: tuple[str, ...] = (
    "הַיֶּלֶד קָרָא סֵפֶר טוֹב",
    "הַמּוֹרֶה סָפַר אֶת הַיְלָדִים",
    "הַיַּלְדָּה רָצְתָה סֵפֶר חָדָשׁ",
    "הַמּוֹרֶה קָרָא סֵפֶר בַּגַּן",
    "הָאִישׁ סָפַר אֶת הַכֶּסֶף",
    "הַיֶּלֶד סָפַר אֶת הַיָּמִים",
    "הָאִישׁ קָרָא סֵפֶר בָּעֶרֶב",
)

UNPOINTED: tuple[str, ...] = ("האיש קרא ספר חדש", "המורה ספר את הכסף")
