# SPDX-License-Identifier: Apache-2.0
"""litmus fuzz relatives: modules that compute the same do the same on a right device, and differ
where a fault is planted; what differs is kept, and differs again."""

import glob
import os
import re
import shutil
import unittest

import harness
from harness import Case

PREDICATE = ("--simt", "miscompiling,subgroup=8,predicate=1")
CHANGES = ("split", "branch", "tail", "loop", "dead", "swap", "identity", "select", "sink", "hoist",
           "outline", "variable", "several")
# Which are too long for the simulator.
LONG = ("barrier.long-loop",)

KERNEL = """\
               OpCapability Shader
               OpCapability GroupNonUniformArithmetic
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %local
               OpExecutionMode %main LocalSize 64 1 1
               OpDecorate %local BuiltIn LocalInvocationIndex
               OpDecorate %words ArrayStride 4
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %block Block
               OpDecorate %output DescriptorSet 0
               OpDecorate %output Binding 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %uint = OpTypeInt 32 0
         %c0 = OpConstant %uint 0
         %c3 = OpConstant %uint 3
      %words = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %words
         %pi = OpTypePointer Input %uint
         %ps = OpTypePointer StorageBuffer %uint
         %pb = OpTypePointer StorageBuffer %block
      %local = OpVariable %pi Input
     %output = OpVariable %pb StorageBuffer
       %main = OpFunction %void None %fn
      %entry = OpLabel
          %i = OpLoad %uint %local
      %total = OpGroupNonUniformIAdd %uint %c3 Reduce %i
        %out = OpAccessChain %ps %output %c0 %i
               OpStore %out %total
               OpReturn
               OpFunctionEnd
"""


class Relatives(Case):
    def setUp(self):
        super().setUp()
        if not os.path.exists(harness.SIMT):
            raise unittest.SkipTest("the SIMT simulator is not built")

    def relatives(self, *arguments, **how):
        result = self.litmus("fuzz", "relatives", *arguments, "--seed", "1", **how)
        self.assert_clean(result)
        self.assertNotIn("not valid", result.out)
        return result

    def rows(self, result):
        """Of each change: relatives, runs, failed runs, relatives that differ."""
        return {row[0]: tuple(int(n.replace(",", "")) for n in row[1:]) for row in
                re.findall(r"(?m)^  ([a-z]+) +([\d,]+) +([\d,]+) +([\d,]+) +([\d,]+)$", result.out)}

    def stored(self):
        return sorted(glob.glob(os.path.join(self.path("relatives"), "*.spv*")))

    def test_a_right_device_does_the_same(self):
        run = self.relatives("scan.types", "broadcast.id", "memory.message-passing", "--simt",
                             "tangled", "-n", "2", "--count", "1", "--time", "100")
        self.assertIn(run.code, (0, 5), run)
        rows = self.rows(run)
        self.assertEqual(tuple(rows), CHANGES, run)
        for relatives, runs, failed, differ in rows.values():
            self.assertEqual((runs, failed, differ), (2 * relatives, 0, 0), run)
        self.assertEqual(self.stored(), [])

    def test_a_planted_fault_shows_in_a_relative(self):
        """That a reduction is skipped by a comparison before it, where the test has none."""
        plain = self.litmus("run", "scan.types", *PREDICATE, "-n", "2", "-q")
        self.assertEqual(plain.code, 0, plain)
        run = self.relatives("scan.types", *PREDICATE, "-n", "20", "--keep", "2")
        self.assertEqual(run.code, 1, run)
        rows = self.rows(run)
        self.assertTrue(rows["loop"][2] and rows["loop"][3], run)
        self.assertEqual((rows["swap"][2], rows["swap"][3]), (0, 0), run)
        self.assertRegex(run.out, r"loop \d, at \d+ places?: fails in 20 of 20 runs .*rate: p ")
        self.assertEqual(len(self.stored()), 2, run)

    def test_what_is_stored_differs_again(self):
        run = self.relatives("scan.types", *PREDICATE, "-n", "4", "--count", "1", "--keep", "1")
        path, = self.stored()
        name = re.search(r"(?m)^  (scan\.types\S*): fails in 0", run.out).group(1)
        if path.endswith(".spvasm") and not shutil.which("spirv-as"):
            self.skipTest("no spirv-as")
        again = self.relatives(name, *PREDICATE, "-n", "4", "--replay", path)
        self.assertEqual(again.code, 1, again)
        right = self.relatives(name, "--simt", "lockstep,subgroup=8", "-n", "4", "--replay", path)
        self.assertEqual(right.code, 0, right)

    def test_a_kernel_of_ones_own(self):
        if not shutil.which("spirv-as"):
            self.skipTest("no spirv-as")
        path = self.write("total.spvasm", KERNEL)
        kernel = ("kernel", path, "--groups", "1", "--buffer", "0.0=256", "--expect", "agree")
        right = self.litmus(*kernel, "fuzz", "relatives", "--simt", "lockstep", "-n", "2")
        self.assertEqual(right.code, 0, right)
        self.assertIn("1 configurations ran", right.out)
        wrong = self.litmus(*kernel, "fuzz", "relatives", *PREDICATE, "-n", "2", "--seed", "1")
        self.assertEqual(wrong.code, 1, wrong)
        self.assertIn("kernel.total", wrong.out)

    def test_what_may_have_several_results_is_left_out(self):
        run = self.relatives("memory.store-buffering", "--simt", "lockstep", "-n", "1", "--count",
                             "1", "--time", "30")
        self.assertRegex(run.out, r"(?m)^  \d+ left out: more than one result is allowed$")

    def test_a_crash_is_a_difference(self):
        run = self.relatives("scan.types", "--simt", "faulty,subgroup=8,fault=crash,at=30", "-n",
                             "2", "--count", "1")
        self.assertEqual(run.code, 1, run)
        self.assertRegex(run.out, r"at \d+ places?: crash: ")

    def test_time(self):
        run = self.relatives("scan", "--simt", "lockstep", "-n", "2", "--time", "2")
        self.assertEqual(run.code, 5, run)

    @harness.full
    @harness.never_sanitized
    def test_the_catalogue(self):
        """The first configuration of each test: every relative is valid, and right."""
        names = self.litmus("list", "--names").out.split()
        first = {}
        for name in names:
            first.setdefault(re.split("[/@]", name)[0], re.sub(r",?subgroup=\d+$", "*", name))
        run = self.relatives(*[name for test, name in first.items() if test not in LONG],
                             "--simt", "lockstep", "-n", "1", "--count", "1", timeout=3600)
        self.assertEqual(run.code, 0, run)
        self.assertGreater(len(self.rows(run)), 12)

    def test_usage(self):
        self.assert_one_line(self.litmus("fuzz", "relatives"), 2, "missing test")
        self.assert_one_line(self.litmus("fuzz", "relatives", "no.such"), 2, "no.such")
        self.assert_one_line(self.litmus("fuzz", "relatives", "scan.types", "--coverage"), 2,
                             "--coverage")
        self.assert_one_line(self.litmus("fuzz", "relatives", "scan.types", "--simt", "lockstep",
                                         "--replay", "nowhere"), 2, "nowhere")


if __name__ == "__main__":
    harness.main()
