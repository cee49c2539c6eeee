"""serve.py: trained models over HTTP, through the LibreTranslate API."""
