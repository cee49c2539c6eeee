"""What train.py, translate.py and evaluate.py do; each module has a `main` that takes the command line."""
