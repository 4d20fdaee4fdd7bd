#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""litmus show --format litmus: memory tests for other tools."""

import collections
import glob
import json
import os
import re

import harness

CORPUS = sorted(glob.glob(os.path.join(harness.SOURCE, "corpus", "*.litmus")))
LOOP = harness.kernel("loop.litmus")
# All that a .litmus has.
ALL = harness.kernel("all.litmus")
# What Dat3M's grammar of the dialect takes, in its order.
SCOPE, CLASS, PLACE = r"\.(sg|wg|qf|dv)", r"\.sc[0-3]", r" [a-z]\w*, -?\w+"
SEMANTICS = rf"{SCOPE}(%s)(\.semsc[0-3])+"
ORDERS = "|".join(word + SEMANTICS % "%s" + moves for word, moves in (
    (r"\.acq", r"(\.semvis)?"), (r"\.rel", r"(\.semav)?"),
    (r"\.acq_rel", r"(\.semav)?(\.semvis)?")))
INSTRUCTION = re.compile("|".join((
    rf"st(\.nonpriv|\.av{SCOPE})?{CLASS}{PLACE}", rf"ld(\.nonpriv|\.vis{SCOPE})?{CLASS}{PLACE}",
    rf"(ld|st|rmw)\.atom({SCOPE}{CLASS}|{ORDERS.replace('%s', CLASS)})"
    rf"(\.(add|sub|mul|div|and|or|xor))?{PLACE}(, -?\w+)?",
    rf"membar({ORDERS.replace('(%s)', '')})", rf"cbar({SCOPE}|{ORDERS.replace('(%s)', '')}) \d+",
    r"(add|sub|mul|div|and|or|xor) r\d+, -?\w+, -?\w+", r"LC\d+:", r"goto LC\d+",
    r"b(eq|ne|ge|le|gt|lt) -?\w+, -?\w+, LC\d+", "avdevice", "visdevice")))
TEST = harness.kernel("passing.test")


def name_of(path):
    return os.path.basename(path)[:-len(".litmus")]


def rows_of(text):
    """A .litmus: for each thread its place and its instructions."""
    head, *rows = [[cell.strip() for cell in line.rstrip(" ;").split("|")]
                   for line in text.splitlines() if line.endswith(" ;") and "|" in line]
    threads = [re.match(r"P(\d+)@sg (\d+), wg (\d+), qf 0$", cell).groups() for cell in head]
    return [(thread, [row[i] for row in rows if i < len(row) and row[i]])
            for i, thread in enumerate(threads)]


class Shown(harness.Case):
    def show(self, name):
        result = self.litmus("show", "--format", "litmus", name, drivers=[])
        self.assert_clean(result)
        self.assertEqual(result.code, 0, result)
        return result.out


