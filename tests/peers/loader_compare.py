#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the loader with PyTorch's DataLoader: same files, same number of workers, taken in turn.

Both sides do the whole path: file -> decoded -> resized bilinearly to 256 x 256 -> uint8 batch tensors of
image and mask (mask thresholded). The peers are DataLoader with PIL and with OpenCV, each with as many
worker processes as we have worker threads; "main" is DataLoader without workers, on one core.

Rates are per core: N workers, and on both sides whatever serves them (DataLoader's main process, which takes the
batches over; our consumer), run on N cores. --all-cores lets everybody use all of the machine's: with fewer workers
than cores DataLoader then computes on more cores than it has workers.

What N workers keep of the rate of one is told against one worker on each of their cores in turn: cores of a shared
machine are not equally fast. N processes of ours with one worker each, beside each other on a core each, tell what
the machine itself loses when all of its cores compute.

Beside the rates stands the CPU time per sample where it can be had (ours: the workers; DataLoader: without workers,
the whole process): it tells the cost even on a machine where others compute, which the rates do not.

Run with Debian's Python (python3-torch, python3-pil, python3-opencv), after a build with
-DDLBENCH_BUILD_BENCHMARKS=ON:
    /usr/bin/python3 tests/peers/loader_compare.py --program build/bin/loader_throughput
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import cv2
import numpy
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    """Image and mask files by stem, as the loader's kvasir-seg data set."""

    def __init__(self, folder, library, size):
        self.images = sorted((folder / "train" / "images").iterdir())
        self.masks = [folder / "train" / "masks" / path.name for path in self.images]
        self.library = library
        self.size = (size, size)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        if self.library == "cv2":
            # Colours are swapped after resizing: the same pixels for less work.
            image = cv2.resize(cv2.imread(str(self.images[index])), self.size, interpolation=cv2.INTER_LINEAR)
            image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
            mask = cv2.imread(str(self.masks[index]), cv2.IMREAD_GRAYSCALE)
            mask = cv2.resize(mask, self.size, interpolation=cv2.INTER_LINEAR)
        else:
            image = numpy.array(Image.open(self.images[index]).convert("RGB").resize(self.size, Image.BILINEAR))
            mask = numpy.asarray(Image.open(self.masks[index]).convert("L").resize(self.size, Image.BILINEAR))
        return torch.from_numpy(image), torch.from_numpy((mask >= 128).view(numpy.uint8))


def one_thread(_worker=0):
    cv2.setNumThreads(0)
    torch.set_num_threads(1)


