"""A Slurm of its own on loopback: munged, slurmctld, and a slurmd for each of four nodes.

Each slurmd has a PID namespace, so that killing it kills all that runs on its node.
"""

import os
import secrets
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

NODES = 4
NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo", "unshare")
CONFIGURATION = """
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={at}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={at}/state
SlurmdSpoolDir={at}/%n
SlurmctldPidFile={at}/slurmctld.pid
SlurmdPidFile={at}/%n.pid
SlurmctldLogFile={at}/slurmctld.log
SlurmdLogFile={at}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SlurmdParameters=config_overrides
SlurmdTimeout=6
ReturnToService=2
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE
"""


def need() -> None:
    """Skips the test where Slurm is missing."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        pytest.skip(
            f"{', '.join(missing)} is missing: Debian's slurmctld, slurmd, slurm-client, munge"
        )
    if os.geteuid() != 0:
        pytest.skip("a Slurm of one's own needs root")


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class SlurmCluster:
    """Runs from entry to exit. `environment` makes Slurm's commands use it."""

    def __init__(self, folder: Path) -> None:
        self._at = folder
        self._parts: list[subprocess.Popen[bytes]] = []
        self.nodes: list[subprocess.Popen[bytes]] = []
        self.environment = {**os.environ, "SLURM_CONF": f"{folder}/slurm.conf"}

    def _start(self, *command: str) -> subprocess.Popen[bytes]:
        with (self._at / f"{Path(command[0]).name}.out").open("ab") as output:
            part = subprocess.Popen(
                command, env=self.environment, stdout=output, stderr=output, cwd=self._at
            )
        self._parts.append(part)
        return part

    def __enter__(self) -> "SlurmCluster":
        self._at.chmod(0o755)
        (self._at / "state").mkdir()
        key = self._at / "munge.key"
        key.write_bytes(secrets.token_bytes(64))
        key.chmod(0o400)
        controller, *ports = _free_ports(NODES + 1)
        host = socket.gethostname().partition(".")[0]
        nodes = "\n".join(
            f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1"
            for i, port in enumerate(ports)
        )
        (self._at / "slurm.conf").write_text(
            CONFIGURATION.format(host=host, controller=controller, at=self._at, nodes=nodes)
        )
        files = {"key": key}
        files |= {name: self._at / f"munge.{name}" for name in ("socket", "pid", "log", "seed")}
        options = [
            f"--{name}{'' if name == 'socket' else '-file'}={f}" for name, f in files.items()
        ]
        self._start("munged", "--foreground", "--force", *options)
        self._start("slurmctld", "-D")
        in_namespace = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
        for index in range(NODES):
            self.nodes.append(self._start(*in_namespace, "slurmd", "-D", "-N", f"n{index}"))
        deadline = time.monotonic() + 60
        while self.ask("sinfo", "--noheader", "--states=idle", "--format=%D").strip() != str(NODES):
            assert time.monotonic() < deadline, self._logs()
            time.sleep(0.2)
        return self

    def ask(self, *command: str) -> str:
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=False
        )
        return done.stdout

    def _logs(self) -> str:
        return "\n".join(file.read_text()[-2000:] for file in self._at.glob("*.log"))

    def __exit__(self, *error: object) -> None:
        for part in reversed(self._parts):
            part.kill()
            part.wait()
