"""Draws what homenode computes: machines, measurements and the waves of `bench seismic`."""
