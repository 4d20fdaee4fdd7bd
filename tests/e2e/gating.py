# SPDX-License-Identifier: Apache-2.0
"""The pipelines of docs/gating.md, run as they stand there, on a few small tests of the simulator:
what a CI system would run of them, with its variables, in a folder that artifacts pass through. Only
the step that clones and builds is not run: the program of this build is in the PATH instead. And
those that check this repository on GitHub and GitLab, by their formats."""

import copy
import glob
import os
import re
import subprocess
import xml.etree.ElementTree

import jsonschema
import yaml

import harness

PAGE = os.path.join(harness.SOURCE, "docs", "gating.md")
# Enough runs to decide. A shard of its own may have nothing to do.
TESTS = "scan.subgroup !*/*form=loop* -n 400 --simt lockstep"
WORSE = "scan.subgroup !*/*form=loop* -n 400 --simt faulty,fault=wrong"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", harness.read(PAGE), re.M | re.S)


def closed(required, **properties):
    """A schema: an object with these members and no others."""
    return {"type": "object", "properties": properties, "required": required.split(),
            "additionalProperties": False}


# What the pipelines of this repository use of the formats of GitHub and GitLab, as strings.
WORD = {"type": "string", "minLength": 1}
LINES = {"type": "array", "items": WORD, "minItems": 1}
STEP = closed("", **{"name": WORD, "run": WORD, "uses": {"pattern": "^[\\w-]+/[\\w-]+@v\\d+$"},
                     "if": WORD, "with": {"type": "object", "additionalProperties": WORD}})
STEP["oneOf"] = [{"required": ["run"]}, {"required": ["uses"]}]
GITHUB = closed("name on permissions jobs", **{
    "name": WORD, "on": {"type": "array", "items": {"enum": ["push", "pull_request"]}},
    "permissions": {"const": {"contents": "read"}},
    "jobs": closed("check", check=closed("runs-on container timeout-minutes steps", **{
        "runs-on": WORD, "container": WORD, "timeout-minutes": {"pattern": "^\\d+$"},
        "steps": {"type": "array", "items": STEP}}))})
GITLAB = closed("check", check=closed("image timeout before_script script artifacts",
    image=WORD, timeout={"pattern": "^\\d+ hours$"}, before_script=LINES, script=LINES,
    artifacts=closed("when paths reports", when={"const": "always"}, paths=LINES,
                     reports=closed("junit", junit=WORD))))


@harness.unsanitized
class Hosted(harness.Case):
    """The files that GitHub and GitLab read in this repository."""

    def read(self, name, schema):
        with open(os.path.join(harness.SOURCE, name), encoding="utf-8") as file:
            page = yaml.load(file, Loader=yaml.BaseLoader)
        jsonschema.validate(page, schema)
        with self.assertRaises(jsonschema.ValidationError):
            wrong = copy.deepcopy(page)
            check = wrong["jobs"]["check"] if "jobs" in wrong else wrong["check"]
            check["scripts"] = check.pop("steps" if "steps" in check else "script")
            jsonschema.validate(wrong, schema)
        return page

    def run_script(self, script):
        """With programs in place of apt-get, git and the check, which leaves reports and fails."""
        for name, text in (
                ("bin/apt-get", ""), ("bin/git", ""),
                ("tools/check", '[ "$*" = --quick ] && mkdir -p build-check/meson-logs &&\n'
                                ">build-check/meson-logs/testlog-plain-cpu-time.junit.xml && exit 9")):
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            os.chmod(self.write(name, f"#!/bin/sh\n{text}\n"), 0o755)
        done = subprocess.run(["sh", "-ec", script], cwd=self.folder, check=False,
                              env={"PATH": self.path("bin") + ":/usr/bin:/bin"})
        self.assertEqual(done.returncode, 9, "the check did not run, or its failure is lost")

    def assert_found(self, *patterns):
        for pattern in patterns:
            self.assertTrue(glob.glob(self.path(pattern)), pattern)

    def test_github(self):
        page = self.read(".github/workflows/check.yml", GITHUB)
        steps = page["jobs"]["check"]["steps"]
        self.run_script("\n".join(step["run"] for step in steps if "run" in step))
        self.assertEqual((steps[-1]["if"], steps[-1]["uses"].split("@")[0]),
                         ("always()", "actions/upload-artifact"))
        self.assert_found(steps[-1]["with"]["path"])

    def test_gitlab(self):
        check = self.read(".gitlab-ci.yml", GITLAB)["check"]
        self.run_script("\n".join(check["before_script"] + check["script"]))
        self.assert_found(check["artifacts"]["reports"]["junit"], *check["artifacts"]["paths"])


