"""To look at: drawings for terminal, notebook and page, and the report that holds them."""
