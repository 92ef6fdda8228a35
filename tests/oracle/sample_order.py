# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""The order in which `dlbench train` takes its samples, and how ranks share a batch, from the documentation alone."""
from philox import philox4x32


class Stream:
    """core::RandomStream, from its documentation."""

    def __init__(self, seed, stream):
        self.key, self.stream = (seed & 0xFFFFFFFF, seed >> 32), (stream & 0xFFFFFFFF, stream >> 32)
        self.words, self.block = [], 0

    def word(self):
        if not self.words:
            counter = (self.block & 0xFFFFFFFF, self.block >> 32, *self.stream)
            self.words = [int(word) for word in philox4x32(counter, self.key)]
            self.block += 1
        return self.words.pop(0)

    def below(self, bound):
        """Lemire 2019, algorithm 5."""
        while True:
            product = self.word() * bound
            if product & 0xFFFFFFFF >= (2**32 - bound) % bound:
                return product >> 32


def shuffled(samples, seed, epoch):
    """The order of the samples: data/loader/sampler.h."""
    order = list(range(samples))
    random = Stream(seed, 0x5348554600000000 + epoch)
    for left in range(samples, 1, -1):
        other = random.below(left)
        order[left - 1], order[other] = order[other], order[left - 1]
    return order


def shares(samples, ranks):
    """Where the part of each rank begins and ends: as even as can be, the larger ones first."""
    parts, begin = [], 0
    for rank in range(ranks):
        end = begin + samples // ranks + (1 if rank < samples % ranks else 0)
        parts.append((begin, end))
        begin = end
    return parts
