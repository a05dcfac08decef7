"""The placement that makes a program fastest: candidates, runs in turn, and what they prove."""
