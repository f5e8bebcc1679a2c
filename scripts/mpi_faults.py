#!/usr/bin/env python3
"""Faults of runs of several processes: a rank that is killed at random moments, a rank that is stopped, a full disk, two runs
on one output. Afterwards the same command must resume, and write the same bytes as a single undisturbed process.
Bounds, whose processes exchange blocks, must end with an error and leave no part of a file when a rank is killed.

Usage: scripts/mpi_faults.py [--build build/release] [--moments 40] [--bounds 10] [--seed 1] [--ranks 4]
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

OUTPUT = "d.npy"
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OMP_WAIT_POLICY="passive")


class Faults:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.random = random.Random(options.seed)
        build = pathlib.Path(options.build).resolve()
        self.one, self.many = build / "glycine", build / "glycine-mpi"
        subprocess.run([self.one, "generate", "genotypes", "--instances", "3000", "--attributes", "60000", "-o", "g.bed"],
                       cwd=folder, check=True, capture_output=True)
        self.command = ["distance", "g.bed", "-o", OUTPUT, "--tile", "200", "--backend", "cpu", "--json"]
        started = time.monotonic()
        subprocess.run([self.one, *self.command], cwd=folder, check=True, capture_output=True)
        self.expected = (folder / OUTPUT).read_bytes()
        (folder / OUTPUT).unlink()
        started = time.monotonic()
        self.finish(self.start())
        self.seconds = time.monotonic() - started
        self.check("an undisturbed run", "")

    def start(self, folder=None, command=None):
        return subprocess.Popen(["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(self.options.ranks), self.many,
                                 *(command or self.command)], cwd=folder or self.folder, env=ENVIRONMENT, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

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

    def entered(self):
        """Tiles that the journal lists."""
        journal = self.folder / (OUTPUT + ".unfinished.tiles")
        if not journal.exists():
            return 0
        lines = journal.read_bytes().split(b"\n")[:-1]
        return len({line.rsplit(b" ", 1)[0] for line in lines if line.startswith(b"tile ")})

    def check(self, fault, more):
        output = self.folder / OUTPUT
        if output.read_bytes() != self.expected:
            sys.exit(f"{fault}: other bytes")
        output.unlink()
        left = [name for name in os.listdir(self.folder) if "unfinished" in name or name.startswith(".glycine")]
        if left:
            sys.exit(f"{fault}: leaves {left}")
        print(f"{fault}: the same bytes{more}", flush=True)

    def resume(self, fault, entered):
        report = self.finish(self.start())
        if report["tilesResumed"] != entered:
            sys.exit(f"{fault}: {entered} tiles were entered, {report['tilesResumed']} were not computed again")
        self.check(fault, f"; {entered} of {report['tiles']} tiles were kept")

    def kill(self):
        run = self.start()
        moment = self.random.uniform(0, 1.1 * self.seconds)
        time.sleep(moment)
        ranks = self.ranks(run)
        rank = self.random.choice(sorted(ranks) or [None])
        if rank is not None:
            try:
                os.kill(ranks[rank], signal.SIGKILL)
            except ProcessLookupError:
                rank = None
        run.communicate(timeout=300)
        fault = f"rank {rank} killed after {moment:.2f} s"
        if run.returncode == 0:
            return self.check(fault + ", which came too late", "")
        self.resume(fault, self.entered())

    def bounds(self):
        """Kills ranks of a run that smooths bounds."""
        subprocess.run([self.one, "generate", "bounds", "--atoms", "2000", "-o", "b.npz"], cwd=self.folder, check=True,
                       capture_output=True)
        command = ["bounds", "b.npz", "-o", "s.npz", "--backend", "cpu", "--variant", "dense", "--json"]
        subprocess.run([self.one, *command], cwd=self.folder, check=True, capture_output=True)
        output = self.folder / "s.npz"
        expected = output.read_bytes()
        output.unlink()
        started = time.monotonic()
        self.finish(self.start(command=command))
        seconds = time.monotonic() - started
        for _ in range(self.options.bounds):
            output.unlink(missing_ok=True)
            run = self.start(command=command)
            moment = self.random.uniform(0, seconds)
            time.sleep(moment)
            ranks = self.ranks(run)
            rank = self.random.choice(sorted(ranks) or [None])
            if rank is not None:
                try:
                    os.kill(ranks[rank], signal.SIGKILL)
                except ProcessLookupError:
                    pass
            err = run.communicate(timeout=300)[1]
            if run.returncode != 0 and (not err.strip() or output.exists() and output.read_bytes() != expected):
                sys.exit(f"bounds, rank {rank} killed: leaves a part of a file, or no error")
            ended = "ended" if run.returncode != 0 else "came too late"
            if run.returncode != 0:
                self.finish(self.start(command=command))
            if output.read_bytes() != expected:
                sys.exit(f"bounds, rank {rank} killed: other bytes")
            print(f"bounds, rank {rank} killed after {moment:.2f} s, which {ended}: the same bytes from the start", flush=True)

    def stop(self):
        # A run ends sooner than the one that was timed if the machine does less besides.
        share = 0.6
        while not self.stopped(share):
            share /= 2

    def stopped(self, share):
        """Stops a rank in the middle of a run; returns whether the run was not over."""
        run = self.start()
        time.sleep(share * self.seconds)
        ranks = self.ranks(run)
        try:
            process = ranks[max(ranks, default=None)]
            os.kill(process, signal.SIGSTOP)
        except (KeyError, ProcessLookupError):
            self.finish(run)
            (self.folder / OUTPUT).unlink()
            return False
        time.sleep(self.options.stopped)
        os.kill(process, signal.SIGCONT)
        self.finish(run)
        self.check(f"a rank stopped for {self.options.stopped} s", "")
        return True

    def two_runs(self):
        first = self.start()
        while not any(self.folder.glob(f"{OUTPUT}.unfinished*")) and first.poll() is None:
            time.sleep(0.005)
        # The first run is stopped meanwhile, so that the speed of the machine does not matter.
        ranks = self.ranks(first)
        for process in ranks.values():
            os.kill(process, signal.SIGSTOP)
        second = self.start()
        err = second.communicate(timeout=300)[1]
        for process in ranks.values():
            os.kill(process, signal.SIGCONT)
        self.finish(first)
        if second.returncode == 0 or "another process is working on this result" not in err:
            sys.exit(f"two runs on one output: the second one ended with {second.returncode}: {err}")
        self.check("two runs on one output", "; the second one is refused")

    def full_disk(self):
        small = self.folder / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", small], capture_output=True).returncode != 0:
            print("a full disk: not tried, as it needs the right to mount one")
            return
        try:
            for name in ("g.bed", "g.bim", "g.fam"):
                (small / name).symlink_to(self.folder / name)
            run = self.start(small)
            err = run.communicate(timeout=300)[1]
            if run.returncode == 0 or "the disk has no room for the result" not in err:
                sys.exit(f"a full disk: {run.returncode}: {err}")
            left = [name for name in os.listdir(small) if not name.startswith("g.")]
            if left:
                sys.exit(f"a full disk: leaves {left}")
            print("a full disk: refused before the work, and nothing is left")
        finally:
            subprocess.run(["umount", small], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--moments", type=int, default=40)
    parser.add_argument("--bounds", type=int, default=10, help="number of moments in runs of bounds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--stopped", type=float, default=5, help="time for which a rank is stopped, in seconds")
    options = parser.parse_args()
    if not (pathlib.Path(options.build) / "glycine-mpi").exists() or not shutil.which("mpirun"):
        print("no glycine-mpi or no mpirun: nothing to do")
        return
    with tempfile.TemporaryDirectory() as folder:
        faults = Faults(options, pathlib.Path(folder))
        for _ in range(options.moments):
            faults.kill()
        faults.bounds()
        faults.stop()
        faults.two_runs()
        faults.full_disk()


main()
