# SPDX-License-Identifier: Apache-2.0
"""What contrib/ has for Kubernetes and LAVA: of the right shape, and what the jobs run is run here, on
the simulator, as their systems would start it. Neither system is part of this."""

import os
import re
import subprocess

import yaml

import harness

FLEET = harness.CONTRIB
TESTS = ("scan.subgroup", "broadcast.match", "loop.form")
RUN = ("-n", "3", "--simt", "lockstep,subgroup=8,threads=1")


class Fleet(harness.Case):
    def sh(self, script, code=0, **environment):
        path = f"{os.path.dirname(harness.PROGRAM)}:/usr/bin:/bin"
        done = subprocess.run(["sh", "-c", script], cwd=self.folder, capture_output=True, text=True,
                              timeout=120 * harness.SLOW, check=False,
                              env=self.environment(drivers=[], PATH=path, **environment))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def counts(self, store):
        return {entry["name"]: [entry[key] for key in ("result", "runs", "failed_runs", "outcomes", "seed")]
                for entry in self.report(store)["results"]}


class Kubernetes(Fleet):
    def manifests(self, *words, code=0):
        done = subprocess.run([os.path.join(FLEET, "kubernetes"), *words], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return list(yaml.safe_load_all(done.stdout)) if code == 0 else done.stderr

    def script(self, job):
        return job["spec"]["template"]["spec"]["containers"][0]["args"][0]

    def test_shape(self):
        job, report = self.manifests("--parts", "5", "--resource", "amd.com/gpu=2", "--selector",
                                     "gpu=mi300", "--selector", "zone=a", "--image", "reg/litmus:1",
                                     "--claim", "shared", "--all")
        for one in (job, report):
            self.assertEqual((one["apiVersion"], one["kind"]), ("batch/v1", "Job"))
            self.assertEqual(set(one), {"apiVersion", "kind", "metadata", "spec"})
            pod = one["spec"]["template"]["spec"]
            self.assertEqual(pod["restartPolicy"], "Never")
            self.assertEqual(pod["volumes"], [
                {"name": "parts", "persistentVolumeClaim": {"claimName": "shared"}}])
            container, = pod["containers"]
            self.assertEqual(container["volumeMounts"], [{"name": "parts", "mountPath": "/parts"}])
            self.assertEqual(container["command"], ["sh", "-c"])
            self.assertEqual(container["image"], "reg/litmus:1")
        spec = job["spec"]
        self.assertEqual({key: value for key, value in spec.items() if key != "template"},
                         {"completionMode": "Indexed", "completions": 5, "parallelism": 5,
                          "backoffLimitPerIndex": 3, "maxFailedIndexes": 5})
        self.assertEqual(spec["template"]["spec"]["nodeSelector"], {"gpu": "mi300", "zone": "a"})
        self.assertEqual(spec["template"]["spec"]["containers"][0]["resources"],
                         {"limits": {"amd.com/gpu": 2}})
        self.assertEqual(report["spec"]["suspend"], True)
        self.assertNotIn("resources", report["spec"]["template"]["spec"]["containers"][0])

    def test_errors(self):
        for words, said in (((), "missing tests"), (("--parts", "x", "--all"), "--parts x"),
                            (("--name", "A b", "--all"), "--name"), (("--parts",), "needs a value"),
                            (("--image", "a b", "--all"), "no name has"),
                            (("--resource", "gpu", "--all"), "NAME=N"),
                            (("--selector", "gpu", "--all"), "KEY=VALUE")):
            self.assertIn(said, self.manifests(*words, code=2))

    def test_the_pods(self):
        job, report = self.manifests("--parts", "3", "--seed", "0x5eed", *TESTS, "--", *RUN)
        self.sh(f"litmus run {' '.join(TESTS + RUN)} --seed 0x5eed --db whole.db -q")
        for index in (0, 2):
            self.sh(self.script(job), JOB_COMPLETION_INDEX=str(index), PARTS=self.folder)
        # The pod of index 1 dies before its store has anything in it, then with a part of its work
        # done, and is started again.
        self.write("litmus-0x5eed/part-1.0.db", "")
        self.sh(self.script(job), JOB_COMPLETION_INDEX="1", PARTS=self.folder)
        self.edit("DELETE FROM result WHERE id > (SELECT min(id) FROM result)", "litmus-0x5eed/part-1.0.db")
        for table in ("outcome", "failure", "part", "choice", "evidence"):
            self.edit(f"DELETE FROM {table} WHERE result NOT IN (SELECT id FROM result)",
                      "litmus-0x5eed/part-1.0.db")
        self.edit("UPDATE session SET finished = 0", "litmus-0x5eed/part-1.0.db")
        self.sh(self.script(report), code=3, PARTS=self.folder)
        self.sh(self.script(job), JOB_COMPLETION_INDEX="1", PARTS=self.folder)
        self.assertTrue(os.path.exists(self.path("litmus-0x5eed/part-1.1.db")))
        # Once more there is nothing to do.
        self.sh(self.script(job), JOB_COMPLETION_INDEX="1", PARTS=self.folder)
        self.assertFalse(os.path.exists(self.path("litmus-0x5eed/part-1.2.db")))
        os.remove(self.path("litmus-0x5eed/all.db"))
        self.sh(self.script(report), PARTS=self.folder)
        self.assertEqual(self.counts("litmus-0x5eed/all.db"), self.counts("whole.db"))
        self.assertTrue(os.path.getsize(self.path("litmus-0x5eed/litmus.html")))


class Slurm(Fleet):
    def test_status_does_not_take_a_fault_for_the_end(self):
        for folder in ("lists", "stores", "settings"):
            os.makedirs(self.path(f"run/{folder}"))
        self.write("run/settings/litmus", harness.PROGRAM + "\n")
        self.write("run/jobs", "")
        names = self.litmus("plan", *TESTS).out
        self.write("run/lists/0-0.txt", names)
        status = f"{os.path.join(FLEET, 'slurm')} status run"
        whole = sum(line[0] != "#" for line in names.splitlines())
        self.assertEqual(self.sh(status), f"0 of {whole} configurations (0 %)\n")
        self.sh(f"litmus run {' '.join(TESTS + RUN)} --db run/stores/0-0.0.db -q")
        self.assertEqual(self.sh(status), f"{whole} of {whole} configurations (100 %)\n")
        self.write("run/stores/0-1.0.db", "damaged")
        self.sh(status, code=2)


class Lava(Fleet):
    # As LAVA finds them in what a job prints: the parameters are separated by blanks.
    SIGNAL = re.compile(r"<LAVA_SIGNAL_(\S+) ([^>]+)>")

    def signals(self, text):
        found = {}
        for name, parameters in self.SIGNAL.findall(text):
            self.assertEqual(name, "TESTCASE")
            values = dict(parameter.split("=") for parameter in parameters.split())
            self.assertLessEqual(set(values), {"TEST_CASE_ID", "RESULT", "MEASUREMENT", "UNITS"})
            self.assertIn(values["RESULT"], ("pass", "fail", "skip", "unknown"))
            self.assertRegex(values["TEST_CASE_ID"], r"^[A-Za-z0-9._-]+$")
            # LAVA ends a job in which one comes twice.
            self.assertNotIn(values["TEST_CASE_ID"], found)
            found[values["TEST_CASE_ID"]] = values
        return found

    def definition(self):
        with open(os.path.join(FLEET, "lava.yaml"), encoding="utf-8") as file:
            return yaml.safe_load(file)

    def steps(self, code=0, **values):
        definition = self.definition()
        if not os.path.exists(self.path("contrib")):  # LAVA starts in a clone
            os.symlink(FLEET, self.path("contrib"))
        parameters = {**definition["params"], **values}
        return self.sh("\n".join(definition["run"]["steps"]), code, **parameters)

    def test_shape(self):
        definition = self.definition()
        self.assertEqual(set(definition), {"metadata", "params", "run"})
        self.assertEqual(definition["metadata"]["format"], "Lava-Test Test Definition 1.0")
        for key in ("name", "description"):
            self.assertIsInstance(definition["metadata"][key], str)
        self.assertTrue(all(isinstance(step, str) for step in definition["run"]["steps"]))
        self.assertTrue(all(isinstance(value, str) for value in definition["params"].values()))

    def test_a_job(self):
        found = self.signals(self.steps(TESTS=" ".join(TESTS), RUN=" ".join(RUN)))
        self.assertEqual(found.pop("litmus-run")["RESULT"], "pass")
        results = self.report("litmus.db")["results"]
        self.assertEqual(len(found), len(results))
        self.assertEqual({value["RESULT"] for value in found.values()}, {"pass"})
        self.assertEqual({name.split("_")[0] for name in found}, set(TESTS))

    def test_failures(self):
        out = self.steps(TESTS="loop.form", RUN="-n 5 --simt faulty,rate=0.001,subgroup=8")
        found = self.signals(out)
        self.assertEqual(found.pop("litmus-run")["RESULT"], "pass")
        self.assertIn("fail", {value["RESULT"] for value in found.values()})
        rates = [float(value["MEASUREMENT"]) for value in found.values() if "MEASUREMENT" in value]
        self.assertTrue(rates and max(rates) > 0.1 and max(rates) <= 1, found)
        # What is no result of a test: an error of the run is a failed case, and the report's.
        result = self.steps(code=2, TESTS="no.such.test", DB="none.db")
        self.assertEqual(self.signals(result)["litmus-run"]["RESULT"], "fail")

    def test_words_of_results(self):
        self.sh(f"litmus run scan.subgroup {' '.join(RUN)} -q")
        changes = ("pass", "skip", "hang", "crash", "device-lost", "harness-error", "partial")
        for number, result in enumerate(changes):
            self.edit(f"UPDATE result SET result = '{result}', reason = 'x', runs = 0, failed_runs = 0,"
                      " instances = 0, failed_instances = 0"
                      f" WHERE id = (SELECT min(id) + {number} FROM result) AND '{result}' <> 'pass'")
            self.edit("DELETE FROM part WHERE result IN (SELECT id FROM result WHERE runs = 0)")
            self.edit("DELETE FROM outcome WHERE result IN (SELECT id FROM result WHERE runs = 0)")
        found = self.signals(self.converted("lava"))
        self.assertEqual([value["RESULT"] for value in found.values()],
                         ["pass", "skip", "fail", "fail", "fail", "unknown", "unknown"])

    def test_names_stay_different(self):
        names = self.litmus("list", "--names", "--thorough").out.split()
        made = {re.sub(r"[^A-Za-z0-9.-]", "_", name.replace("=", "-")) for name in names}
        self.assertEqual(len(made), len(names))


harness.main(__name__)
