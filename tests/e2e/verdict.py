# SPDX-License-Identifier: Apache-2.0
"""What is read first of a result: verdict, blocks of failures, ids; on models of the simulator."""

import json
import re
import shutil

import harness

# Of scan-loop, with all values of sync, and the ids of what is wrong under the model.
HAZARD = "shuffle.scan-loop/sync=*,reconvergence=default,form=variables,op=add,mode=inclusive," \
         "access=descriptor,pressure=none@workgroup=64*"


def faulty(rate):
    """A driver that stores this share of all values wrong, the same ones each time."""
    return ("--simt", f"faulty,rate={rate},subgroup=8,threads=1", "--seed", "0x5eed")


class Verdict(harness.Case):
    def prepare(self):
        self.ran = self.litmus("run", HAZARD, "-n", "5", "--simt", "snooping,subgroup=8,threads=1",
                               "--seed", "5", drivers=[])
        self.assertEqual(self.ran.code, 1, self.ran)
        self.entries = self.report()["results"]
        self.failed = [entry for entry in self.entries if entry["failed_runs"]]
        self.assertTrue(0 < len(self.failed) < len(self.entries))

    def made(self, *arguments):
        result = self.litmus(*arguments, drivers=[])
        self.assertEqual((result.code, result.err), (0, ""), result)
        return result.out

    def test_the_same_in_all_formats(self):
        report = json.loads(self.made("report", "-f", "json"))
        verdict = report["devices"][0]["verdict"]
        self.assertRegex(verdict, rf"^{len(self.failed)} of {len(self.entries)} forbidden "
                                  r"configurations failed: shuffle\.scan-loop \(")
        # The first line under the device.
        lines = self.ran.out.split("\n")
        place = next(at for at, line in enumerate(lines) if "runs each" in line)
        self.assertEqual(" ".join(" ".join(lines[place + 1:place + 3]).split())[:len(verdict)],
                         verdict)
        lines = self.made("report", "-f", "markdown").split("\n")
        self.assertTrue(lines[0].startswith("# "))
        self.assertEqual(lines[2], f"**{verdict}.**")

    def test_one_block(self):
        blocks = json.loads(self.made("report", "-f", "json"))["summary"]["failures"]
        self.assertEqual(sorted(name for block in blocks for name in block["configurations"]),
                         sorted(entry["name"] for entry in self.failed))
        for block in blocks:
            values = {entry["variant"]["sync"] for entry in self.failed
                      if entry["name"] in block["configurations"]}
            term = re.fullmatch(r"sync(!?=)(\S+)", block["where"])
            self.assertTrue(term, block)
            named = {entry["variant"]["sync"] for entry in self.entries
                     if any(entry["variant"]["sync"] == word or
                            (word.endswith("*") and entry["variant"]["sync"].startswith(word[:-1]))
                            for word in term[2].split(","))}
            everything = {entry["variant"]["sync"] for entry in self.entries}
            self.assertEqual(values, named if term[1] == "=" else everything - named)
            self.assertIn("sync=", block["passes_with"])
            self.assertIsNone(block["finding"])
            for page in (self.ran.out, self.made("report", "-f", "markdown").replace("&#42;", "*")):
                self.assertIn(block["where"].replace("!=", "&#33;="),
                              page.replace("!=", "&#33;="))

    def test_always_and_never_apart(self):
        whole, = json.loads(self.made("report", "-f", "json"))["summary"]["headlines"]
        self.assertEqual(whole["runs"], 5 * len(self.entries))
        observed = {entry["observation"] for entry in self.entries}
        self.assertLessEqual({"Never"}, observed)
        parts = whole["divided"]
        self.assertEqual({part["observation"] for part in parts}, observed)
        self.assertEqual(sum(part["runs"] for part in parts), whole["runs"])
        for part in parts:
            self.assertIn("sync", part["where"])
            self.assertRegex(self.ran.out, rf"(?m)^ .* +{re.escape(part['where'])}$")

    def test_nothing_wraps(self):
        for text in (self.ran.out, self.made("report"), self.made("history", HAZARD)):
            for line in text.split("\n"):
                if not line.startswith("    reproduce: "):  # one line, to be copied
                    self.assertLessEqual(len(line), 100, line)

    def test_a_command_for_all_of_a_block(self):
        words = self.reproduce(self.ran.out)
        self.litmus(*words[1:], "--db", "again.db", drivers=[], code=1)
        ids = {word for word in words[:words.index("-d")] if re.fullmatch(r"[0-9a-f]{8}", word)}
        first = {entry["id"]: entry for entry in self.failed}
        results = self.report("again.db")["results"]
        self.assertEqual({entry["id"] for entry in results}, ids)
        for entry in results:
            for key in ("failed_runs", "outcomes", "failures", "seed"):
                self.assertEqual(entry[key], first[entry["id"]][key], key)


