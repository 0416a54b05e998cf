"""The Caesura workbench: compare, measure agreement and adjudicate in the browser, with the same operations as a JSON API."""
