"""What `./dev metrics` measures: properties of the source tree that may only get better."""