@harness.unsanitized
class Pipelines(harness.Case):
    def prepare(self):
        self.write("waivers.txt", "# none\n")
        self.sh(f"litmus run {TESTS} --seed 7 --db whole.db --json baseline.json")

    def sh(self, script, *codes, flags="-ec", arguments=(), **environment):
        environment.setdefault("TESTS", TESTS)
        path = os.path.dirname(harness.PROGRAM) + ":/usr/bin:/bin"
        done = subprocess.run(["sh", flags, script, *arguments], cwd=self.folder,
                              capture_output=True, text=True, timeout=120 * harness.SLOW, check=False,
                              env=self.environment(PATH=path, **environment))
        self.assertIn(done.returncode, codes or (0,), done.stdout + done.stderr)
        self.code = done.returncode
        return done.stdout

    def configurations(self, store):
        return re.findall(r'"name":"([^"]*)","family"',
                          self.sh(f"litmus report --db {store} --format json"))

    def assert_whole(self, store="candidate.db"):
        self.assertEqual(sorted(self.configurations(store)),
                         sorted(self.configurations("whole.db")))

    def assert_reports(self, code, folder="."):
        """They are there whatever the exit code was, and say the same."""
        self.assertEqual(self.code, code)
        root = xml.etree.ElementTree.parse(self.path(f"{folder}/gate.xml")).getroot()
        self.assertEqual(int(root.get("failures")) > 0, code == 1)
        self.assertIn(f"<strong>exit {code}</strong>", self.read(f"{folder}/gate.html"))

    def waive(self):
        self.write("waivers.txt", "scan.subgroup https://tracker.example/1\n")

    def test_every_block_is_tried(self):
        """A new one is noticed here."""
        self.assertEqual([len(blocks(language)) for language in
                          ("yaml", "groovy", "sh", "cmake", "meson")], [3, 1, 3, 1, 1])

    def gitlab(self, tests, *codes):
        (page,) = [yaml.safe_load(text) for text in blocks("yaml") if "stages:" in text]
        self.assertIn('git clone --depth 1 "$LITMUS_URL" litmus', page["build"]["script"])
        total = page["measure"]["parallel"]
        for index in range(1, total + 1):
            self.sh("\n".join(page["measure"]["script"]), 0,
                    *page["measure"]["allow_failure"]["exit_codes"], CI_NODE_INDEX=str(index),
                    CI_NODE_TOTAL=str(total), CI_PIPELINE_ID="1234", TESTS=tests)
        self.assertEqual(len(glob.glob(self.path("shard-*.db"))), total)
        self.sh("\n".join(page["gate"]["script"]), *codes)
        self.assertEqual(page["gate"]["allow_failure"]["exit_codes"], [3])
        for name in page["gate"]["artifacts"]["paths"] + [
                page["gate"]["artifacts"]["reports"]["junit"]]:
            self.assertTrue(os.path.exists(self.path(name)), name)
        code = self.code
        self.assert_whole()
        self.code = code

    def test_parts_of_a_plan(self):
        (page,) = [yaml.safe_load(text) for text in blocks("yaml") if "litmus plan" in text]
        selection, run = TESTS.split(" -n ")
        words = {"SELECTION": selection, "RUN": f"-n {run}", "CI_PIPELINE_ID": "1234"}
        self.sh("cp whole.db last.db")
        self.sh("\n".join(page["plan"]["script"]), **words)
        (matrix,) = page["measure"]["parallel"]["matrix"]
        for part in matrix["PART"]:
            # The variables of a matrix would make a shard of the part.
            self.sh("\n".join(page["measure"]["script"]), 0,
                    *page["measure"]["allow_failure"]["exit_codes"], PART=part,
                    CI_NODE_INDEX=str(int(part) + 1), CI_NODE_TOTAL=str(len(matrix["PART"])), **words)
        self.sh("\n".join(page["gate"]["script"]), 0, **words)
        self.assert_reports(0)
        self.assert_whole()
        # Without one of the parts the gate does not begin.
        self.sh("rm candidate.db part-1.db gate.*")
        self.sh("\n".join(page["gate"]["script"]), 3, **words)
        self.assertFalse(os.path.exists(self.path("gate.xml")))

    def test_gitlab(self):
        self.gitlab(TESTS, 0)
        self.assert_reports(0)

    def test_gitlab_worse(self):
        self.gitlab(WORSE, 1)
        self.assert_reports(1)

    def github(self, tests, *codes):
        (page,) = [yaml.safe_load(text) for text in blocks("yaml") if "jobs:" in text]
        measure = page["jobs"]["measure"]
        shards = measure["strategy"]["matrix"]["shard"]
        self.assertIn("strategy.job-index", measure["env"]["LITMUS_SHARD"])
        os.makedirs(self.path("litmus"), exist_ok=True)
        os.symlink(harness.CONTRIB, self.path("litmus/contrib"))
        common = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": self.path("summary.md"),
                  "GITHUB_PATH": self.path("path"), "TESTS": tests}

        def steps(job, **more):
            """As a runner does them; returns the code of the first that failed."""
            failed = 0
            for step in page["jobs"][job]["steps"]:
                if "run" not in step or (failed and step.get("if") != "always()"):
                    continue
                if step["run"].startswith("tar "): # of the build's artifact
                    continue
                self.sh(step["run"], *range(6), **common, **more)
                failed = failed or self.code
            return failed
        for shard in shards:
            self.assertEqual(steps("measure", SHARD=str(shard), GITHUB_RUN_ID="99",
                                   LITMUS_SHARD=f"{shard}/{len(shards)}", GITHUB_RUN_ATTEMPT="1"), 0)
        code = steps("gate")
        self.assertIn(code, codes)
        self.assert_whole()
        self.code = code
        return self.read("summary.md")

    def test_github(self):
        self.assertTrue(self.github(TESTS, 0).startswith("**passed: no regression**"))
        self.assert_reports(0)

    def test_github_worse(self):
        self.assertTrue(self.github(WORSE, 1).startswith("**FAILED: "))
        self.assert_reports(1)

    def jenkins(self, tests, code):
        (page,) = blocks("groovy")
        build, measure, gate = re.findall(r"'''\n(.*?)'''", page, re.S)
        self.assertIn("git clone", build)
        self.sh(measure, flags="-xec", TESTS=tests)
        self.sh(gate, code, flags="-xec")
        self.assert_reports(code)
        for name in re.search(r"artifacts: '([^']*)'", page)[1].split(", "):
            self.assertTrue(os.path.exists(self.path(name)), name)

    def test_jenkins(self):
        self.jenkins(TESTS, 0)
        self.jenkins(WORSE, 1)
        self.waive()
        self.jenkins(WORSE, 0)

    def test_shell(self):
        (script,) = [text for text in blocks("sh") if "driver-gate.sh" in text]
        self.write("driver-gate.sh", script)
        for number, (tests, code) in enumerate(((TESTS, 0), (WORSE, 1), ("scan.subgroup !*/*form=loop* -n 5 --simt "
                                                                        "lockstep", 3))):
            self.sh("sh ./driver-gate.sh baseline.json waivers.txt", code, TESTS=tests)
            (folder,) = glob.glob(self.path("driver-gate-*/"))
            self.assert_reports(code, folder)
            self.assertTrue(os.path.getsize(os.path.join(folder, "litmus.html")) > 1000)
            self.assertTrue(os.path.getsize(os.path.join(folder, "gate.md")) > 100)
            os.rename(folder, self.path(f"done-{number}"))
        # Without waivers, and without a baseline.
        self.sh("sh ./driver-gate.sh baseline.json", 0)
        self.sh("sleep 1; sh ./driver-gate.sh none.json", 2)

    def test_slurm(self):
        measure, gate = [text for text in blocks("sh") if "#SBATCH" in text]
        first, last = map(int, re.search(r"--array=(\d+)-(\d+)", measure).groups())
        # An array may begin anywhere.
        for task in range(first + 5, last + 6):
            self.sh(measure, SLURM_ARRAY_TASK_ID=str(task), SLURM_ARRAY_TASK_MIN=str(first + 5),
                    SLURM_ARRAY_TASK_MAX=str(last + 5), SLURM_ARRAY_TASK_STEP="1",
                    SLURM_ARRAY_TASK_COUNT=str(last - first + 1), SLURM_ARRAY_JOB_ID="42")
        self.sh(gate)
        self.assert_reports(0)
        self.assert_whole()


harness.main(__name__)
