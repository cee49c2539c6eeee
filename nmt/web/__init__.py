"""HTML pages of one file: JavaScript modules, style sheets, and what puts them together."""
