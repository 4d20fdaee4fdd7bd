# SPDX-License-Identifier: Apache-2.0
"""The pipelines of docs/gating.md, run as they stand there, on a few small tests."""

import glob
import os
import re
import subprocess
import unittest

import yaml

import harness
from harness import Case

PAGE = os.path.join(harness.SOURCE, "docs", "gating.md")
# Something that fails would make the gate speak of more than it is asked here; fewer runs would leave it
# undecided.
TESTS = "scan.subgroup -n 400"


def blocks(language):
    with open(PAGE, encoding="utf-8") as page:
        return re.findall(rf"^```{language}\n(.*?)^```$", page.read(), re.M | re.S)


class Pipelines(Case):
    """Each job's commands, in a folder that its artifacts pass through."""

    def setUp(self):
        super().setUp()
        os.symlink(harness.PROGRAM, self.path("litmus"))
        self.write("waivers.txt", "# none\n")

    def sh(self, script, **environment):
        done = subprocess.run(["sh", "-ec", script], cwd=self.folder, capture_output=True, text=True,
                              env=self.environment(TESTS=TESTS, **environment),
                              timeout=120 * harness.SLOW, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def baseline(self):
        """What a whole run on the same driver gave."""
        self.sh("./litmus run $TESTS --seed 7 --db whole.db --json baseline.json")

    def configurations(self, store):
        return re.findall(r'"name":"([^"]*)","family"',
                          self.sh(f"./litmus report --db {store} --format json"))

    def assert_whole(self):
        self.assertEqual(sorted(self.configurations("candidate.db")),
                         sorted(self.configurations("whole.db")))

    def test_gitlab(self):
        self.baseline()
        (page,) = [yaml.safe_load(text) for text in blocks("yaml") if "stages:" in text]
        total = page["measure"]["parallel"]
        for index in range(1, total + 1):
            self.sh("\n".join(page["measure"]["script"]), CI_NODE_INDEX=str(index),
                    CI_NODE_TOTAL=str(total), CI_PIPELINE_ID="1234")
        self.assertEqual(len(glob.glob(self.path("shard-*.db"))), total)
        out = self.sh("\n".join(page["gate"]["script"]))
        self.assertTrue(out)
        self.assert_whole()
        for name in page["gate"]["artifacts"]["paths"] + ["junit.xml"]:
            self.assertTrue(os.path.exists(self.path(name)), name)

    def test_github(self):
        self.baseline()
        (page,) = [yaml.safe_load(text) for text in blocks("yaml") if "jobs:" in text]
        measure = page["jobs"]["measure"]
        shards = measure["strategy"]["matrix"]["shard"]
        commands = [step["run"] for step in measure["steps"] if "run" in step]
        self.assertIn("strategy.job-index", measure["env"]["LITMUS_SHARD"])
        for shard in shards:
            self.sh("\n".join(commands), SHARD=str(shard), GITHUB_ACTIONS="true",
                    LITMUS_SHARD=f"{shard}/{len(shards)}", GITHUB_RUN_ID="99", GITHUB_RUN_ATTEMPT="1")
        gate = [step["run"] for step in page["jobs"]["gate"]["steps"] if "run" in step]
        self.sh("\n".join(gate), GITHUB_STEP_SUMMARY=self.path("summary.md"), GITHUB_ACTIONS="true")
        self.assert_whole()
        self.assertGreater(os.path.getsize(self.path("summary.md")), 200)

    def test_slurm(self):
        self.baseline()
        measure, gate = [text for text in blocks("sh") if "#SBATCH" in text]
        first, last = map(int, re.search(r"--array=(\d+)-(\d+)", measure).groups())
        # An array may begin anywhere.
        for task in range(first + 5, last + 6):
            self.sh(measure, SLURM_ARRAY_TASK_ID=str(task), SLURM_ARRAY_TASK_MIN=str(first + 5),
                    SLURM_ARRAY_TASK_MAX=str(last + 5), SLURM_ARRAY_TASK_STEP="1",
                    SLURM_ARRAY_TASK_COUNT=str(last - first + 1), SLURM_ARRAY_JOB_ID="42")
        self.sh(gate)
        self.assert_whole()


if __name__ == "__main__":
    unittest.main()
