"""kNeighbor on charm4py, with the sums of `homenode bench kneighbor`, to be placed from outside.

    homenode run +setcpuaffinity +pemap 0-1 -- \
        python -m charmrun.start +p2 examples/charm_kneighbor.py ELEMENTS ITERATIONS STEPS BYTES

Prints one line of JSON: the median time of a step and what the elements received.
"""

import json
import statistics
import time

import numpy as np
from charm4py import Array, Chare, Future, Reducer, charm

import homenode

REACH = 3
LINKS = 2 * REACH
MODULUS = 1 << 64


def neighbour(elements, element, link):
    """The element at the other end of a link: even ones lead to the right, odd ones to the left."""
    distance = link // 2 + 1
    return (element + (distance if link % 2 == 0 else -distance)) % elements


def stamp(elements, step, sender, link):
    """The first word of a message."""
    return (step * elements + sender) * LINKS + link


class Element(Chare):
    """One place of the ring."""

    def __init__(self, elements, steps, words):
        self.elements, self.steps, self.words = elements, steps, words
        self.me = self.thisIndex[0]
        self.count = np.arange(words, dtype=np.uint64)
        self.step = self.received = self.sum = self.answers = 0
        self.done = None

    def iterate(self, done):
        self.done = done
        self.send()

    def send(self):
        self.answers = 0
        for link in range(LINKS):
            first = stamp(self.elements, self.step, self.me, link)
            to = neighbour(self.elements, self.me, link)
            self.thisProxy[to].receive(self.me, self.count + np.uint64(first))
        self.step += 1

    def receive(self, sender, payload):
        self.received += 1
        self.sum = (self.sum + int(payload.sum())) % MODULUS
        self.thisProxy[sender].answer(payload)

    def answer(self, _payload):
        self.answers += 1
        if self.answers < LINKS:
            return
        if self.step % self.steps:
            self.send()
        else:
            self.reduce(self.done)

    def expected(self):
        """The sum of all words of all messages that this element should have received."""
        total = 0
        for link in range(LINKS):
            sender = neighbour(self.elements, self.me, link ^ 1)
            stamps = self.elements * LINKS * (self.step * (self.step - 1) // 2)
            stamps += self.step * (sender * LINKS + link)
            total += self.words * stamps + self.step * (self.words * (self.words - 1) // 2)
        return total % MODULUS

    def report(self, done):
        wrong = int(self.sum != self.expected())
        self.reduce(done, np.array([self.received, wrong]), Reducer.sum)


def iterate(ring):
    """One iteration, and how long it took."""
    done = Future()
    started = time.perf_counter()
    ring.iterate(done)
    done.get()
    return time.perf_counter() - started


def main(arguments):
    """Runs the iterations and prints what came of them."""
    elements, iterations, steps, size = (int(word) for word in arguments[1:5])
    ring = Array(Element, elements, args=[elements, steps, size // 8])
    iterate(ring)  # Until all elements are there.
    with homenode.roi(all_processes=True):
        seconds = [iterate(ring) for _ in range(iterations)]
    told = Future()
    ring.report(told)
    received, wrong = (int(value) for value in told.get())
    us = 1e6 * statistics.median(seconds) / steps
    line = {"pes": charm.numPes(), "us_a_step": us, "received": received, "wrong_sums": wrong}
    print(json.dumps(line), flush=True)
    charm.exit()


charm.start(main)
