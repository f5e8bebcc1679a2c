#!/usr/bin/env python3
"""Faults of runs of several processes: a rank that is killed at random moments, a rank that is stopped, a disk that is full or
fills up, two runs on one output. Afterwards the same command must resume, and write the same bytes as a single undisturbed process.
Runs that keep no tiles (bounds, whose processes exchange blocks, clusters and neighbours) must end with an error and leave no part of
a file when a rank is killed, and start again.

A kill counts if the run had begun its tiles (the working file was there) and did not end by itself; others are repeated.

Usage: scripts/mpi_faults.py [--build build/release] [--moments 40] [--others 10] [--bounds 10] [--some 5] [--seed 1] [--ranks 4]
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OMP_WAIT_POLICY="passive")


class Work:
    """A command whose tiles are kept in a journal."""

    def __init__(self, generated, command, output, total="tiles", resumed="tilesResumed"):
        self.generated, self.output, self.total, self.resumed = generated.split(), output, total, resumed
        self.command = [*command.split(), "-o", output, "--backend", "cpu", "--json"]
        self.seconds = None  # from the first tile to the end
        self.expected = None


DISTANCE = Work("genotypes --instances 3000 --attributes 60000 -o g.bed", "distance g.bed --tile 200", "d.npy")
OTHERS = [Work("expression --genes 900 --samples 600 -o e.tsv", "mutualinfo e.tsv --tile 60", "m.npy"),
          Work("sequences --sequences 260 --length 180 -o p.fa", "pairwise p.fa --measure distance --tile 20", "w.npy"),
          Work("signals --channels 20 --samples 1024 --epochs 48 -o x.npy", "crossapen x.npy --epoch 1024", "c.csv", "epochs",
               "epochsKept")]


class Faults:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.random = random.Random(options.seed)
        build = pathlib.Path(options.build).resolve()
        self.one, self.many = build / "glycine", build / "glycine-mpi"

    def prepare(self, work):
        """Makes the input, the bytes of one process, and the time that several take for their tiles."""
        if work.expected is not None:
            return
        for arguments in (["generate", *work.generated], work.command):
            subprocess.run([self.one, *arguments], cwd=self.folder, check=True, capture_output=True)
        work.expected = (self.folder / work.output).read_bytes()
        (self.folder / work.output).unlink()
        run = self.start(work.command)
        self.await_tiles(run, work)
        started = time.monotonic()
        self.finish(run)
        work.seconds = time.monotonic() - started
        self.check(work, f"{work.command[0]}, an undisturbed run", "")

    def await_tiles(self, run, work):
        """Waits for the working file; returns whether it is there."""
        unfinished = self.folder / (work.output + ".unfinished")
        while run.poll() is None and not unfinished.exists():
            time.sleep(0.002)
        return unfinished.exists()

    def start(self, command, folder=None):
        return subprocess.Popen(["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(self.options.ranks), self.many,
                                 *command], cwd=folder or self.folder, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def ranks(self, mpirun):
        """Processes of the ranks, by rank."""
        found = {}
        for status in pathlib.Path("/proc").glob("[0-9]*/status"):
            try:
                fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
                if int(fields["PPid"]) != mpirun.pid or not fields["Name"].startswith("glycine-mpi"):
                    continue
                variables = (status.parent / "environ").read_bytes().split(b"\0")
            except (OSError, KeyError):
                continue
            for variable in variables:
                if variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                    found[int(variable.split(b"=")[1])] = int(fields["Pid"])
        return found

    def finish(self, run):
        out, err = run.communicate(timeout=300)
        if run.returncode != 0:
            sys.exit(f"a run failed with {run.returncode}: {err}")
        return json.loads(out)

    def entered(self, work, folder=None):
        """Tiles, or epochs, that the journal lists."""
        journal = (folder or self.folder) / (work.output + ".unfinished.tiles")
        if not journal.exists():
            return 0
        lines = journal.read_bytes().split(b"\n")[:-1]
        tiles = {tuple(line.split()[1:-1]) for line in lines if line.startswith(b"tile ")}
        if work.total == "tiles":
            return len(tiles)
        return len({(rows, epoch) for rows, _, begin, end in tiles for epoch in range(int(begin), int(end))})

    def check(self, work, fault, more, folder=None):
        folder = folder or self.folder
        output = folder / work.output
        if output.read_bytes() != work.expected:
            sys.exit(f"{fault}: other bytes")
        output.unlink()
        left = [name for name in os.listdir(folder) if "unfinished" in name or name.startswith(".glycine")]
        if left:
            sys.exit(f"{fault}: leaves {left}")
        print(f"{fault}: the same bytes{more}", flush=True)

    def resume(self, work, fault, entered, folder=None):
        report = self.finish(self.start(work.command, folder))
        if report[work.resumed] != entered:
            sys.exit(f"{fault}: {entered} {work.total} were entered, {report[work.resumed]} were not computed again")
        self.check(work, fault, f"; {entered} of {report[work.total]} {work.total} were kept", folder)

    def kill_one(self, run):
        """Kills a rank; returns which one, or None if there is none."""
        ranks = self.ranks(run)
        rank = self.random.choice(sorted(ranks) or [None])
        try:
            if rank is not None:
                os.kill(ranks[rank], signal.SIGKILL)
        except ProcessLookupError:
            return None
        return rank

    def kills(self, work, wanted):
        """Kills ranks until `wanted` runs have ended by that after they had begun their tiles."""
        if wanted == 0:
            return
        self.prepare(work)
        hits, tries = 0, 0
        while hits < wanted:
            tries += 1
            if tries > 10 * wanted + 20:
                sys.exit(f"{work.command[0]}: {tries} runs, but only {hits} of {wanted} kills came in time")
            run = self.start(work.command)
            self.await_tiles(run, work)
            moment = self.random.uniform(0, work.seconds)
            time.sleep(moment)
            had_begun = (self.folder / (work.output + ".unfinished")).exists()
            rank = self.kill_one(run)
            run.communicate(timeout=300)
            fault = f"{work.command[0]}, rank {rank} killed {moment:.2f} s after the tiles began"
            if run.returncode == 0:
                self.check(work, fault + ", which came too late", "")
                continue
            hits += had_begun
            self.resume(work, fault if had_begun else fault + ", which came too early or too late", self.entered(work))
        print(f"{work.command[0]}: {hits} runs ended by a kill after they had begun their tiles, of {tries}", flush=True)

    def kills_without_tiles(self, name, generated, arguments, file, wanted):
        """Kills ranks of a run that keeps nothing, `wanted` times before its end."""
        if wanted == 0:
            return
        subprocess.run([self.one, "generate", *generated.split()], cwd=self.folder, check=True, capture_output=True)
        command = [*arguments.split(), "-o", file, "--backend", "cpu", "--json"]
        subprocess.run([self.one, *command], cwd=self.folder, check=True, capture_output=True)
        output = self.folder / file
        expected = output.read_bytes()
        output.unlink()
        started = time.monotonic()
        self.finish(self.start(command))
        seconds = time.monotonic() - started
        hits, tries = 0, 0
        while hits < wanted:
            tries += 1
            if tries > 10 * wanted + 20:
                sys.exit(f"{name}: {tries} runs, but only {hits} kills came in time")
            output.unlink(missing_ok=True)
            run = self.start(command)
            moment = self.random.uniform(0, seconds)
            time.sleep(moment)
            rank = self.kill_one(run)
            err = run.communicate(timeout=300)[1]
            if run.returncode != 0 and (not err.strip() or output.exists() and output.read_bytes() != expected):
                sys.exit(f"{name}, rank {rank} killed: leaves a part of a file, or no error")
            ended = "ended" if run.returncode != 0 else "came too late"
            hits += run.returncode != 0
            if run.returncode != 0:
                self.finish(self.start(command))
            if output.read_bytes() != expected:
                sys.exit(f"{name}, rank {rank} killed: other bytes")
            print(f"{name}, rank {rank} killed after {moment:.2f} s, which {ended}: the same bytes from the start", flush=True)
        left = [one for one in os.listdir(self.folder) if "unfinished" in one or one.startswith(".glycine")]
        if left:
            sys.exit(f"{name}: leaves {left}")
        output.unlink()

    def stop(self):
        # A run ends sooner than the one that was timed if the machine does less besides.
        self.prepare(DISTANCE)
        share = 0.6
        while not self.stopped(share):
            share /= 2

    def stopped(self, share):
        """Stops a rank in the middle of a run; returns whether the run was not over."""
        run = self.start(DISTANCE.command)
        self.await_tiles(run, DISTANCE)
        time.sleep(share * DISTANCE.seconds)
        ranks = self.ranks(run)
        try:
            process = ranks[max(ranks, default=None)]
            os.kill(process, signal.SIGSTOP)
        except (KeyError, ProcessLookupError):
            self.finish(run)
            (self.folder / DISTANCE.output).unlink()
            return False
        time.sleep(self.options.stopped)
        os.kill(process, signal.SIGCONT)
        self.finish(run)
        self.check(DISTANCE, f"a rank stopped for {self.options.stopped} s", "")
        return True

    def pause(self, run):
        """Stops all ranks, so that the speed of the machine does not matter; returns their processes."""
        ranks = self.ranks(run)
        for process in ranks.values():
            os.kill(process, signal.SIGSTOP)
        return ranks.values()

    def two_runs(self):
        first = self.start(DISTANCE.command)
        self.await_tiles(first, DISTANCE)
        paused = self.pause(first)
        second = self.start(DISTANCE.command)
        err = second.communicate(timeout=300)[1]
        for process in paused:
            os.kill(process, signal.SIGCONT)
        self.finish(first)
        if second.returncode == 0 or "another process is working on this result" not in err:
            sys.exit(f"two runs on one output: the second one ended with {second.returncode}: {err}")
        self.check(DISTANCE, "two runs on one output", "; the second one is refused")

    def full_disks(self):
        for megabytes, disk in ((4, self.full_disk), (40, self.filling_disk)):
            small = self.folder / f"disk{megabytes}"
            small.mkdir()
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", small], capture_output=True)
            if mounted.returncode != 0:
                print("a full disk: not tried, as it needs the right to mount one")
                return
            try:
                for name in ("g.bed", "g.bim", "g.fam"):
                    (small / name).symlink_to(self.folder / name)
                disk(small)
            finally:
                subprocess.run(["umount", small], check=True)

    def full_disk(self, small):
        run = self.start(DISTANCE.command, small)
        err = run.communicate(timeout=300)[1]
        if run.returncode == 0 or "the disk has no room for the result" not in err:
            sys.exit(f"a full disk: {run.returncode}: {err}")
        left = [name for name in os.listdir(small) if not name.startswith("g.")]
        if left:
            sys.exit(f"a full disk: leaves {left}")
        print("a full disk: refused before the work, and nothing is left")

    def filling_disk(self, small):
        """The disk has room for the values when the run begins, but not for what follows: journal and names."""
        run = self.start(DISTANCE.command, small)
        unfinished = small / (DISTANCE.output + ".unfinished")
        values = len(DISTANCE.expected) - 128  # without the head
        while run.poll() is None and not (unfinished.exists() and 512 * unfinished.stat().st_blocks >= values):
            time.sleep(0.002)
        paused = self.pause(run)
        subprocess.run(["dd", "if=/dev/zero", f"of={small}/filler", "bs=4k"], capture_output=True)  # until it is full
        for process in paused:
            os.kill(process, signal.SIGCONT)
        err = run.communicate(timeout=300)[1]
        if run.returncode == 0 or "No space left on device" not in err:
            sys.exit(f"a disk that fills up: {run.returncode}: {err}")
        if (small / DISTANCE.output).exists():
            sys.exit("a disk that fills up: an output is there")
        (small / "filler").unlink()
        self.resume(DISTANCE, "a disk that fills up: an error; when there is room again", self.entered(DISTANCE, small), small)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--moments", type=int, default=40, help="number of kills in runs of distance")
    parser.add_argument("--others", type=int,
                        help="the same for each of mutualinfo, pairwise and crossapen (default: a quarter of that)")
    parser.add_argument("--bounds", type=int, default=10, help="number of kills in runs of bounds")
    parser.add_argument("--some", type=int, default=5, help="number of kills in runs for clusters, neighbours and close pairs each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--stopped", type=float, default=5, help="time for which a rank is stopped, in seconds")
    options = parser.parse_args()
    if not (pathlib.Path(options.build) / "glycine-mpi").exists() or not shutil.which("mpirun"):
        print("no glycine-mpi or no mpirun: nothing to do")
        return
    with tempfile.TemporaryDirectory() as folder:
        faults = Faults(options, pathlib.Path(folder))
        faults.kills(DISTANCE, options.moments)
        others = options.others if options.others is not None else options.moments // 4
        for work in OTHERS:
            faults.kills(work, others)
        faults.kills_without_tiles("bounds", "bounds --atoms 2000 -o b.npz", "bounds b.npz --variant dense", "s.npz", options.bounds)
        for name, more in (("clusters", "--clusters 20000"), ("neighbours", "--molten --nearest 5"),
                           ("close pairs", "--molten --max-distance 24000")):
            faults.kills_without_tiles(name, "genotypes --instances 3000 --attributes 60000 -o g.bed",
                                       f"distance g.bed --tile 200 {more}", "some.tsv", options.some)
        faults.stop()
        faults.two_runs()
        faults.full_disks()


main()
