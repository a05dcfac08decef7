"""Molecular2D on charm4py, begun like `homenode bench molecular2d`, to be placed from outside.

    homenode run +setcpuaffinity +pemap 0-1 -- \
        python -m charmrun.start +p2 examples/charm_molecular2d.py PARTICLES STEPS

Prints one line of JSON: the time of a step, the particles, and what is conserved.
"""

import json
import math
import time

import numpy as np
from charm4py import Array, Chare, Future, Reducer, charm

import homenode

SIDE = 5  # Patches along each axis.
PATCHES = SIDE * SIDE
STEP = 0.005
DEPTH = 0.01  # Of the potential's well.
SPEED = 0.3  # At the start, at most, along each axis.
SEED = 1
# The first four are those that a patch is paired with as the first of two.
WAYS = ((1, 0), (-1, 1), (0, 1), (1, 1), (-1, 0), (1, -1), (0, -1), (-1, -1))
X, Y, VX, VY, FX, FY, MASS, KINETIC, ID, MOVES = range(10)  # A particle: ten words, 80 bytes.


class SplitMix:
    """The numbers of splitmix64, even over [-1, 1)."""

    def __init__(self, seed):
        self.state = seed

    def even(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        value = self.state
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
        return ((value ^ (value >> 31)) >> 11) * 2.0**-52 - 1.0


def in_a_row(particles):
    return math.ceil(math.sqrt(math.ceil(particles / PATCHES)))


def beside(patch, way):
    column, row = patch % SIDE + WAYS[way][0], patch // SIDE + WAYS[way][1]
    return row % SIDE * SIDE + column % SIDE


def first_particles(particles, patch):
    """Those of one patch at the start, in rows, at rest together."""
    first, end = (n * particles // PATCHES for n in (patch, patch + 1))
    row = in_a_row(particles)
    chance = SplitMix((SEED << 32) + patch)
    mine = np.zeros((end - first, 10))
    for i, particle in enumerate(mine):
        particle[X] = patch % SIDE + (i % row + 0.1 + 0.05 * chance.even()) / row
        particle[Y] = patch // SIDE + (i // row + 0.1 + 0.05 * chance.even()) / row
        particle[VX] = SPEED * chance.even()
        particle[VY] = SPEED * chance.even()
        particle[MASS] = 1.0
        particle[ID] = first + i
    mine[:, VX:FX] -= mine[:, VX:FX].mean(axis=0)
    return mine


class Compute(Chare):
    """The forces between two patches, or within one: number k of five of the first patch."""

    def __init__(self, particles, patches):
        self.patches = patches
        self.first, self.k = divmod(self.thisIndex[0], 5)
        self.second = self.first if self.k == 0 else beside(self.first, self.k - 1)
        size6 = (0.85 / in_a_row(particles)) ** 6
        self.repulsion = 48 * DEPTH * size6 * size6
        self.attraction = 24 * DEPTH * size6
        self.sides = {}

    def places(self, side, particles):
        self.sides[side] = particles
        if len(self.sides) == (1 if self.k == 0 else 2):
            self.work()

    def work(self):
        a = self.sides[0]
        b = self.sides.get(1, a)
        self.sides = {}
        distance = a[:, None, X:VX] - b[None, :, X:VX]
        distance -= SIDE * np.round(distance / SIDE)  # Across the edges too.
        square = (distance**2).sum(axis=2)
        if self.k == 0:
            np.fill_diagonal(square, 2.0)
        inverse = np.where(square < 1, 1 / square, 0.0)
        inverse6 = inverse**3
        scale = inverse6 * (self.repulsion * inverse6 - self.attraction) * inverse
        pull = scale[:, :, None] * distance
        energy = inverse6 * (self.repulsion / 12 * inverse6 - self.attraction / 6)
        energy -= (square < 1) * (self.repulsion / 12 - self.attraction / 6)
        if self.k == 0:
            self.patches[self.first].forces(0, pull.sum(axis=1), energy.sum() / 2)
            return
        self.patches[self.first].forces(self.k, pull.sum(axis=1), energy.sum())
        self.patches[self.second].forces(self.k + 4, -pull.sum(axis=0), 0.0)


class Patch(Chare):
    """A square of the plane and the particles in it."""

    def __init__(self, particles, steps):
        self.me, self.steps = self.thisIndex[0], steps
        self.particles = first_particles(particles, self.me)
        self.step, self.moved = 0, False
        self.pulls, self.arrivals, self.energies = {}, {}, []
        self.potential = 0.0

    def begin(self, computes, done):
        self.computes, self.done = computes, done
        self.send()

    def send(self):
        for k in range(5):
            self.computes[5 * self.me + k].places(0, self.particles)
        for way in range(4, 8):
            self.computes[5 * beside(self.me, way) + way - 3].places(1, self.particles)

    def forces(self, place, pull, potential):
        self.pulls[place] = pull
        self.potential += potential
        if len(self.pulls) == 9:
            self.move()

    def move(self):
        pull = sum(self.pulls[place] for place in range(9))
        mine = self.particles
        before = mine[:, VX:FX].copy()
        mine[:, VX:FX] += pull * STEP
        mine[:, X:VX] += mine[:, VX:FX] * STEP
        kinetic = (((before + mine[:, VX:FX]) / 2) ** 2).sum() / 2
        self.energies.append((kinetic, self.potential))
        self.pulls, self.potential, self.moved = {}, 0.0, True
        corner = np.array([self.me % SIDE, self.me // SIDE])
        way = (mine[:, X:VX] >= corner + 1).astype(int) - (mine[:, X:VX] < corner)
        for number, direction in enumerate(WAYS):
            leaving = mine[(way == direction).all(axis=1)]
            leaving[:, X:VX] %= SIDE
            leaving[:, MOVES] += 1
            to = beside(self.me, number)
            self.thisProxy[to].arrive((number + 4) % 8, leaving)
        self.particles = mine[(way == 0).all(axis=1)]
        self.go_on()

    def arrive(self, way, particles):
        self.arrivals[way] = particles
        self.go_on()

    def go_on(self):
        """The next step, once this patch has moved and all neighbours have sent."""
        if not self.moved or len(self.arrivals) < 8:
            return
        self.particles = np.concatenate([self.particles, *(self.arrivals[w] for w in range(8))])
        self.arrivals, self.moved = {}, False
        self.step += 1
        if self.step < self.steps:
            self.send()
        else:
            self.tell()

    def tell(self):
        first, last = np.array(self.energies[0]), np.array(self.energies[-1])
        momentum = self.particles[:, VX:FX].sum(axis=0)
        moves = self.particles[:, MOVES].sum()
        told = [len(self.particles), *momentum, first[0], (last - first).sum(), moves]
        self.reduce(self.done, np.array(told), Reducer.sum)


def main(arguments):
    """Runs all steps and prints what is conserved."""
    particles, steps = (int(word) for word in arguments[1:3])
    patches = Array(Patch, PATCHES, args=[particles, steps])
    computes = Array(Compute, 5 * PATCHES, args=[particles, patches])
    charm.awaitCreation(patches, computes)
    done = Future()
    with homenode.roi(all_processes=True):
        started = time.perf_counter()
        patches.begin(computes, done)
        count, x, y, kinetic, change, moves = done.get()
        seconds = time.perf_counter() - started
    line = {
        "pes": charm.numPes(),
        "ms_a_step": 1e3 * seconds / steps,
        "particles": int(count),
        "momentum": math.hypot(x, y),
        "energy_drift_percent": 100 * change / kinetic,
        "moves": int(moves),
    }
    print(json.dumps(line), flush=True)
    charm.exit()


charm.start(main)