@contextlib.contextmanager
def on_cores(cores):
    """This thread, and processes that it starts meanwhile, on these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Peer:
    """A DataLoader that keeps its workers between rounds; idle outside measure()."""

    def __init__(self, folder, library, workers, batch_size, size):
        extra = {"persistent_workers": True, "prefetch_factor": 2} if workers else {}
        self.loader = DataLoader(Pairs(folder, library, size), batch_size=batch_size, shuffle=True, drop_last=True,
                                 num_workers=workers, worker_init_fn=one_thread, **extra)
        for _ in self.loader:  # starts the workers, fills the page cache
            pass

    def measure(self, seconds):
        """Whole epochs, so that nothing prefetched is left behind or counted twice."""
        samples = 0
        start = time.perf_counter()
        cpu_start = time.process_time()
        while time.perf_counter() - start < seconds:
            for image, _mask in self.loader:
                samples += len(image)
        rate = samples / (time.perf_counter() - start)
        in_this_process = self.loader.num_workers == 0
        return rate, 1e3 * (time.process_time() - cpu_start) / samples if in_this_process else None


def start_ours(arguments, folder, decode, workers):
    command = [arguments.program, "--data", str(folder), "--decode", decode, "--workers", str(workers), "--seconds",
               str(arguments.seconds), "--batch-size", str(arguments.batch_size)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def result_of(process):
    output, _ = process.communicate()
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    result = json.loads(output)
    return result["samples_per_s"], result["cpu_ms_per_sample"]


def ours(arguments, folder, decode, workers):
    return result_of(start_ours(arguments, folder, decode, workers))


def ours_beside_each_other(arguments, folder, decode, cores):
    """One process with one worker on each core at the same time; the rate of all."""
    processes = []
    for core in cores:
        with on_cores({core}):
            processes.append(start_ours(arguments, folder, decode, 1))
    rates, cpu_ms = zip(*(result_of(process) for process in processes))
    return sum(rates), statistics.mean(cpu_ms)


def interval(ratios):
    """Median and range of the paired ratios."""
    return "%.2f (%.2f to %.2f)" % (statistics.median(ratios), min(ratios), max(ratios))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="path of loader_throughput")
    parser.add_argument("--data", help="folder in Kvasir-SEG's layout; default: generated in a temporary folder")
    parser.add_argument("--samples", type=int, default=200, help="samples to generate")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0, help="per measurement")
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--image-size", type=int, default=256)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, len(os.sched_getaffinity(0))])
    parser.add_argument("--all-cores", action="store_true", help="do not keep N workers on N cores")
    parser.add_argument("--json", help="also write all measurements to this file")
    arguments = parser.parse_args()
    one_thread()
    all_cores = os.sched_getaffinity(0)
    if max(arguments.workers) > len(all_cores) and not arguments.all_cores:
        parser.error("%d workers, but %d cores" % (max(arguments.workers), len(all_cores)))

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.data or temporary + "/kvasir-seg")
        if not arguments.data:
            subprocess.run([arguments.program, "--data", str(folder), "--generate", str(arguments.samples),
                            "--seconds", "0.1"], check=True, stdout=subprocess.DEVNULL)
        subjects = {}
        for workers in sorted(set(arguments.workers)):
            cores = all_cores if arguments.all_cores else set(sorted(all_cores)[:workers])
            for library in ("PIL", "cv2"):
                with on_cores(cores):
                    peer = Peer(folder, library, workers, arguments.batch_size, arguments.image_size)
                subjects["%s, %d worker(s)" % (library, workers)] = (
                    cores, lambda peer=peer: peer.measure(arguments.seconds))
            for decode in ("exact", "scaled"):
                subjects["dlbench %s, %d worker(s)" % (decode, workers)] = (
                    cores, lambda decode=decode, workers=workers: ours(arguments, folder, decode, workers))
        many = max(arguments.workers)
        cores = sorted(all_cores)[:many]
        for decode in ("exact", "scaled"):
            for core in cores:
                subjects["dlbench %s, alone on core %d" % (decode, core)] = (
                    {core}, lambda decode=decode: ours(arguments, folder, decode, 1))
            subjects["dlbench %s, %d processes" % (decode, many)] = (
                all_cores, lambda decode=decode, cores=cores: ours_beside_each_other(arguments, folder, decode, cores))
        for library in ("PIL", "cv2"):
            peer = Peer(folder, library, 0, arguments.batch_size, arguments.image_size)
            subjects["%s, main" % library] = all_cores, lambda peer=peer: peer.measure(arguments.seconds)

        rates = {name: [] for name in subjects}
        cpu_ms = {name: [] for name in subjects}
        for number in range(arguments.rounds):
            for name, (cores, measure) in subjects.items():
                with on_cores(cores):
                    rate, cpu = measure()
                rates[name].append(rate)
                cpu_ms[name] += [cpu] if cpu is not None else []
                print("round %d  %-28s %8.1f samples/s" % (number + 1, name, rate), flush=True)

    print("\nmedian of %d rounds, samples/s" % arguments.rounds)
    for name, values in rates.items():
        cpu = ", CPU %.2f ms/sample" % statistics.median(cpu_ms[name]) if cpu_ms[name] else ""
        print("  %-28s %8.1f  (%.1f to %.1f)%s" % (name, statistics.median(values), min(values), max(values), cpu))
    print("\npaired ratios against the faster peer of the round: median (range)")
    for workers in sorted(set(arguments.workers)):
        peers = [max(pair) for pair in zip(rates["PIL, %d worker(s)" % workers], rates["cv2, %d worker(s)" % workers])]
        for decode in ("exact", "scaled"):
            values = rates["dlbench %s, %d worker(s)" % (decode, workers)]
            print("  %-7s %d worker(s): %s" % (decode, workers, interval([a / b for a, b in zip(values, peers)])))
    least = [min(pair) for pair in zip(cpu_ms["PIL, main"], cpu_ms["cv2, main"])]
    for decode in ("exact", "scaled"):
        values = cpu_ms["dlbench %s, %d worker(s)" % (decode, min(arguments.workers))]
        print("  %-7s CPU time, peer / ours:  %s" % (decode, interval([a / b for a, b in zip(least, values)])))
    for decode in ("exact", "scaled"):
        together = rates["dlbench %s, %d worker(s)" % (decode, many)]
        beside = rates["dlbench %s, %d processes" % (decode, many)]
        alone = [sum(rates["dlbench %s, alone on core %d" % (decode, core)][number] for core in cores)
                 for number in range(arguments.rounds)]
        for name, values in (("%d workers" % many, together), ("%d processes" % many, beside)):
            print("  %-7s %s against one worker on each core in turn: %s" % (
                decode, name, interval([a / b for a, b in zip(values, alone)])))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rates, indent=1))


if __name__ == "__main__":
    main()
