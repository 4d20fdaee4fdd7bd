#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""litmus model: what the memory model allows, and files that are no programs."""

import os
import re
import xml.etree.ElementTree

import harness

DOCUMENT = os.path.join(harness.SOURCE, "docs", "memory-model.md")
MP = harness.kernel("passing.litmus")
ATOMIC = MP % (".atom.dv", ".atom.dv", "exists (P1:r0 == 1 /\\ P1:r1 == 0)")
LOOP = harness.kernel("counting.litmus")
TEST = harness.kernel("relayed.test")


class Model(harness.Case):
    def model(self, text, *options, name="a.litmus", **how):
        result = self.litmus("model", *options, self.write(name, text), **how)
        self.assert_clean(result)
        return result

    def test_forbidden_and_allowed(self):
        result = self.model(ATOMIC, code=1)
        lines = result.out.split("\n")
        self.assertIn("MP: 2 threads, 4 candidate executions, 3 consistent", lines[0])
        self.assertIn("  P1:r0=1 P1:r1=0  forbidden  P0 st x=1, location order, P1 ld x=0, "
                      "from-reads, P0 st x=1; P0 st", lines)
        self.assertIn(" " * 30 + "y=1 synchronizes with P1 ld y=1", lines)
        self.assertEqual(len(re.findall(r"^  P1:r0=. P1:r1=.  allowed$", result.out, re.M)), 3)
        self.assertEqual(lines[-3:-1], ["data race: none", "exists: does not hold"])

    def test_quantifiers(self):
        for condition, code in (("~exists (P1:r0 == 1 /\\ P1:r1 == 0)", 0),
                                ("forall (P1:r0 == 0 \\/ P1:r1 == 1)", 0),
                                ("forall (P1:r0 == 0)", 1), ("exists (P1:r0 == 1)", 0)):
            with self.subTest(condition=condition):
                text = MP % (".atom.dv", ".atom.dv", condition)
                self.assertEqual(self.model(text).code, code)

    def test_data_race(self):
        text = MP % (".av.dv", "", "filter (P1:r0 == 1)\nexists (P1:r1 == 0)")
        result = self.model(text, code=0)
        self.assertRegex(result.out, r"(?m)^data race: P0 st x=1 and P1 ld x=[01]$")
        self.assertIn("exists: holds, with a data race", self.model(text, "--quiet").out)
        text = MP % (".av.dv", ".vis.dv", "filter (P1:r0 == 1)")
        self.assertRegex(self.model(text, "-q").out, r"^\S+: no data race\n$")

    def test_chains_and_alloy(self):
        lines = "SATISFIABLE consistent[X] && #dr=0\nNOSOLUTION NOCHAINS consistent[X] && #dr=0\n"
        result = self.model(TEST + lines, name="a.test", code=0)
        self.assertEqual(result.out.count(": holds"), 2)
        self.assertEqual(self.model(TEST + lines, "--no-chains", name="a.test").code, 1)

    def test_several_files(self):
        holds = self.write("holds.litmus", ATOMIC.replace("exists", "~exists"))
        fails = self.write("fails.litmus", ATOMIC)
        result = self.litmus("model", "--quiet", holds, fails, code=1)
        self.assertEqual(result.out, f"{holds}: ~exists: holds\n{fails}: exists: does not hold\n")

    def test_loops(self):
        text = LOOP + "~exists (x == 4)"
        result = self.model(text, code=3)
        self.assertIn("holds up to 2 rounds of each loop: not decided", result.out)
        self.assertEqual(self.model(text, "--rounds", "3").code, 1)

    def test_beyond(self):
        result = self.model(LOOP.replace("add", "cbar.wg 1, 1, 2 ;\nadd"), code=3)
        self.assertIn(": not decided: line 5, column 12: a named barrier", result.out)
        result = self.model(ATOMIC, "--most", "3", code=3)
        self.assertIn("too large: 4 candidate executions, more than 3", result.out)

    def test_pictures(self):
        """A picture for each forbidden state, in a folder that is replaced and nothing else is."""
        folder = os.path.join(self.folder, "pictures")
        for _ in range(2):
            self.assertEqual(self.model(ATOMIC, "--quiet", "--svg", folder).code, 1)
            self.assertEqual(sorted(os.listdir(folder)), ["a.litmus.3.svg", "litmus-model-pictures"])
        picture = harness.read(os.path.join(folder, "a.litmus.3.svg"))
        root = xml.etree.ElementTree.fromstring(picture)
        texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assert_all_in(texts, "MP: P1:r0=1 P1:r1=0: forbidden", "P0", "P1", "st x=1", "ld x=0",
                           "st.atom.rel.dv.sc0.semsc0 y, 1", "location order", "from-reads",
                           "reads-from", "synchronizes")
        self.assertEqual(picture.count('class="box memory wrong"'), 2)
        self.write("pictures/own.txt", "")
        self.assert_one_line(self.litmus("model", "--svg", folder, "a.litmus"), 2, "pictures")

    def wrong(self, path, *words):
        self.assert_one_line(self.litmus("model", path), 2, *words)

    def test_wrong_input(self):
        self.assert_one_line(self.litmus("model"), 2, "missing FILE")
        self.assert_one_line(self.litmus("model", "--rounds", "201", "a"), 2, "--rounds", "200")
        self.wrong("/nowhere", "cannot read /nowhere")
        self.wrong(self.write("bad.litmus", ATOMIC.replace("st.atom.rel", "st.atom.acq")),
                   "bad.litmus: line 5, column 2: a store cannot acquire")
        self.wrong(self.write("long.litmus", "VULKAN" + " " * (1 << 20)), "longer than 1048576 bytes")
        self.wrong(self.write("escape.litmus", "VULKAN a\n{ }\n\x1b[31m"), "line 3, column 1")

    def test_progress(self):
        """Of two threads one waits for the other, which must have begun or have the lower number."""
        shown = re.search(r"^\$ litmus model --progress .*\n((?s:.*?))^```$", self.document(), re.M)
        program = harness.kernel("handover.litmus")
        path = self.write("handover.litmus", program)
        result = self.litmus("model", "--progress", path)
        self.assert_clean(result)
        self.assertEqual(result.out.replace(path, "handover.litmus"), shown.group(1))
        self.assertEqual(result.code, 0)
        alone = self.write("alone.litmus",
                           program.replace("st.atom.dv.sc0 x, 1", "ld.atom.dv.sc0 r0, x"))
        result = self.litmus("model", "--progress", "--quiet", path, alone)
        self.assertEqual(result.out.split("\n"), [
            path + ": always ends under fair, lobe, hsa-obe, hsa",
            alone + ": does not always end under any model", ""])
        self.assertEqual(result.code, 1)
        result = self.model(TEST, "--progress", name="b.test")
        self.assertEqual(result.code, 3)
        self.assertIn("not decided: a .test is one execution", result.out)

    def document(self):
        return harness.read(DOCUMENT)

    def test_document(self):
        """What docs/memory-model.md shows of a program is what is printed of it."""
        blocks = re.findall(r"^```\n(.*?)^```$", self.document(), re.M | re.S)
        shown = re.sub(r"^\$.*\n", "", blocks[0])
        program = re.sub(r"(?m)^(\{ ssw .*|filter .*)\n", "", blocks[1])
        program = program.replace("(P1:r1 == 0)", "(P1:r0 == 1 /\\ P1:r1 == 0)")
        program = program.replace(".av.dv", ".atom.dv").replace(".vis.dv", ".atom.dv")
        path = self.write("mp.litmus", program)
        self.assertEqual(self.litmus("model", path).out.replace(path, "mp.litmus"), shown)
        self.assertEqual(self.model(blocks[1]).code, 1)


harness.main(__name__)
