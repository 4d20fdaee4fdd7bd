# SPDX-License-Identifier: Apache-2.0
"""The example of docs/test-format.md, built into a program and run on the SIMT simulator: a test
without C passes, and fails when its formula or its kernel is wrong."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import harness

EMBED = os.path.join(harness.BUILD, "tools", "embed")
SDK = os.path.join(harness.SOURCE, ".sdk", "bin")
DRIVER = os.path.join(harness.BUILD, "simt", "simt_icd.json")
NINJA = shutil.which("ninja") or shutil.which("ninja-build")
# All that a program without benchmarks and stress needs beside its tests.
FOLDERS = ("common", "checker")


def example():
    """The name and the text of the complete test."""
    with open(os.path.join(harness.SOURCE, "docs", "test-format.md"), encoding="utf-8") as file:
        text = re.search(r"^```spirv\n(.*?)^```$", file.read(), re.M | re.S)[1]
    return re.match(r"; litmus +(\S+)", text)[1], text


@unittest.skipUnless(NINJA and os.path.exists(DRIVER), "needs ninja and the SIMT simulator")
class Example(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp(prefix="litmus-e2e-")
        cls.addClassCleanup(shutil.rmtree, cls.made)
        cls.name, cls.text = example()
        for folder in FOLDERS:
            shutil.copytree(os.path.join(harness.SOURCE, "spirv", folder),
                            os.path.join(cls.made, "spirv", folder))
        with open(os.path.join(harness.SOURCE, "spirv", "kernels"), encoding="utf-8") as file:
            kernels = [line for line in file if line.startswith("checker/")]
        with open(os.path.join(cls.made, "spirv", "kernels"), "w", encoding="utf-8") as file:
            file.writelines(kernels)
        os.mkdir(os.path.join(cls.made, "spirv", cls.name.split(".")[0]))
        commands = subprocess.run([NINJA, "-C", harness.BUILD, "-t", "commands", "harness/litmus"],
                                  capture_output=True, text=True, check=True).stdout
        cls.link = shlex.split(commands.strip().split("\n")[-1])

    def build(self, text, words=None):
        """A program that has this test and no other, with a file of words or without."""
        path = os.path.join(self.made, "spirv", self.name.replace(".", "/") + ".spvasm")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        if words is not None:
            with open(path.replace(".spvasm", ".words"), "w", encoding="utf-8") as file:
                file.write(words)
        tools = []
        if os.path.isdir(SDK) and "VULKAN_SDK" not in os.environ:
            tools = ["--as", os.path.join(SDK, "spirv-as"), "--val", os.path.join(SDK, "spirv-val"),
                     "--glslang", os.path.join(SDK, "glslangValidator")]
        made = os.path.join(self.made, "catalogue")
        built = subprocess.run([EMBED, *tools, "--output", made, "--depfile", made + ".d",
                                os.path.join(self.made, "spirv")], capture_output=True, text=True,
                               timeout=600 * harness.SLOW, check=False)
        if built.returncode:
            return built.stderr
        objects = [made + ".o", made + "_data.o"]
        for name in objects:
            subprocess.run(["cc", "-I" + os.path.join(harness.SOURCE, "harness"), "-c",
                            name[:-1] + "c", "-o", name], check=True, cwd=self.made)
        program = os.path.join(self.made, "litmus")
        link = [program if word == "harness/litmus" else word for word in self.link]
        # What is there already is not taken from the library.
        subprocess.run([*link[:link.index(program) + 1], *objects, *link[link.index(program) + 1:]],
                       check=True, cwd=harness.BUILD)
        return program

    def run_it(self, text, model, words=None, **how):
        self.program = self.build(text, words)
        result = self.litmus("run", self.name, "--simt", model, "-n", "3", "--seed", "1",
                             LITMUS_SIMT_ICD=DRIVER, **how)
        self.assert_clean(result)
        return result

    def test_it_passes(self):
        for model in ("tangled,subgroup=4", "lockstep,subgroup=32"):
            run = self.run_it(self.text, model, code=0)
            self.assertEqual([(entry["result"], entry["runs"]) for entry in
                              self.report()["results"]], [("pass", 3)] * 2)
        self.assertIn("formula.subgroup", self.litmus("show", self.name).out)

    def test_sizes_that_do_not_fit_are_skipped(self):
        self.run_it(self.text, "lockstep,subgroup=1", code=77)
        self.assertEqual({entry["reason"] for entry in self.report()["results"]},
                         {"subgroups of 1, workgroups of 64: the test needs lanes > 1"})

    def fails(self, old, new, outcome):
        self.assertEqual(self.text.count(old), 1, old)
        self.run_it(self.text.replace(old, new), "lockstep,subgroup=4", code=1)
        failed = [entry for entry in self.report()["results"] if entry["result"] == "fail"]
        self.assertGreater(len(failed), 0)
        for entry in failed:
            self.assertEqual(entry["failed_runs"], 3)
            self.assertIn(outcome, entry["outcomes"])
            self.assertRegex(entry["failures"][0]["where"],
                             r"^lane \d, result 0, subgroup \d+ of workgroup \d+$")

    test_a_wrong_formula_fails = harness.case("fails", "other <= lane", "other < lane", "wrong")
    test_a_formula_for_a_word_that_is_not_stored_fails = harness.case("fails", "? unwritten\n",
                                                                      "? 0\n", "never written")
    test_a_wrong_kernel_fails = harness.case("fails", "InclusiveScan %own", "ExclusiveScan %own",
                                             "zero")

    def with_file(self):
        """The same test, where the words that lanes hold are of a file."""
        text = self.text.replace("; input     random(1000)\n",
                                 "; file      odd.words\n; input     file[lane]\n")
        self.assertIn("file[lane]", text)
        return text

    def test_a_file_of_words(self):
        self.run_it(self.with_file(), "tangled,subgroup=4", "; four of them\n1 0x10\n3 5\n", code=0)
        shown = self.litmus("show", self.name).out
        self.assert_all_in(shown, "======== file: odd.words ====", "; four of them")
        # Another file, another catalogue.
        names = [line for line in self.litmus("--version").out.splitlines() if "catalogue" in line]
        self.program = self.build(self.with_file(), "1 0x10 3 7")
        self.assertNotEqual([line for line in self.litmus("--version").out.splitlines()
                             if "catalogue" in line], names)

    def test_a_file_that_is_too_short_is_no_fault_of_the_driver(self):
        run = self.run_it(self.with_file(), "lockstep,subgroup=8", "1 2 3 4", code=3)
        for entry in self.report()["results"]:
            self.assertEqual(entry["result"], "harness-error", entry)
        self.assertIn("of the 4 words of its file, word 4 is asked for", run.out + run.err)

    def test_a_file_that_makes_no_sense_is_refused(self):
        self.assertIn("odd.words:2: not a word of 32 bits: 'x'",
                      self.build(self.with_file(), "1\nx\n"))
        os.unlink(os.path.join(self.made, "spirv", self.name.replace(".", "/") + ".words"))
        self.assertIn("odd.words: No such file", self.build(self.with_file()))
        self.assertIn("formula: unexpected '[lane]'",
                      self.build(self.with_file().replace("; file      odd.words\n", "")))

    def test_a_formula_that_makes_no_sense_is_refused(self):
        line = self.text.split("\n; oracle")[0].count("\n") + 1
        for old, new, words in (("<= lane)", "<= line)", "unexpected 'line)"),
                                ("(in % 2)", "(in % 2", "unfinished"),
                                ("sum=reduce", "sum=reduced", "no such value: 'sum=reduced'")):
            error = self.build(self.text.replace(old, new))
            self.assert_all_in(error, words, f"odd.spvasm:{line - 1}: formula: ")


harness.main(__name__)
