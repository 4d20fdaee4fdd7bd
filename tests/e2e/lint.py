# SPDX-License-Identifier: Apache-2.0
"""litmus lint: machine code from anywhere, and files that are none."""

import os

import harness
from harness import Case

ISA = os.path.join(harness.SOURCE, "tests", "isa")
CORPUS = os.path.join(harness.SOURCE, "tests", "fuzz", "corpus", "code")
# One branch of lanes, a write on one side, and a shuffle where both sides may come from.
PARTS = ("S2R R0, SR_LANEID", "ISETP.NE.AND P0, PT, R0, RZ, PT", "@P0 BRA 0x40",
         "IADD3 R1, R1, 0x1, RZ", "SHFL.IDX PT, R1, R1, 0x3, 0x1f", "EXIT")
FINDING = ("SHFL.IDX at 0x40 can be reached from both sides of the branch at 0x20 without "
           "reconvergence: 0x20 -> 0x30 -> 0x40 and 0x20 -> 0x40")


def listing(parts):
    return "".join(f"        /*{16 * i:04x}*/                   {part} ;\n"
                   for i, part in enumerate(parts))


def functions(**of):
    """As cuobjdump -sass prints them."""
    text = "\tcode for sm_90\n"
    for name, parts in of.items():
        text += f"\t\tFunction : {name}\n{listing(parts)}\t\t..........\n\n"
    return text


class Lint(Case):
    def lint(self, *arguments):
        return self.litmus("lint", *arguments)

    def shipped(self, name):
        return os.path.join(ISA, name)

    def assert_summary(self, result, code, *words):
        self.assertEqual(result.code, code, result)
        self.assert_clean(result)
        last = result.out.rstrip("\n").split("\n")[-1]
        for word in words:
            self.assertIn(word, last)

    def test_real_code(self):
        wanted = "1 function, 4 cross-lane reads: 0 misguarded, 0 at risk"
        self.assert_summary(self.lint(self.shipped("h200.cache")), 0, wanted)
        for name in "h200.binary", "h200.code":
            with self.subTest(name=name):
                self.assert_summary(self.lint("--sm", "90", self.shipped(name)), 0, wanted)

    def test_finding(self):
        name = self.write("code.sass", listing(PARTS))
        result = self.lint(name)
        self.assert_summary(result, 1, "1 function, 1 cross-lane read: ", " 1 at risk,")
        self.assertIn(f"{name}: at risk: {FINDING}\n", result.out)
        self.assertNotIn(FINDING, self.lint("--quiet", name).out)

    def test_functions_of_a_listing(self):
        name = self.write("two.sass", functions(good=PARTS[4:], bad=PARTS))
        result = self.lint(name)
        self.assert_summary(result, 1, "2 functions, 2 cross-lane reads: ", " 1 at risk,")
        self.assertIn(f"{name}: bad: at risk: {FINDING}\n", result.out)
        self.assertNotIn("good: ", result.out)

    def test_all(self):
        name = self.shipped("h200.cache")
        self.assertNotIn("inside: ", self.lint(name).out)
        self.assertEqual(self.lint("--all", name).out.count(": inside: "), 3)

    def test_files_together(self):
        result = self.lint(self.shipped("h200.cache"), self.write("code.sass", listing(PARTS)))
        self.assert_summary(result, 1, "2 functions, 5 cross-lane reads: ")

    def test_not_analysed(self):
        result = self.lint(self.shipped("h200.binary"))
        self.assert_summary(result, 3, "1 not analysed")
        self.assertIn("missing --sm N", result.out)
        cubin = self.lint("--built-in", os.path.join(CORPUS, "cubin"))
        self.assert_summary(cubin, 3, "2 functions", "2 not analysed")
        self.assertIn("cubin: second: ", cubin.out)

    def test_usage(self):
        for arguments, words in (
                ([], ["missing FILE"]),
                ([os.path.join(harness.SOURCE, "README.md")], ["README.md", "not SASS text"]),
                (["/bin/ls"], ["/bin/ls", "not a cubin"]),
                ([self.path("none")], ["cannot read", "No such file"]),
                ([self.write("empty", b"")], ["empty", "not SASS text"]),
                ([self.shipped("h200.code")], ["h200.code", "not SASS text"])):
            with self.subTest(arguments=arguments):
                result = self.lint(*arguments)
                self.assert_one_line(result, 2, *words)
                self.assertEqual(result.out, "")


if __name__ == "__main__":
    harness.main()
