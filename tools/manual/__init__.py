"""Man pages that are no verb's: of the C library from its headers, of files from docs/."""
