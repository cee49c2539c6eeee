"""The translator as one HTML page: JavaScript modules, a style sheet, and what puts them together."""