class Tickets(harness.Case):
    """Two screens of 50 lines hold the ticket on every test, what is folded apart."""

    @harness.unsanitized
    def test_two_screens(self):
        # A wrong pointer out of memory loses the device.
        ran = self.litmus("run", "*", "!lookback.*", "!*/through=memory*", "-n", "1", "--stress",
                          "kind=idle,workgroups=1", *faulty(1), drivers=[],
                          code=1)
        # All sections that there are: nothing wraps.
        for line in (ran.out + self.litmus("report", drivers=[]).out).splitlines():
            named = harness.PROGRAM in line.replace("\\", "/")
            self.assertTrue(len(line) <= 100 or named, line)
        first = {}
        for entry in self.report()["results"]:
            if entry["failed_runs"]:
                first.setdefault(entry["test"], entry["id"])
        self.assertGreater(len(first), 50)
        for name, id in first.items():
            page = self.litmus("report", "-f", "markdown", "--test", id, drivers=[]).out
            shown = re.sub(r"(?s)<details>.*?</details>\n\n", "", page)
            self.assertLessEqual(harness.screen_lines(shown), 100, f"{name}\n{shown}")
            self.assert_all_in(shown, "**failed in 1 of 1 runs**", "| driver |", "| litmus |",
                               "| outcome |", f" repro {id}\n")
            self.assertIn("| SPIR-V SHA-256 |", page)
            self.assertNotIn("&#39;", page)


class Many(harness.Case):
    """A block of more configurations than a command can name one by one."""

    def test_these_and_no_others(self):
        left_out = ("!sync-matrix.arithmetic/op=add,scan=reduce*",
                    "!sync-matrix.arithmetic/op=mul,scan=reduce*")
        ran = self.litmus("run", "sync-matrix.arithmetic", *left_out, "-n", "1", *faulty(1),
                          drivers=[], code=1)
        names = {entry["name"] for entry in self.report()["results"]}
        words = self.reproduce(ran.out)
        self.assertTrue(len(names) > 32 and "sync-matrix.arithmetic" in words, words)
        self.litmus(*words[1:], "--db", "again.db", drivers=[], code=1)
        self.assertEqual({entry["name"] for entry in self.report("again.db")["results"]}, names)


class Names(harness.Case):
    """Ids and names without what is usual, wherever a configuration is named."""

    FULL = harness.ONE.rstrip("*") + ",subgroup=8"
    SHORT = "shuffle.scan-loop/sync=workgroup-in-loop@workgroup=64,subgroup=8"
    ID = "9d6e9832"

    def prepare(self):
        self.litmus("run", self.FULL, harness.PAIR[1], "-n", "2", *faulty(1), drivers=[], code=1)

    def ask(self, *arguments, code=0):
        return self.litmus(*arguments, drivers=[], code=code).out

    def test_every_command(self):
        simt = ("--simt", "faulty,rate=1,subgroup=8,threads=1")
        commands = [("run", "NAME", "--dry-run", *simt), ("list", "--names", "NAME"),
                    ("show", "NAME"), ("report", "-f", "csv", "--test", "NAME"),
                    ("report", "-f", "markdown", "--test", "NAME"), ("history", "NAME"),
                    ("isa", "NAME", *simt), ("repro", "NAME", "-o", "bundle"),
                    ("complete", "run", "NAME")]
        for command in commands[:-1]:
            said = []
            for name in (self.FULL, self.SHORT, self.ID):
                said.append(self.ask(*(word.replace("NAME", name) for word in command)))
                if command[0] == "repro":
                    said[-1] = json.loads(self.read("bundle/facts.json"))["configuration"]
                    shutil.rmtree(self.path("bundle"))
            self.assertTrue(said[0], command)
            self.assertEqual(said[1:], said[:1] * 2, command)

    def test_one_and_no_other(self):
        self.assertEqual(self.ask("list", "--names", self.ID).split(),
                         [self.FULL.split(",subgroup")[0]])
        names = self.ask("report", "-f", "csv", "--test", self.ID)
        self.assertIn("workgroup=64,", names)
        self.assertNotIn("workgroup=128,", names)
        plan = self.ask("run", "shuffle.scan-loop", "!" + self.ID, "--dry-run", *faulty(1))
        self.assertNotIn(self.FULL, plan)
        self.assertIn(self.FULL.replace("workgroup=64", "workgroup=128"), plan)

    def test_no_such_id(self):
        for command in (("run", "01234567"), ("list", "01234567"), ("explain", "01234567")):
            self.assert_one_line(self.litmus(*command, drivers=[]), 2, "id '01234567'")
        self.assert_one_line(self.litmus("report", "--test", "01234567"), 2, "01234567")

    def test_of_a_test_that_is_gone(self):
        """The store knows its id, the catalogue does not."""
        self.edit("UPDATE result SET name = replace(name, 'sync=', 'sink=')")
        entry = self.report()["results"][0]
        self.assertIn("sink=", entry["name"])
        found = self.report("litmus.db", "--test", entry["id"])["results"]
        self.assertEqual([other["name"] for other in found], [entry["name"]])
        self.assertIn(entry["id"], self.ask("history", entry["id"]))


class Past(harness.Case):
    def run_one(self, *driver, code):
        run = self.litmus("run", harness.ONE, "-n", "5", *driver, drivers=[], code=code)
        return " ".join(run.out.split())

    def test_since_and_elsewhere(self):
        self.run_one(*faulty(0), code=0)
        self.run_one("--simt", "lockstep,subgroup=8", code=0)
        out = self.run_one(*faulty(1), code=1)
        self.assertRegex(out, r"passes on litmus simt, model lockstep, driver \S+ \(1 of 1\)")
        self.assertRegex(out, r"fails since \d{4}-\d\d-\d\d \(driver \S+\); passed on \d{4}-")
        out = self.run_one(*faulty(1), code=1)
        self.assertRegex(out, r"fails since \d{4}-\d\d-\d\d \(driver \S+\); passed on \d{4}-")
        out = self.run_one("--simt", "faulty,rate=1,subgroup=8", "--db", "other.db", code=1)
        self.assertNotIn("fails since", out)
        self.assertNotIn("passes on", out)


harness.main(__name__)
