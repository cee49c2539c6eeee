"""The report of an evaluation, eval/report.html: what a model is good and bad at, in one page that needs no server."""
