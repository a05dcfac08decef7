"""Study: run a declared experiment and keep one record per case, whatever happens in between."""
