"""The workbench in the browser: compare, agree, adjudicate; pages for people and the same operations as a JSON API."""
