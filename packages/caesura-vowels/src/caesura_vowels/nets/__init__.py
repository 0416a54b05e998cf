"""Making letter networks with PyTorch. Nothing here imports Caesura, so that a machine with a GPU needs PyTorch and NumPy alone."""