class Files(Shown):
    def test_round_trip(self):
        """What is written of a file is decided as the file is."""
        written = []
        for path in CORPUS:
            text = self.show(path)
            for row in [row for _, rows in rows_of(text) for row in rows]:
                self.assertRegex(row, rf"^(?:{INSTRUCTION.pattern})$")
            written.append(self.write(os.path.basename(path), text))
        given = self.litmus("model", *CORPUS).out.replace(os.path.dirname(CORPUS[0]) + "/", "")
        made = self.litmus("model", *written).out.replace(os.path.dirname(written[0]) + "/", "")
        self.assertRegex(given, r"MP\+rlx\+dv: 2 threads")
        self.assertEqual(made, given)

    def test_all_of_a_file(self):
        """Nothing is lost, and what was written is written again as it is."""
        text = self.show(self.write("all.litmus", ALL))
        self.assertEqual(self.show(self.write("again.litmus", text)), text)
        self.assertIn("VULKAN all @ once\nKernel=volatile\n"
                      "{ x=5; y=-2; z aliases x; P0:r2=-7; P1:r0=3; }\n{ ssw 0 1; }\n", text)
        self.assertTrue(text.endswith(ALL[ALL.index("filter"):]), text)
        self.assertIn("locations [P0:r1]", text)

    def test_from_alloy(self):
        path = self.write("mp.test", TEST)
        text = self.show(path)
        self.assertIn("VULKAN mp\n(* NOSOLUTION consistent[X] *)\n", text)
        self.assertIn("~exists (P1:r0 == 1 /\\ P1:r1 == 0)", text)
        self.litmus("model", "--quiet", path, self.write("mp.litmus", text), code=0)

    def test_refused(self):
        loop = self.write("loop.litmus", LOOP)
        self.assertIn("bne r0, 1, LC0", self.show(loop))
        named = self.write("named.litmus", LOOP.replace("st.atom.dv.sc0 x, 1", "cbar.wg 0, 2"))
        self.assert_one_line(self.litmus("show", "-f", "litmus", named), 3, "a named barrier")
        wrong = self.write("wrong.litmus", "VULKAN\n")
        self.assert_one_line(self.litmus("show", "-f", "litmus", wrong), 2, "line 2, column 1")
        gone = self.litmus("show", "-f", "litmus", "none.litmus")
        self.assert_one_line(gone, 2, "cannot read none.litmus")
        self.assert_one_line(self.litmus("show", "-f", "litmus", "shuffle.scan-loop"), 3,
                             "shuffle.scan-loop: not expressed as a program")
        beyond = self.litmus("show", "-f", "litmus", "memory.atomicity/op=float-add")
        self.assert_one_line(beyond, 3, "there are no floating-point numbers in .litmus")

    def test_from_the_store(self):
        """A test that was made from a file, by its name or a configuration's id."""
        path = next(path for path in CORPUS if name_of(path) == "MP+rel-acq+dv")
        self.litmus("run", path, "-n", "1", "--simt", "lockstep,threads=1", "-q", code=0)
        self.assertEqual(self.show("litmus.mp-rel-acq-dv"), self.show(path))
        self.assertEqual(self.show("1830f920"), self.show(path))


class Catalogue(Shown):
    """The tests of the family memory as programs: by the model each is what the test expects."""

    def configurations(self):
        """Of each variant of the default run one."""
        listed = json.loads(self.litmus("list", "--json", "memory.*").out)
        return {case["name"].split("@")[0]: case for test in listed["tests"]
                for case in test["configurations"]}.values()

    def test_expectations(self):
        paths, expected, refused = [], [], collections.Counter()
        for case in self.configurations():
            result = self.litmus("show", "--format", "litmus", case["name"], drivers=[])
            if result.code:
                self.assert_one_line(result, 3, "not expressed as a program of the memory model")
                refused[result.err.rsplit(": ", 1)[1].strip()] += 1
                continue
            self.assertIn(f"(* {case['name']}: {case['expectation']} *)", result.out)
            paths.append(self.write(f"{len(paths)}.litmus", result.out))
            ask = "~exists" if case["expectation"] == "forbidden" else "exists"
            expected.append(f"{paths[-1]}: {ask}: holds")
        decided = self.litmus("model", "--quiet", *paths, code=0)
        got = [line.removesuffix(", with a data race") for line in decided.out.splitlines()]
        self.assertEqual(got, expected)
        # What is forbidden is so because nothing races.
        self.assertNotIn("~exists: holds, with", decided.out)
        self.assertGreaterEqual(len(paths), 39)
        self.assertEqual(set(refused), {"the memory model GLSL450 is not defined by axioms",
                                        "there is no compare-exchange in .litmus",
                                        "there is no minimum or maximum in .litmus",
                                        "there are no floating-point numbers in .litmus"})

    def test_without_a_configuration(self):
        """The first variant is meant."""
        self.assertIn("memory.message-passing/sides=device,scope=exact,order=release-acquire,",
                      self.show("memory.message-passing"))


harness.main(__name__)
