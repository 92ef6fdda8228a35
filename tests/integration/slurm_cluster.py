# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""A real Slurm with two nodes on this machine, for tests: needs root, slurm-wlm and munge."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

NODES = ("n1", "n2")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "sinfo", "scancel")
FINAL_STATES = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY"}


def reason_to_skip():
    """Why there can be no cluster here, or an empty text."""
    if os.geteuid() != 0:
        return "not root: slurmd and munged keep to a user's own jobs otherwise"
    if not os.path.ismount("/sys/fs/cgroup"):
        return "no control groups at /sys/fs/cgroup: slurmd does not start without them"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"not installed: {', '.join(missing)} (Debian: slurm-wlm munge)" if missing else ""


def free_ports(count):
    """Ports that nobody listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class SlurmCluster:
    """Starts on entry, is gone on exit: daemons, files and what jobs left running."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-slurm-"))
        self.folder.chmod(0o755)
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))
        self.daemons = []

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.daemons:
            self.run("scancel", "--user=root", check=False)
            self._wait(lambda: not self.run("squeue", "--noheader", check=False).stdout.strip(), 20)
        # Nodes first, then the controller, then what signs their messages.
        for name in reversed(self.daemons):
            self._stop(self.folder / f"{name}.pid")
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *command, check=True, timeout=60):
        """Runs one of Slurm's programs against this cluster."""
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              timeout=timeout, env=self.environment, check=False)
        if check and done.returncode != 0:
            raise RuntimeError(f"{command}: {done.stderr}{done.stdout}")
        return done

    def wait_for_job(self, number, timeout=300):
        """Waits until a job has ended; returns its fields as scontrol shows them."""
        fields = {}

        def ended():
            text = self.run("scontrol", "show", "job", "--oneliner", number).stdout
            fields.update(word.split("=", 1) for word in text.split() if "=" in word)
            return fields["JobState"] in FINAL_STATES

        if not self._wait(ended, timeout):
            raise TimeoutError(f"job {number} is still {fields['JobState']} after {timeout} s")
        return fields

    def _start(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        controller, *nodes = free_ports(1 + len(NODES))
        (self.folder / "slurm.conf").write_text(self._configuration(controller, nodes),
                                                encoding="utf-8")
        files = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munged.pid",
                 "log-file": "munged.log", "seed-file": "munged.seed"}
        self._daemon("munged", "munged", "--force", "--num-threads=2",
                     *[f"--{option}={self.folder / name}" for option, name in files.items()])
        self._daemon("slurmctld", "slurmctld")
        for node in NODES:
            self._daemon(f"slurmd-{node}", "slurmd", "-N", node)
        if not self._wait(self._all_idle, 60):
            raise RuntimeError("the nodes do not come up:\n" + self._logs())

    def _configuration(self, controller, ports):
        host = socket.gethostname().split(".")[0]
        folder = self.folder
        lines = [
            "ClusterName=dlbench",
            f"SlurmctldHost={host}(127.0.0.1)",
            f"SlurmctldPort={controller}",
            "SlurmUser=root",
            f"AuthInfo=socket={folder}/munge.socket",
            f"StateSaveLocation={folder}/state",
            f"SlurmctldPidFile={folder}/slurmctld.pid",
            f"SlurmctldLogFile={folder}/slurmctld.log",
            f"SlurmdSpoolDir={folder}/spool-%n",
            f"SlurmdPidFile={folder}/slurmd-%n.pid",
            f"SlurmdLogFile={folder}/slurmd-%n.log",
            "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none",
            "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_Core",
            "MpiDefault=none",
            "SlurmdParameters=config_overrides",
            "ReturnToService=2",
            "KillWait=5",
        ]
        for node, port in zip(NODES, ports):
            lines.append(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
                         f"CPUs={os.cpu_count()}")
        lines.append("PartitionName=test Nodes=ALL Default=YES MaxTime=60 State=UP")
        return "\n".join(lines) + "\n"

    def _daemon(self, name, *command):
        self.daemons.append(name)
        try:
            self.run(*command)
        except RuntimeError as error:
            raise RuntimeError(f"{error}\n{self._logs()}") from error

    def _all_idle(self):
        done = self.run("sinfo", "--noheader", "--Node", "--format=%N %t", check=False)
        return sorted(done.stdout.split("\n"))[1:] == [f"{node} idle" for node in NODES]

    def _logs(self):
        return "".join(f"== {log.name}\n{log.read_text(encoding='utf-8', errors='replace')[-2000:]}"
                       for log in sorted(self.folder.glob("*.log")))

    @staticmethod
    def _wait(condition, timeout):
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.3)
        return True

    @classmethod
    def _stop(cls, pid_file):
        try:
            pid = int(pid_file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return

        def gone():
            try:
                return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2] == "Z"
            except (FileNotFoundError, ProcessLookupError):
                return True

        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                return
            if cls._wait(gone, 10):
                return
