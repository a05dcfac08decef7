"""Allocators side by side: `./dev bench heap`. CPU time and peak resident memory of small programs,
each a habit that real ones have, and of real ones, under the project's malloc and its peers."""
