# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles on all cores what torch.compile's coordinate descent is about to time, so that it ends within minutes.

Mode max-autotune halves and doubles each block size and the number of warps of each kernel of its own, and compiles
every such configuration when it comes to it, one after the other: some 300 kernels of ResUNet++, ten or twenty
compilations each. Here those next to a configuration that is tuned from, or was found to be better, are compiled
beforehand by worker processes; Triton's cache on disk hands them over. The same configurations are timed, and chosen
from, but by a process beside which others compile.

Uses internals of PyTorch 2.11.
"""
import concurrent.futures
import copy
import pathlib

AHEAD = 8  # kernels of which the neighbours are compiled before their turn
URGENT_WORKERS = 8
LONGEST = 60  # seconds: then the tuning process compiles for itself


def compile_one(path, kernel_name, config):
    """In a worker: leaves one configuration of a kernel in Triton's cache."""
    from torch._inductor.codecache import PyCodeCache
    kernel = getattr(PyCodeCache.load_by_key_path(pathlib.Path(path).stem, path), kernel_name)
    kernel._precompile_config(config)


class Ahead:
    """Which configurations are being compiled, and of which kernels they come next."""

    def __init__(self):
        from torch._inductor.async_compile import AsyncCompile
        from torch._inductor.compile_worker.subproc_pool import SubprocPool
        self.pool = AsyncCompile.process_pool()
        self.urgent = SubprocPool(URGENT_WORKERS)
        self.futures = {}
        self.waiting = []  # kernels in the order in which they were loaded, which is nearly that of their runs
        self.tuning = None  # the kernel that is being tuned

    @staticmethod
    def key(kernel, config):
        from torch._inductor.runtime.runtime_utils import triton_config_to_hashable
        return kernel.filename, triton_config_to_hashable(config)

    def compile_neighbours(self, pool, kernel, config):
        from torch._inductor.runtime.coordinate_descent_tuner import get_field, set_field
        tuner = kernel.coordesc_tuner
        for field in tuner.tunable_fields:
            value = get_field(config, field)
            for other in [] if value is None else tuner.get_neighbour_values(field, value):
                neighbour = copy.deepcopy(config)
                set_field(neighbour, field, other)
                key = self.key(kernel, neighbour)
                if key not in self.futures and tuner.is_valid_config(neighbour):
                    self.futures[key] = pool.submit(compile_one, kernel.filename, tuner.name, neighbour)

    def begin(self, kernel, config):
        self.tuning = kernel
        if kernel in self.waiting:
            del self.waiting[:self.waiting.index(kernel) + 1]
        self.compile_neighbours(self.urgent, kernel, config)
        for later in self.waiting[:AHEAD]:
            for launcher in later.launchers:
                self.compile_neighbours(self.pool, later, launcher.config)

    def end(self):
        """How many configurations were compiled; no more are, and the workers end."""
        compiled = sum(future.done() and future.exception() is None for future in self.futures.values())
        self.urgent.shutdown()
        return compiled

    def wait_for(self, kernel, config):
        if future := self.futures.get(self.key(kernel, config)):
            concurrent.futures.wait([future], LONGEST)  # one that failed fails again where it is wanted


def install():
    """Takes effect for all that this process compiles from now on."""
    from torch._inductor.runtime import coordinate_descent_tuner, hints, triton_heuristics
    kernels, tuner = triton_heuristics.CachingAutotuner, coordinate_descent_tuner.CoordescTuner
    never = (hints.HeuristicType.TEMPLATE, hints.HeuristicType.USER_AUTOTUNE, hints.HeuristicType.FIXED)
    precompile, tune, compare = kernels.precompile, kernels._coordinate_descent_tuning, tuner.compare_config
    compile_config = kernels._precompile_config
    ahead = Ahead()

    def precompile_and_note(kernel, *arguments, **options):
        precompile(kernel, *arguments, **options)
        if (kernel.launchers and kernel.filename and kernel.heuristic_type not in never and
                kernel.inductor_meta.get("coordinate_descent_tuning") and
                not any(getattr(l.config, "found_by_coordesc", False) for l in kernel.launchers)):
            ahead.waiting.append(kernel)

    def tune_with_neighbours(kernel, launcher, *arguments, **options):
        ahead.begin(kernel, launcher.config)
        return tune(kernel, launcher, *arguments, **options)

    def compare_and_note(self, function, candidate, best, best_timing):
        better, timing = compare(self, function, candidate, best, best_timing)
        if better and ahead.tuning is not None and ahead.tuning.coordesc_tuner is self:
            ahead.compile_neighbours(ahead.urgent, ahead.tuning, candidate)
        return better, timing

    def compile_or_wait(kernel, config):
        ahead.wait_for(kernel, config)
        return compile_config(kernel, config)

    kernels.precompile, kernels._precompile_config = precompile_and_note, compile_or_wait
    kernels._coordinate_descent_tuning, tuner.compare_config = tune_with_neighbours, compare_and_note
    return ahead
