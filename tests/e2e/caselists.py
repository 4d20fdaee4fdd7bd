# SPDX-License-Identifier: Apache-2.0
"""Lists of configurations that come from elsewhere or go there: caselists, skips, deqp-runner's lists,
litmus list --json."""

import csv
import io
import json
import os
import re
import subprocess

import harness

SIMT = ("--simt", "lockstep")


class Caselists(harness.Case):
    def planned(self, *arguments, stdin=None):
        done = subprocess.run([*harness.WRAPPER, harness.PROGRAM, "run", *SIMT, "--dry-run", *arguments],
                              env=self.environment(), cwd=self.folder, input=stdin,
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return [line for line in done.stdout.splitlines() if not line.startswith("#")]

    def test_names(self):
        """With or without the subgroup size, in any order, of tests, from a file or from stdin."""
        every = self.planned("scan.*", "lookback.*")
        chosen = every[3:40:4]
        self.write("full.txt", "# a list\n\n" + "\n".join(reversed(chosen)) + "\r\n")
        self.write("bare.txt", "\n".join(re.sub(",subgroup=.*", "", name) for name in chosen))
        for arguments in (("--caselist", "full.txt"), ("--caselist", "bare.txt"),
                          ("--caselist", "full.txt", "--caselist", "bare.txt", "--all")):
            self.assertEqual(self.planned(*arguments), chosen)
        self.assertEqual(self.planned("--caselist", "-", stdin="\n".join(chosen)), chosen)
        self.assertEqual(self.planned("--caselist", "-", stdin="scan.levels\n"),
                         self.planned("scan.levels"))
        self.litmus("run", *SIMT, "-n", "1", "--caselist", "full.txt", "--db", "ids.db")
        ids = [entry["id"] for entry in self.report("ids.db")["results"]]
        self.assertEqual(self.planned("--caselist", "-", stdin="\n".join(ids)), chosen)
        # Patterns choose first.
        self.assertEqual(self.planned("scan.*", "--caselist", "full.txt"),
                         [name for name in chosen if name.startswith("scan.")])

    def test_what_list_prints(self):
        names = self.litmus("list", "--names", "scan.*").out
        self.assertEqual(self.planned("--caselist", "-", stdin=names), self.planned("scan.*"))
        # Those that only --thorough runs are reached by their names.
        more = self.litmus("list", "--names", "--thorough", "scan.levels").out.split()
        quick = self.litmus("list", "--names", "scan.levels").out.split()
        thorough = [name for name in more if name not in quick]
        self.assertTrue(thorough)
        self.assertEqual([re.sub("[,@]subgroup=.*", "", name) for name in
                          self.planned("--caselist", "-", stdin=thorough[0])], thorough[:1])

    def test_skips(self):
        every = self.planned("scan.*")
        self.write("skips.txt", "# of deqp-runner\nscan\\.levels\n^scan.subgroup/mode=(reduce|x)\n")
        self.assertEqual(self.planned("scan.*", "--skips", "skips.txt"),
                         [name for name in every if "scan.levels" not in name
                          and "subgroup/mode=reduce" not in name])
        self.write("names.txt", "scan.levels\n")
        result = self.litmus("run", *SIMT, "--caselist", "names.txt", "--skips", "skips.txt")
        self.assert_one_line(result, 77, "none of these configurations exists")

    def test_mistakes(self):
        for text, words in (("scan.levles\n", ("cases.txt:1", "scan.levels")),
                            ("# x\nscan.levels/sync=nothing\n", ("cases.txt:2",)),
                            ("scan.levels\nscan.*\n", ("cases.txt:2",)), ("# x\n", ("nothing",)),
                            ("scan.levels\0\n", ("cases.txt:1",))):
            self.write("cases.txt", text)
            self.assert_one_line(self.litmus("run", *SIMT, "--caselist", "cases.txt"), 2, *words)
        self.write("skips.txt", "a\n(\n")
        self.assert_one_line(self.litmus("run", *SIMT, "--all", "--skips", "skips.txt"), 2,
                             "skips.txt:2")
        self.assert_one_line(self.litmus("run", *SIMT, "--caselist", "none"), 2, "none")
        self.assertEqual(sorted(os.listdir(self.folder)), ["cases.txt", "skips.txt"])

    def test_resumed(self):
        """What was listed is kept with the session."""
        names = self.planned("scan.levels", "scan.subgroup")
        self.write("cases.txt", "\n".join(names))
        self.write("skips.txt", "form=loop\n")
        lists = ("--caselist", "cases.txt", "--skips", "skips.txt")
        # A slow machine has no session yet when the time is over.
        for seconds in ("0.9", "5", "25"):
            result = self.litmus("run", *SIMT, *lists, "-n", "300", "--time", seconds)
            self.assertIn(result.code, (0, 5), result)
            if os.path.exists(self.path("litmus.db")):
                break
        os.unlink(self.path("cases.txt"))
        os.unlink(self.path("skips.txt"))
        if result.code == 5:
            self.litmus("run", "--resume", "-q", code=0)
        self.assertEqual(sorted(entry["name"] for entry in self.report()["results"]),
                         sorted(name for name in names if "form=loop" not in name))
        options = json.loads(self.rows("SELECT options FROM session")[0][0])
        self.assertEqual((options["caselist"], options["skips"]), (names, ["form=loop"]))


def runner(name):
    """A configuration as runners know it."""
    return name.replace("-", "_").replace(",", "/")


class Lists(harness.Case):
    """What deqp-runner writes and reads."""

    def prepare(self):
        """before.db is right, after.db fails always and sometimes and skips."""
        tests = ("scan.subgroup", "broadcast.id", "barrier.memory-is-no-rendezvous")
        for store, how in (("before.db", "lockstep,subgroup=128"),
                           ("after.db", "faulty,fault=wrong,rate=0.0002,subgroup=128,threads=1")):
            self.litmus("run", *tests, "--simt", how, "-n", "20", "--seed", "5", "--db", store)

    def made(self, kind, store="after.db"):
        return self.converted("deqp", "--list", kind, store=store)

    def parsed(self, text):
        """As deqp-runner does: a name ends at the first comma, and comes once."""
        rows = {}
        for line in text.splitlines():
            name, status = re.match(r"([^,]+),([^,]+)", line).groups()
            self.assertNotIn(name, rows)
            self.assertIn(status, ("Pass", "Fail", "Skip", "Crash", "Flake", "Missing", "Timeout"))
            rows[name] = status
        return rows

    def test_results(self):
        text = self.made("results")
        rows = self.parsed(text)
        entries = self.report("after.db")["results"]
        self.assertEqual(list(rows), [runner(name) for name in
                                      sorted(entry["name"] for entry in entries)])
        for entry in entries:
            bad = entry["expectation"] == "forbidden" and entry["failed_runs"] > 0
            judged = entry["runs"] - entry["no_progress_runs"]
            want = ("Skip" if entry["result"] == "skip" else "Pass" if not bad
                    else "Fail" if entry["failed_runs"] == judged else "Flake")
            self.assertEqual(rows[runner(entry["name"])], want, entry["name"])
        for row in csv.reader(io.StringIO(text)):
            self.assertGreaterEqual(float(row[2]), 0)
        self.assertGreaterEqual(set(rows.values()), {"Skip", "Flake", "Fail"})

    def test_known_failures_and_flakes_are_a_baseline(self):
        rows = self.parsed(self.made("results"))
        by = {status: [name for name in rows if rows[name] == status]
              for status in ("Fail", "Flake")}
        fails, flakes = self.made("fails"), self.made("flakes")
        self.assertEqual(self.parsed(fails), {name: "Fail" for name in by["Fail"]})
        self.assertEqual([[name for name in rows if re.search(pattern, name)]
                          for pattern in flakes.splitlines()], [[name] for name in by["Flake"]])
        self.write("fails.txt", fails)
        self.write("flakes.txt", flakes)
        gate = ("gate", "--baseline", "before.db", "after.db", "--first-seen", "--tolerance", "0.9")
        self.assertEqual(self.litmus(*gate).code, 1)
        waived = self.litmus(*gate, "--deqp-fails", "fails.txt", "--deqp-flakes", "flakes.txt")
        self.assertEqual((waived.code, waived.err), (0, ""), waived)
        # The same lists choose what is run.
        self.write("cases.txt", "\n".join([*by["Fail"], *by["Flake"]]))
        planned = self.litmus("run", "--caselist", "cases.txt", "--skips", "flakes.txt", "--simt",
                              "lockstep,subgroup=128", "--dry-run").out
        self.assertEqual(sorted(runner(line) for line in planned.splitlines() if line[:1] != "#"),
                         sorted(by["Fail"]))

    def test_of_several_devices_the_worst_counts(self):
        """Each name once, where every configuration has a result of each device."""
        self.litmus("run", "scan.subgroup", "--simt",
                    "faulty,fault=wrong,rate=0.0002,devices=2,threads=1", "-n", "5", "--db", "two.db")
        worst, order = {}, ("Fail", "Flake", "Pass")
        for entry in self.report("two.db")["results"]:
            bad = entry["failed_runs"] and entry["expectation"] == "forbidden"
            status = ("Pass" if not bad else "Fail"
                      if entry["failed_runs"] == entry["runs"] else "Flake")
            worst.setdefault(runner(entry["name"]), []).append(status)
        self.assertEqual({len(of) for of in worst.values()}, {2})
        self.assertEqual(self.parsed(self.made("results", "two.db")),
                         {name: min(of, key=order.index) for name, of in worst.items()})

    def test_nothing_failed(self):
        self.assertEqual((self.made("fails", "before.db"), self.made("flakes", "before.db")),
                         ("", ""))


class Json(harness.Case):
    def made(self, *arguments):
        result = self.litmus("list", "--json", *arguments)
        self.assertEqual((result.code, result.err), (0, ""), result)
        return json.loads(result.out)

    def test_schema(self):
        validator = self.validator("list")
        made = self.made("--thorough", "scan.*", "memory.*", "cases.igc-396")
        validator.validate(made)
        del made["tests"][0]["configurations"][0]["needs"]
        with self.assertRaises(harness.jsonschema.ValidationError):
            validator.validate(made)

    def test_the_same_as_the_names(self):
        for options in ((), ("--thorough", "scan.*"), ("--expectation", "control"),
                        ("--needs", "shaderInt64", "--family", "scan")):
            made = self.made(*options)
            names = [entry["name"] for test in made["tests"] for entry in test["configurations"]]
            self.assertEqual(names, self.litmus("list", "--names", *options).out.split())
        self.assertIn(f"catalogue {made['catalogue']}", self.litmus("--version").out)
        for test in self.made("scan.levels", "--thorough")["tests"]:
            for entry in test["configurations"]:
                pairs = re.split("[/@,]", entry["name"])[1:]
                self.assertEqual([pair.split("=")[0] for pair in pairs],
                                 [axis["name"] for axis in test["axes"] + test["parameters"]])
        self.assert_one_line(self.litmus("list", "--json", "--names"), 2, "--json")


harness.main(__name__)
