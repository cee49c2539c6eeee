"""A small grammar of English and French that writes the embedded demo corpus.

Words (`lexicon` and `verbs`, from the tables *.tsv) are put into phrases (`phrases`), phrases into clauses
(`clauses`) and clauses into sentences (`simple`, `states`, `questions`, `compound`). Both languages are built from
the same objects as lists of tokens; elision, contraction and spacing happen last, in `french.join` and
`english.join`. Tokens carry keys for what they mean (`tokens`), and words that share a key are aligned.
"""
