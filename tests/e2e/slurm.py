# SPDX-License-Identifier: Apache-2.0
"""contrib/slurm on a Slurm of its own: three nodes on this machine, of which one dies in the middle of a
part, and a job that is killed in another. In the end everything is there, once, and as without any of that.

Needs root and what tools/setup --slurm installs."""

import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import unittest

import harness

FLEET = os.path.join(harness.CONTRIB, "slurm")
NODES = 3
NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

# Nothing in them depends on a race: their counts are the same wherever they run.
TESTS = ("scan.subgroup", "broadcast.match", "loop.form", "broadcast.compaction")
RUN = ("-n", "30")
SEED = "0x5eed"

CONFIGURATION = harness.read(os.path.join(harness.SOURCE, "tests/e2e/slurm.conf"))


def free_ports(count):
    """As many ports one behind the other."""
    for base in range(20000, 60000, 97):
        try:
            for port in range(base, base + count):
                with socket.socket() as one:
                    one.bind(("127.0.0.1", port))
            return base
        except OSError:
            pass
    raise unittest.SkipTest("no free ports")


def environment_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return dict(entry.split(b"=", 1) for entry in file.read().split(b"\0") if b"=" in entry)
    except OSError:
        return {}


def parent_of(pid):
    try:
        return int(harness.read(f"/proc/{pid}/stat").rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


@harness.full
@harness.never_sanitized
class Fleet(harness.Case):
    def setUp(self):
        missing = [name for name in NEEDED if not shutil.which(name, path=PATH)]
        if os.geteuid() != 0 or missing:
            self.skipTest("needs root" if not missing else f"not installed: {' '.join(missing)}")
        super().setUp()
        os.chmod(self.folder, 0o755)
        self.daemons = []
        self.addCleanup(self.stop_cluster)
        self.start_cluster()

    # The cluster

    def call(self, *words, code=0, **more):
        environment = self.environment(drivers=[harness.lavapipe(), harness.SIMT], PATH=PATH,
                                       SLURM_CONF=self.path("slurm.conf"),
                                       LITMUS_SIMT="model=snooping,subgroup=8,threads=1", **more)
        result = subprocess.run(words, env=environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=300 * harness.SLOW)
        if code is not None:
            self.assertEqual(result.returncode, code, (words, result.stdout, result.stderr))
        return result

    def start_daemon(self, *words):
        process = subprocess.Popen(words, env={"PATH": PATH, "SLURM_CONF": self.path("slurm.conf")},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        self.daemons.append(process)
        return process

    def start_cluster(self):
        port = free_ports(NODES + 1)
        with open(self.path("munge.key"), "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(self.path("munge.key"), 0o400)
        for name in ("state", *(f"spool/node{node}" for node in range(NODES))):
            os.makedirs(self.path(name))
        self.write("slurm.conf", CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], folder=self.folder, port=port, first=port + 1,
            end=port + NODES, last=NODES - 1))
        self.start_daemon("munged", "--foreground", "--force", *(
            f"--{name}-file={self.path('munge.' + name)}" for name in ("key", "pid", "log", "seed")),
            f"--socket={self.path('munge.socket')}")
        self.wait_for("munge", lambda: os.path.exists(self.path("munge.socket")))
        self.start_daemon("slurmctld", "-D", "-c")
        self.nodes = [self.start_daemon("slurmd", "-D", "-N", f"node{node}") for node in range(NODES)]
        self.wait_for("the nodes", lambda: self.call(
            "sinfo", "--noheader", "--Node", "--format=%T", code=None).stdout.split() == ["idle"] * NODES)

    def of_cluster(self, node=None):
        """Processes of the jobs of this cluster, or of one node of it."""
        conf = self.path("slurm.conf").encode()
        for path in glob.glob("/proc/[0-9]*"):
            pid = int(os.path.basename(path))
            environment = environment_of(pid)
            if environment.get(b"SLURM_CONF") == conf and b"SLURM_JOB_ID" in environment and \
                    (node is None or environment.get(b"SLURMD_NODENAME") == f"node{node}".encode()):
                yield pid

    def kill(self, pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def stop_cluster(self):
        jobs = list(self.of_cluster())
        steps = {parent_of(pid) for pid in jobs} - {0, 1, os.getpid()}
        for process in reversed(self.daemons):
            process.kill()
            process.wait()
        for pid in jobs + [step for step in steps if self.is_step(step)]:
            self.kill(pid)

    def is_step(self, pid):
        try:
            return harness.read(f"/proc/{pid}/cmdline").startswith("slurmstepd")
        except OSError:
            return False

    # What happens to it

    def lose_node(self, node):
        """As if its power were cut: nothing of it goes on."""
        jobs = list(self.of_cluster(node))
        steps = [pid for pid in {parent_of(pid) for pid in jobs} if self.is_step(pid)]
        self.nodes[node].kill()
        self.nodes[node].wait()
        for pid in steps + jobs:
            self.kill(pid)
        self.assertTrue(jobs and steps)

    def kill_job(self, task):
        for pid in self.of_cluster():
            words = harness.read(f"/proc/{pid}/cmdline").split("\0")
            if words[0] == harness.PROGRAM and words[1] == "run" and \
                    environment_of(pid).get(b"SLURM_ARRAY_TASK_ID") == str(task).encode():
                self.kill(pid)
                return
        self.fail(f"task {task} does not run")

    def running(self):
        """Of each running task of the first array the node and how many results it has."""
        out = self.call("squeue", "--noheader", "--array", "--states=running",
                        "--format=%j %K %N").stdout
        found = {}
        for name, task, node in (line.split() for line in out.splitlines()):
            if name != "litmus-part-0":
                continue
            store = f"run/stores/0-{task}.0.db"
            try:
                found[int(task)] = int(node[4:]), self.rows("SELECT count(*) FROM result", store)[0][0]
            except Exception:  # pylint: disable=broad-except
                pass
        return found

    def hurry(self):
        """Requeued jobs wait for some minutes by themselves."""
        out = self.call("squeue", "--noheader", "--array", "--states=pending", "--format=%i %r").stdout
        for job, reason in (line.split() for line in out.splitlines()):
            if reason == "BeginTime":
                self.call("scontrol", "update", f"JobId={job}", "StartTime=now", code=None)

    def measured(self, store):
        return {(entry["device"], entry["name"]):
                [entry[key] for key in ("result", "runs", "failed_runs", "no_progress_runs",
                                        "instances", "failed_instances", "outcomes", "seed")]
                for entry in self.report(store)["results"]}

    def submit(self, *more):
        result = self.call(FLEET, "submit", "run", "--litmus", harness.PROGRAM, "--seed", SEED, *more,
                           *TESTS, "--", *RUN)
        self.assertIn(f"6 parts, seed {SEED}", result.stdout)

    def end_of_jobs(self):
        def over():
            self.hurry()
            return not self.call("squeue", "--noheader", "--states=pending,running,completing").stdout
        self.wait_for("the end of the jobs", over, 400)
        line = self.call(FLEET, "status", "run").stdout
        logs = ""
        for path in sorted(glob.glob(self.path("run/logs/*"))):
            with open(path) as file:
                logs += file.read()
        return line, logs

    def test_nodes_and_jobs_die(self):
        self.call(harness.PROGRAM, "run", *TESTS, *RUN, "--seed", SEED, "--db", "whole.db", "-q", code=None)
        whole = self.measured("whole.db")
        self.assertEqual(len({device for device, _ in whole}), 2)
        # The simulator is not one on which everything passes.
        self.assertGreater(sum(entry[2] > 0 for entry in whole.values()), 2)
        self.submit("--parts", "6", "--baseline", "whole.db", "--from", "whole.db",
                    "--sbatch=--cpus-per-task=1")

        busy = self.wait_for("a task on each of two nodes with results", lambda: [
            (task, node) for task, (node, results) in self.running().items() if results > 0][:2]
            if sum(results > 0 for _, results in self.running().values()) > 1 else None)
        (first, node), (second, _) = busy
        self.lose_node(node)
        self.kill_job(second)
        self.assertRegex(self.call(FLEET, "status", "run").stdout,
                         r"^\d+ of \d+ configurations \(\d+ %\); part: .*; report: pending; gate: pending\n$")

        line, logs = self.end_of_jobs()
        # Slurm has queued the part of the lost node again, and this tool what the killed job left.
        self.assertTrue(glob.glob(self.path(f"run/stores/0-{first}.[1-9].db")), (line, logs))
        self.assertIn("configurations are missing: submitted again", logs)
        self.assertIn("; report-1: completed", line)
        self.assertRegex(line, r"^(\d+) of \1 configurations \(100 %\)")

        # Nothing lost, nothing twice, the same counts.
        self.assertEqual(self.measured("run/all.db"), whole)
        self.assertEqual(self.rows("SELECT count(*), min(finished) FROM session", "run/all.db"), [(1, 1)])
        self.assertEqual(self.litmus("store", "check", "run/all.db").code, 0)
        code = self.read("run/gate.code")
        # Against itself: too few runs to decide, but nothing is worse.
        self.assertIn(code, ("0\n", "3\n"), logs)
        for name in ("litmus.html", "report.json", "gate.html", "gate.xml", "gate.json"):
            self.assertTrue(os.path.getsize(self.path(f"run/{name}")), name)
        self.assertEqual(json.loads(self.read("run/gate.json"))["summary"]["regressions"], 0)

    def test_wrong_use(self):
        for words, said in (((), "usage"), (("submit",), "missing FOLDER"),
                            (("submit", "run", "--parts"), "needs a value"),
                            (("submit", "run", "--litmus", harness.PROGRAM, "no.such"), "no.such"),
                            (("submit", "run", "--baseline", "none.json", "--all"), "none.json"),
                            (("status", "nowhere"), "no run of this tool")):
            result = self.call(FLEET, *words, code=2)
            self.assertIn(said, result.stderr)
            self.assertFalse(os.path.exists(self.path("run")))
        self.assertIn("usage", self.call(FLEET, "--help").stdout)


harness.main(__name__)
