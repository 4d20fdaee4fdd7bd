#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command that takes tests takes each kind of them: a program that litmus fuzz stored, a
litmus test's file, a kernel of a store, and a name of which pairs are left out."""

import os
import shutil

import harness

KERNEL = harness.kernel("inclusive.comp")
SIMT = ("--simt", "lockstep")
FEW = (*SIMT, "-n", "2")
# What stands before and behind the test, and the exit codes; 2 is for what a command has no use
# for, and is one line then.
COMMANDS = {
    "run": (("run",), (*FEW, "-q"), (0,)),
    "dry run": (("run", "--dry-run"), FEW, (0,)),
    "isa": (("isa",), SIMT, (0,)),
    "list": (("list",), (), (0,)),
    "names": (("list", "--names"), (), (0,)),
    "show": (("show",), (), (0,)),
    "export": (("show", "-f", "litmus"), (), (0, 3)),
    "plan": (("plan",), (), (0,)),
    "plan from": (("plan",), ("--from", "litmus.db"), (0,)),
    "plan missing": (("plan",), ("--missing", "litmus.db"), (0, 3)),
    "tune": (("tune",), (*SIMT, "-n", "1", "--sets", "2"), (0,)),
    "explain": (("explain",), ("--simt", "lockstep,subgroup=32", "--time", "0.1"), (3,)),
    "repro": (("repro",), ("-o", "bundle"), (0, 2)),
    "reduce": (("reduce",), (*SIMT, "-n", "2"), (2, 3)),
    "history": (("history",), (), (0,)),
    "gate": (("gate", "--baseline", "litmus.db", "litmus.db", "--only"), (), (0, 3)),
    "report": (("report", "--test"), (), (0,)),
    "throughput": (("bench", "throughput", "--test"), (*SIMT, "--budget", "0.01"), (0,)),
    "single": (("bench", "single", "--test"), (*SIMT, "--budget", "0.01"), (0,)),
}
# What makes no sense: there is no reproducer of a litmus test but its file, and it is small.
SENSELESS = {("repro", "litmus"), ("reduce", "litmus")}
INEXPRESSIBLE = {("export", "groups"), ("export", "reconvergence"), ("export", "kernel"),
                 ("export", "axis")}


class Kinds(harness.Case):
    def prepare(self):
        if not shutil.which("spirv-as", path=harness.PATH):
            self.skipTest("no spirv-as")
        self.kinds = {"axis": "shuffle.scan-loop/sync=none"}
        for family, settings in (("groups", "lagging,subgroup=8"),
                                 ("reconvergence", "lagging,subgroup=8"), ("memory", "relaxed")):
            self.litmus("fuzz", family, "--simt", settings, "--count", "40", "--keep", "1",
                        "--seed", "0x5eed", "-q", "--db", "fuzz.db")
            found = os.listdir(self.path("fuzz-" + family))
            self.assertEqual(len(found), 1)
            self.kinds["litmus" if family == "memory" else family] = f"fuzz-{family}/{found[0]}"
        self.write("scan.comp", KERNEL)
        made = self.litmus("kernel", "scan.comp", "--groups", "2", "--buffer", "0.0=random:512",
                           "--buffer", "0.1=512", "--expect", "agree", *FEW)
        self.kinds["kernel"] = "kernel.scan"
        if made.code == 2 and "glslang" in made.err:
            self.skipTest("no glslang")
        self.assertEqual(made.code, 0, made)


class Operands(Kinds):
    def one(self, command, kind):
        before, behind, codes = COMMANDS[command]
        shutil.rmtree(self.path("bundle"), ignore_errors=True)
        run = self.litmus(*before, self.kinds[kind], *behind)
        if (command, kind) in SENSELESS:
            self.assertEqual((run.code, run.err.count("\n")), (2, 1), run)
        elif (command, kind) in INEXPRESSIBLE:
            self.assertEqual((run.code, run.err.count("\n")), (3, 1), run)
        elif command == "reduce":
            self.assertEqual(run.code, 3, run)
            self.assertIn("did not fail", run.err)
        else:
            self.assertIn(run.code, codes if command != "repro" else (0,), run)
        self.assertNotIn("nearest", run.err)


def test_of(command):
    def test(self):
        for kind in self.kinds:
            with self.subTest(kind=kind):
                if command in ("history", "report", "gate", "repro"):  # these read results
                    run = self.litmus("run", self.kinds[kind], *FEW, "-q", code=0)
                self.one(command, kind)
    return test


for each in COMMANDS:
    setattr(Operands, "test_" + each.replace(" ", "_"), test_of(each))


class Others(Kinds):
    def test_files_that_are_none(self):
        """A kernel belongs to litmus kernel; a head alone makes no test."""
        text = self.read(self.kinds["groups"])
        self.write("bare.spvasm", text[text.index("OpCapability"):])
        self.write("other.spvasm", text.replace("; oracle       groups.generated",
                                                "; oracle       lookback.sums"))
        for name, words in (("scan.comp", ("a kernel of your own",)), ("nothing.spvasm", ()),
                            ("bare.spvasm", ("litmus kernel FILE",)),
                            ("other.spvasm", ("not a generated program",))):
            for command in ("isa", "list", "run"):
                with self.subTest(name=name, command=command):
                    run = self.litmus(command, name)
                    self.assertEqual((run.code, run.err.count("\n")), (2, 1), run)
                    self.assert_all_in(run.err, name, *words)

    def test_without_its_file(self):
        """The store has it, for workers, for a run that goes on, and by its name and id."""
        self.assertEqual(self.litmus("run", self.kinds["groups"], *FEW, "-q").code, 0)
        shutil.rmtree(self.path("fuzz-groups"))
        name = self.report()["results"][0]["name"]
        for pattern in (name, name[:name.index("/")], harness.id_of(name)):
            run = self.litmus("isa", pattern, *SIMT, code=0)

    def test_tolerance(self):
        """A kernel's results are judged by what it allows, in benchmarks too."""
        self.litmus("kernel", "scan.comp", "--groups", "2", "--buffer", "0.0=iota:512",
                    "--buffer", "0.1=512", "--expect", "0.1=formula:0", "--allow",
                    "0.1=bits:0", "--name", "loose", *FEW, code=0)
        for what in ("throughput", "single"):
            run = self.litmus("bench", what, "--test", "kernel.loose", *SIMT, "--budget", "0.01",
                              code=0)


harness.main(__name__)
