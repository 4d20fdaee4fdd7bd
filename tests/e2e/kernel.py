# SPDX-License-Identifier: Apache-2.0
"""litmus kernel: kernels from outside, as a user would bring them."""

import contextlib
import hashlib
import os
import random
import re
import shlex
import shutil
import sqlite3
import struct
import subprocess
import unittest

import harness

SCAN, LOCALS, OLD, STEPS = (harness.kernel(name + ".spvasm")
                            for name in ("scan", "locals", "old", "steps"))
IN_BRANCH = """\
               OpSelectionMerge %joined None
               OpBranchConditional %low %then %joined
       %then = OpLabel
               OpStore %more %i
               OpBranch %joined
     %joined = OpLabel
     %result = OpLoad %uint %more
"""
# Each with what check says: the variable and how often, or nothing.
VARIABLES = {
    "never": ("%result = OpLoad %uint %more", "4 bytes of variable %more, 8 times", 0),
    "branch": (IN_BRANCH, "4 bytes of variable %more, 5 times", 3),
    "private": ("%result = OpLoad %uint %global", "4 bytes of variable %global, 8 times", 0),
    "private-known": ("%result = OpLoad %uint %seven", None, 0),
    "private-stored": ("OpStore %global %i\n%result = OpLoad %uint %global", None, 0),
    "known": ("%result = OpLoad %uint %known", None, 0),
    "stored": ("OpStore %more %i\n%result = OpLoad %uint %more", None, 0),
    "copied": ("OpCopyMemory %more %known\n%result = OpLoad %uint %more", None, 0),
    "copied-from": ("OpCopyMemory %known %more\n%result = OpLoad %uint %known",
                    "4 bytes of variable %more, 8 times", 0),
    "frexp": ("%f = OpExtInst %float %ext Frexp %one %exponent\n%e = OpLoad %int %exponent\n"
              "%result = OpBitcast %uint %e", None, 0),
    "part": ("""\
       %at = OpAccessChain %pf %array %c3
             OpStore %at %i
    %whole = OpLoad %eight %array
   %result = OpCompositeExtract %uint %whole 3
""", None, 0),
    "whole": ("%whole = OpLoad %eight %array\n%result = OpCompositeExtract %uint %whole 3",
              "32 bytes of variable %array, 8 times", 0),
    "other-part": ("""\
       %at = OpAccessChain %pf %array %c3
             OpStore %at %i
    %other = OpAccessChain %pf %array %c7
   %result = OpLoad %uint %other
""", "4 bytes of variable %array, 8 times", 0),
    "indexed": ("""\
       %at = OpAccessChain %pf %array %i
             OpStore %at %i
    %other = OpAccessChain %pf %array %c3
   %result = OpLoad %uint %other
""", "4 bytes of variable %array, 7 times", 0),
    "indexed-load": ("""\
       %at = OpAccessChain %pf %array %c3
             OpStore %at %i
    %other = OpAccessChain %pf %array %i
   %result = OpLoad %uint %other
""", "4 bytes of variable %array, 7 times", 0),
    "indexed-right": ("""\
       %at = OpAccessChain %pf %array %i
             OpStore %at %i
   %result = OpLoad %uint %at
""", None, 0),
    "passed": ("%call = OpFunctionCall %void %set %more\n%result = OpLoad %uint %more", None, 0),
    # What the first call left is not there in the second.
    "returned": ("""\
     %high = OpLogicalNot %bool %low
      %yes = OpFunctionCall %uint %own %low
   %result = OpFunctionCall %uint %own %high
""", "4 bytes of variable %inner, 8 times", 3),
}
# A script of two pipelines, which have the same buffers at other places, of a shader with parameters.
SCRIPT = """\
#!amber
DEVICE_FEATURE shaderInt16
DEVICE_EXTENSION VK_KHR_storage_buffer_storage_class
SET ENGINE_DATA fence_timeout_ms 1000
SHADER compute own SPIRV-ASM TARGET_ENV spv1.3
""" + STEPS.replace("%c10 = OpConstant", "%c10 = OpSpecConstant").replace(
    "OpDecorate %words", "OpDecorate %c10 SpecId 9\nOpDecorate %words") + """\
END
BUFFER data DATA_TYPE uint32 DATA 0 0
  0 0
END
BUFFER wanted DATA_TYPE uint32 DATA 0x84e 213 0 0 END  # 2126
BUFFER other DATA_TYPE float SIZE 4 SERIES_FROM 1.5 INC_BY -0.5
BUFFER first DATA_TYPE uint32 SIZE 1 FILL 1
BUFFER second DATA_TYPE uint32 SIZE 1 FILL 0x3
PIPELINE compute one
  ATTACH own ENTRY_POINT main \\
    SPECIALIZE 9 AS uint32 20
  SUBGROUP own
    REQUIRED_SIZE 8
  END
  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER first AS push_constant
END
DERIVE_PIPELINE two FROM one
  ATTACH own SPECIALIZE 9 AS uint32 10
  BIND BUFFER second AS push_constant
END
RUN one 2 1 1
RUN two 2 1 1
RUN two 1 1 1
EXPECT data IDX 4 EQ 13 0
EXPECT other IDX 4 EQ 1.0 0.5
"""
BARRIER = "OpControlBarrier %c2 %c2 %mem"
FACTOR, OFFSET, LANES = 3, 5, 16
WORDS = 4 * LANES


def sums():
    scaled = [i * FACTOR + OFFSET for i in range(WORDS)]
    return [sum(scaled[i // LANES * LANES:i + 1]) for i in range(WORDS)]


HAS = "litmus: kernel.scan@workgroup=16: this kernel has "


@unittest.skipUnless(shutil.which("spirv-as"), "needs spirv-as")
@harness.posix
@harness.unsanitized
class Kernel(harness.Case):
    def setUp(self):
        super().setUp()
        self.write("scan.spvasm", SCAN.replace("BARRIER", BARRIER))
        self.write("racy.spvasm", SCAN.replace("BARRIER", ""))
        self.write("sums.words", "; of the scan\n" + "\n".join(map(str, sums())))
        with open(self.path("factor.bin"), "wb") as file:
            file.write(struct.pack("<I", FACTOR))

    OPTIONS = {"groups": "2,2", "push": "hex:0000000005000000", "spec": "3=16"}
    BUFFERS = ("0.0=factor.bin", "0.4=iota:256")

    def options(self, expect="2.1=sums.words", without=()):
        named = [f"--{name}={value}" for name, value in self.OPTIONS.items() if name not in without]
        buffers = [f"--buffer={buffer}" for buffer in self.BUFFERS if buffer not in without]
        return named + buffers + ([f"--expect={expect}"] if expect else [])

    def kernel(self, name, *arguments, **how):
        return self.litmus("kernel", name, *self.options(**how), *arguments)

    def runs(self, store):
        return sum(row[0] for row in self.rows("SELECT runs FROM result", store))

    @harness.sanitized
    def test_passes(self):
        for model in "lockstep", "tangled":
            result = self.kernel("scan.spvasm", "--simt", model, "-n", "5")
            self.assertEqual(result.code, 0, result)
            self.assertIn("kernel     1     0     0      0        0            320", result.out)
        names = self.rows("SELECT name, runs FROM result")
        self.assertEqual([tuple(row) for row in names],
                         [("kernel.scan@workgroup=16,subgroup=32", 5)] * 2)

    @harness.about_lavapipe
    def test_passes_on_lavapipe(self):
        result = self.kernel("scan.spvasm", "-n", "600", "--stress", "random")
        self.assertEqual(result.code, 0, result)

    def test_fails(self):
        """What a run stored is compared with what it was to store, and the place is named."""
        words = sums()
        words[37] += 1
        self.write("wrong.words", " ".join(map(hex, words)))
        result = self.kernel("scan.spvasm", "--simt", "lockstep", "-n", "4",
                             expect="2.1=wrong.words")
        self.assertEqual(result.code, 1, result)
        self.assertIn("4 of 4 runs failed", result.out)
        self.assertIn(f"buffer 2.1, word 37: wrong, got 0x{sums()[37]:08x}, "
                      f"want 0x{words[37]:08x}", " ".join(result.out.split()))
        # What is printed does the same again.
        again = self.litmus(*self.reproduce(result.out)[1:], code=1)
        self.assertIn("4 of 4 runs failed", again.out)

    def test_resumes(self):
        """The session has the kernel: what is printed goes on with it."""
        result = self.kernel("scan.spvasm", "--simt", "lockstep", "-n", "1000000", "--time", "1",
                             "--db", "own.db")
        self.assertEqual(result.code, 5, result)
        before = self.runs("own.db")
        os.remove(self.path("scan.spvasm"))
        line = re.search("resume: litmus (.*)", result.out)[1]
        for _ in range(10):  # on a busy machine the first may end before a run does
            again = self.litmus(*shlex.split(line), "--time", "1", code=5)
            if self.runs("own.db") > before:
                break
        self.assertGreater(self.runs("own.db"), before)

    def test_in_the_store(self):
        """Who has the store needs no file: the session has the kernel."""
        words = sums()
        words[37] += 1
        self.write("wrong.words", " ".join(map(hex, words)))
        result = self.kernel("scan.spvasm", "--simt", "lockstep", "-n", "4", expect="2.1=wrong.words")
        self.assertEqual(result.code, 1, result)
        for name in os.listdir(self.folder):
            if name != "litmus.db":
                os.remove(self.path(name))
        report = self.litmus("report", "-f", "markdown").out
        # What is usual of a test is left out only where the test is known.
        self.assertIn("`kernel.scan@subgroup=32`", report)
        again = self.litmus(*self.reproduce(self.litmus("report").out)[1:], code=1)
        self.assertIn("4 of 4 runs failed", again.out)
        name, = {row[0] for row in self.rows("SELECT name FROM result")}
        os.rename(self.path("litmus.db"), self.path("own.db"))
        for arguments in (("run", "kernel.scan", "--db", "own.db", "--simt", "lockstep", "-n", "2"),
                          ("run", "kernel.*", "--db", "own.db", "--simt", "lockstep", "-n", "2"),
                          ("run", harness.id_of(name), "--db", "own.db", "--simt", "lockstep", "-n", "2")):
            result = self.litmus(*arguments, code=1)
            self.assertIn("2 of 2 runs failed", result.out)
        self.assertNotIn("--db own.db", self.litmus("report", "--db", "own.db", "--session", "1",
                                                    "-f", "csv").out)
        self.assertIn("--db own.db", self.litmus("report", "--db", "own.db").out)
        os.rename(self.path("own.db"), self.path("litmus.db"))
        result = self.litmus("show", "kernel.scan")
        self.assertIn("OpTypeRuntimeArray", result.out)
        self.litmus("isa", "kernel.scan", "--simt", "lockstep", code=0)
        result = self.litmus("explain", "kernel.scan", "--simt", "tangled,subgroup=4", "--time", "20")
        self.assertNotEqual(result.code, 2, result)
        result = self.litmus("run", "kernel.other", "--simt", "lockstep")
        self.assert_one_line(result, 2, "kernel.other")

    def test_shards(self):
        for shard in 0, 1:
            result = self.kernel("scan.spvasm", "--simt", "lockstep", "-n", "8", "--shard-runs",
                                 f"{shard}/2", "--seed", "7", "--db", f"{shard}.db")
            self.assertEqual(result.code, 0, result)
        self.litmus("merge", "-o", "litmus.db", "0.db", "1.db", code=0)
        self.assertEqual(self.rows("SELECT session, name FROM kernel"),
                         self.rows("SELECT session, 'kernel.scan' FROM result"))
        self.litmus("run", "kernel.scan", "--simt", "lockstep", "-n", "2", code=0)
        self.assertEqual(self.litmus("store", "check", "litmus.db").code, 0)
        # Damage to one is seen before it is given to a driver.
        with contextlib.closing(sqlite3.connect(self.path("litmus.db"))) as database:
            database.execute("UPDATE kernel SET packed = x'00'")
            database.commit()
        self.assert_one_line(self.litmus("run", "kernel.scan", "--simt", "lockstep"), 2,
                             "the kernel of kernel.scan")
        self.assertEqual(self.litmus("store", "check", "litmus.db").code, 2)

    def test_agrees(self):
        sized = ("--buffer", "2.1=256", "--simt", "tangled", "-n", "4")
        result = self.kernel("scan.spvasm", *sized, expect="agree")
        self.assertEqual(result.code, 0, result)
        self.assertNotIn("unspecified", result.err)
        result = self.kernel("racy.spvasm", *sized, expect="agree")
        self.assertEqual(result.code, 2, result)
        self.assertIn("of 8 runs under tangled differ", result.err)

    def test_formula(self):
        """The sum of a workgroup's words up to the own one, word by word."""
        of_group = f"other/{LANES} == word/{LANES} && other <= word"
        formula = f"formula:add(({of_group}) * (in[other]*{FACTOR}+{OFFSET}))"
        result = self.kernel("scan.spvasm", "--buffer", "2.1=256", "--simt", "lockstep", "-n", "3",
                             expect=f"2.1={formula}")
        self.assertEqual(result.code, 0, result)
        result = self.kernel("scan.spvasm", "--buffer", "2.1=256", "--simt", "lockstep", "-n", "3",
                             expect="2.1=formula@0.4:input[word]")
        self.assertEqual(result.code, 1, result)
        for formula, words in (("formula:in+", "formula"), ("formula:file[1]", "unexpected '[1]'"),
                               ("formula@0.9:in", "which buffer"), ("formula@2.1:in", "which buffer")):
            result = self.kernel("scan.spvasm", "--buffer", "2.1=256", expect=f"2.1={formula}")
            self.assert_one_line(result, 2, words)

    def test_allowed(self):
        """What may differ does not count, whatever differs besides does."""
        def run(expected, *how):
            self.write("other.words", " ".join(map(str, expected)))
            options = [f"--allow=2.1={one}" for one in how]
            return self.kernel("scan.spvasm", *options, "--simt", "lockstep", "-n", "3",
                               expect="2.1=other.words").code
        right = sums()
        self.assertEqual(run(right[::-1]), 1)
        self.assertEqual(run(right[::-1], "any-order"), 0)
        self.assertEqual(run([right[0]] + right[:-1], "any-order"), 1)
        pairs = [word for i in range(0, WORDS, 2) for word in right[WORDS - i - 2:WORDS - i]]
        self.assertEqual(run(pairs, "any-order:8"), 0)
        self.assertEqual(run(right[::-1], "any-order:8"), 1)
        self.assertEqual(run([word ^ 0xff00 for word in right], "bits:ffff00ff"), 0)
        self.assertEqual(run([word ^ 0xff00 for word in right], "bits:fffff0ff"), 1)
        self.assertEqual(run(right[:8] + [0] * (WORDS - 8), "words:0-7"), 0)
        self.assertEqual(run(right[:8] + [0] * (WORDS - 8), "words:0-8"), 1)
        self.assertEqual(run([word + 2 for word in right], "ulp:2"), 0)
        self.assertEqual(run([word + 2 for word in right], "ulp:1"), 1)
        for how in "ulp", "ulp:0", "ulp:x", "relative:-1", "words:3-2", "any-order:3", "bits:xyz":
            result = self.kernel("scan.spvasm", f"--allow=2.1={how}")
            self.assert_one_line(result, 2, "--allow '2.1=", "expected any-order")
        result = self.kernel("scan.spvasm", f"--allow=2.1=words:0-{WORDS}")
        self.assert_one_line(result, 2, f"has only {WORDS} words")

    @unittest.skipUnless(shutil.which("glslang") or shutil.which("glslangValidator"), "needs glslang")
    def test_includes(self):
        """GLSL as it is brought: with files beside it, elsewhere, and macros."""
        os.makedirs(self.path("shaders"))
        os.makedirs(self.path("common"))
        self.write("shaders/own.glsl", "#define OWN 1u\n")
        self.write("common/other.glsl", "#define OTHER 2u\n")
        self.write("shaders/sum.comp", """#version 450
#extension GL_GOOGLE_include_directive : enable
#include "own.glsl"
#include "other.glsl"
layout(local_size_x = 32) in;
layout(binding = 0) buffer data { uint words[]; };
void main() { words[gl_GlobalInvocationID.x] = OWN + OTHER + THIRD(4u); }
""")
        options = ("--groups", "2", "--expect", "0.0=formula:7", "--buffer", "0.0=256", "--include",
                   "common", "--define", "THIRD(x)=x", "--simt", "lockstep", "-n", "2")
        self.litmus("kernel", "shaders/sum.comp", *options, code=0)
        result = self.litmus("kernel", "shaders/sum.comp", *options[:-6])
        self.assert_one_line(result, 2, "shaders/sum.comp: ", "THIRD")
        os.remove(self.path("common/other.glsl"))
        self.assert_one_line(self.litmus("kernel", "shaders/sum.comp", *options), 2,
                             "shaders/sum.comp: ", "other.glsl")

    def test_bundle(self):
        """A reproducer of a kernel does what litmus does: it fails as often, at the same word."""
        words = sums()
        words[37] += 1
        self.write("wrong.words", " ".join(map(hex, words)))
        for expected, failed in ("sums.words", 0), ("wrong.words", 1):
            result = self.kernel("scan.spvasm", "--simt", "lockstep", "-n", "30", "--name",
                                 f"scan-{failed}", expect=f"2.1={expected}")
            self.assertEqual(result.code, failed, result)
            result = self.litmus("repro", f"kernel.scan-{failed}", "--amber", "-o", f"bundle-{failed}",
                                 code=0)
            self.litmus("kernel", f"bundle-{failed}/test.amber", "--simt", "lockstep", "-n", "2",
                        "--db", "none", code=failed)
            digest = hashlib.sha256(self.read(f"bundle-{failed}/test.spv", "rb")).hexdigest()
            for name in "facts.json", "test.spv.sha256":
                self.assertIn(digest, self.read(f"bundle-{failed}/{name}"), name)
            said = self.run_bundle(f"bundle-{failed}", failed)
            self.assertIn(f"{30 * failed} of 30 runs failed", said)
            if failed:
                self.assertIn(f"unit 37, word 0: wrong, got 0x{sums()[37]:08x}", said)

    @harness.sanitized
    def test_check(self):
        """What a kernel does wrong with memory is named by instruction, line and invocation."""
        def check(name, *arguments, code=1):
            result = self.kernel(name, "--buffer", "2.1=256", *arguments, "--check", expect=None)
            self.assertEqual(result.code, code, result)
            return result.out
        self.assertIn("0 findings in ", check("scan.spvasm", code=0))
        out = check("racy.spvasm")
        self.assertIn("data race: 4 bytes at Workgroup memory", out)
        self.assertRegex(out, r"OpLoad %uint %\w+, invocation \d+ of workgroup \(\d, \d, 0\)")
        self.assertRegex(out, r"OpStore %\w+ %\w+, invocation \d+ of workgroup \(\d, \d, 0\)")
        self.assertNotIn("uninitialised", out)
        out = check("scan.spvasm", "--buffer", "0.4=iota:252")
        self.assertRegex(out, r"out of bounds: 4 bytes at buffer 0.4 \+ 252\n  %\w+ = OpLoad .*, "
                              r"invocation 15 of workgroup \(1, 1, 0\)\n")
        out = check("scan.spvasm", "--buffer", "0.4=256")
        self.assertRegex(out, r"uninitialised read: 4 bytes at buffer 0.4 \+ \d+, 64 times, first")
        result = self.kernel("scan.spvasm", "--check", "run", expect=None, without=("2.1=256",))
        self.assertEqual(result.code, 2, result)
        # A line of the source, where the module says it; an index that an array does not have.
        lined = SCAN.replace('%input "source"', '%input "source"').replace(
            '               OpName', '      %file = OpString "dir/scan.comp"\n               OpName')
        lined = lined.replace("%theirs =", "OpLine %file 41 1\n    %theirs =")
        self.write("lined.spvasm", lined.replace("BARRIER", ""))
        self.assertIn(" (scan.comp:41), invocation ", check("lined.spvasm"))
        # What nobody stored is there where its variable begins as zeros.
        nobody = SCAN.replace("BARRIER", "").replace("               OpStore %slot %own\n", "")
        self.write("nobody.spvasm", nobody)
        self.assertIn("uninitialised read: 4 bytes at Workgroup memory + 0, ", check("nobody.spvasm"))
        self.write("zero.spvasm", nobody.replace("%part = OpVariable %pws Workgroup", """\
%zeros = OpConstantNull %shared
       %part = OpVariable %pws Workgroup %zeros"""))
        self.assertIn("0 findings in ", check("zero.spvasm", code=0))
        self.write("zeros.words", "0 " * 64)
        for model in "lockstep", "tangled", None:
            result = self.kernel("zero.spvasm", *(("--simt", model) if model else ()), "-n", "4",
                                 expect="2.1=zeros.words")
            self.assertEqual(result.code, 0, result)
        self.write("far.spvasm", SCAN.replace("BARRIER", BARRIER).replace(
            "%other = OpAccessChain %pw %part %j", "%other = OpAccessChain %pw %part %lanes"))
        self.assertIn("out of bounds: 4 bytes at an element that the array does not have",
                      check("far.spvasm"))

    def locals(self, name, code, lines=""):
        """A kernel with variables, and what is said of it besides its file."""
        text = LOCALS.replace("LINES\n", lines).replace("CODE", code.rstrip("\n"))
        self.write(f"{name}.spvasm", text)
        return f"{name}.spvasm", "--groups", "1", "--buffer", "0.0=zero:32"

    def test_variables(self):
        """A load of a variable to which the invocation has not stored."""
        def check(*kernel, code=1):
            return self.litmus("kernel", *self.locals(*kernel), "--check", code=code).out
        for name, (code, wanted, lane) in VARIABLES.items():
            with self.subTest(name=name):
                if not wanted:
                    self.assertIn("0 findings in ", check(name, code, code=0))
                    continue
                self.assertRegex(check(name, code), r"\Auninitialised read: %s, first\n"
                                 r"  (%%\w+ = OpLoad|OpCopyMemory) [^,]*, invocation %d of workgroup \(0, 0, 0\)\n"
                                 r"1 finding in " % (re.escape(wanted), lane))
        self.assertRegex(check("lined", "OpLine %file 41 1\n%result = OpLoad %uint %more",
                               '%file = OpString "dir/a.comp"\n'), r" %more \(a.comp:41\), invocation 0 of ")
        out = check("far", """\
          %j = OpIAdd %uint %i %c3
         %at = OpAccessChain %pf %array %j
               OpStore %at %i
     %result = OpLoad %uint %at
""")
        self.assertRegex(out, r"out of bounds: 4 bytes at an element that the array does not have, 3 times, first\n"
                              r"  OpStore .*, invocation 5 of workgroup")
        self.assertNotIn("uninitialised", out)

    def test_variables_agree(self):
        """What depends on them does not agree with itself."""
        for name, agrees in ("never", 0), ("branch", 0), ("private", 0), ("stored", 1), ("part", 1):
            with self.subTest(name=name):
                result = self.litmus("kernel", *self.locals(name, VARIABLES[name][0]), "--expect", "agree",
                                     "-n", "4", "--simt", "tangled", code=0 if agrees else 2)
                said = "the kernel's results are unspecified\n"
                self.assertEqual(said in result.err, not agrees, result)

    def test_old_votes(self):
        """SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote, which compilers still write."""
        self.write("old.spvasm", OLD)
        self.write("old.words", " ".join("7 103 %d %d %d" % (101 * odd, 3 * odd, (1 << lane) - 1)
                                         for lane in range(8) for odd in [lane & 1]))
        options = ("kernel", "old.spvasm", "--groups", "1", "--buffer", "0.0=160", "--expect",
                   "0.0=old.words", "-n", "4")
        for model in "lockstep", "tangled", None:
            result = self.litmus(*options, *(("--simt", model) if model else ()), code=0)
        if "LITMUS_VULKAN_CFLAGS" in os.environ:
            self.assertEqual(self.litmus("repro", "kernel.old", "-o", "old").code, 0)
            self.assertIn("0 of 4 runs failed", self.run_bundle("old", 0))

    @harness.sanitized
    def test_any_bytes(self):
        """Whatever a file holds: one line that names it, exit code 2, and no crash."""
        draw = random.Random(21)
        with open(self.path("scan.spv"), "wb") as file:
            file.write(self.assembled())
        files = dict.fromkeys(("scan.spv", "scan.spvasm", "sums.words", "factor.bin", "own.amber"))
        self.write("own.amber", SCRIPT)
        for name in files:
            files[name] = self.read(name, "rb")
        for name, content in files.items():
            for _ in range(12 if os.environ.get("LITMUS_FULL") else 3):
                changed = bytearray(content)
                for _ in range(draw.randint(1, 8)):
                    changed[draw.randrange(len(changed))] = draw.randrange(256)
                if draw.random() < 0.3:
                    changed = changed[:draw.randrange(len(changed))]
                self.write(name, bytes(changed))
                kernel = "scan.spv" if name == "scan.spv" else "scan.spvasm"
                if name == "own.amber":
                    result = self.amber(bytes(changed), "--time", "5")
                else:
                    result = self.kernel(kernel, "--simt", "lockstep", "-n", "1", "--time", "5")
                with self.subTest(name=name, changed=bytes(changed)):
                    self.assertIn(result.code, (0, 1, 2, 3, 5, 77), result)
                    if result.code == 2 and not result.err.startswith(HAS):
                        self.assert_one_line(result, 2, "litmus: ")
            self.write(name, content)

    def assembled(self):
        made = self.path("made.spv")
        subprocess.run(["spirv-as", "--target-env", "spv1.3", self.path("scan.spvasm"), "-o", made],
                       check=True)
        return harness.read(made, "rb")

    def test_several_dispatches(self):
        """In order, each behind a barrier, with push constants of its own; bundles have them too."""
        self.write("steps.spvasm", STEPS)
        steps = ("--groups", "4", "--push", "0x1", "--then", "4:0x2", "--then", "2:0x3", "--then", "1,2")
        # Each dispatch takes its word times 10 and adds its push constant; the last has the first one's.
        words = [[1231, 123, 12, 12][i] for i in range(4)]
        self.write("steps.words", " ".join(map(str, words)))
        def run(*options, code=0):
            result = self.litmus("kernel", "steps.spvasm", *steps, "--buffer", "0.0=zero:16", "--expect",
                                 "0.0=steps.words", *options, code=code)
            return result
        for model in "lockstep", "tangled":
            run("--simt", model, "-n", "4")
        if "LITMUS_VULKAN_CFLAGS" in os.environ:
            self.assertEqual(self.litmus("repro", "kernel.steps", "-o", "steps").code, 0)
            self.assertIn("0 of 4 runs failed", self.run_bundle("steps", 0))
        run("--then", "1", "--simt", "lockstep", "-n", "4", code=1)
        self.assertRegex(run("--check").out, r"^0 findings in \d+ steps of \d+ invocations in 4 dispatches, ")
        for wrong in "0", "1:0x1,0x2", "x", "1,2,3,4":
            self.assert_one_line(run("--then", wrong, code=2), 2, "--then")

    @unittest.skipUnless("LITMUS_VULKAN_CFLAGS" in os.environ, "needs meson's environment")
    def test_bundle_allows(self):
        """What may differ does not count in a bundle either, whatever differs besides does."""
        right = sums()
        def run(name, expected, *how):
            self.write("other.words", " ".join(map(str, expected)))
            options = [f"--allow=2.1={one}" for one in how]
            result = self.kernel("scan.spvasm", *options, "repro", "--simt", "lockstep", "-o", name,
                                 "-n", "4", "--name", name, expect="2.1=other.words")
            self.assertEqual(result.code, 0, result)
            return name
        self.run_bundle(run("sorted", right[::-1], "any-order"), 0)
        self.run_bundle(run("unsorted", [right[0]] + right[:-1], "any-order"), 1)
        self.run_bundle(run("bits", [word ^ 0xff00 for word in right], "bits:ffff00ff"), 0)
        self.assertIn("unit 3, word 0: wrong", self.run_bundle(
            run("other-bits", right[:3] + [right[3] ^ 0x100ff] + right[4:], "bits:ffff00ff"), 1))
        self.run_bundle(run("near", [word + 2 for word in right], "ulp:2", "words:0-62"), 0)
        self.run_bundle(run("far", [word + 3 for word in right], "ulp:2"), 1)

    def test_several_modules(self):
        """Dispatches of other modules and entry points, which have their own bindings, constants
        and push constants; bundles have them too."""
        self.write("steps.spvasm", STEPS.replace(
            "               OpExecutionMode", """\
               OpEntryPoint GLCompute %main "again" %group
               OpExecutionMode""", 1))
        os.makedirs(self.path("other"))
        self.write("other/double.spvasm", STEPS.replace("Binding 0", "Binding 3").replace(
            "%c10 = OpConstant %uint 10", "%c10 = OpSpecConstant %uint 10").replace(
            "OpDecorate %data DescriptorSet", "OpDecorate %c10 SpecId 9\nOpDecorate %data DescriptorSet"))
        self.write("steps.words", "2131 213 0 0")
        given = ("--groups=2", "--entry=main", "--push=0x1", "--buffer=0.0=zero:16",
                 "--module=double=other/double.spvasm", "--module=again=@again", "--spec=double@9=20",
                 "--bind=double@0.3=0.0", "--then=double@2:0x1", "--then=again@2:0x3", "--then=1",
                 "--expect=0.0=steps.words")
        # (1 * 20 + 1) * 10 + 3, and for the first word once more.
        for model in "lockstep", "tangled":
            self.litmus("kernel", "steps.spvasm", *given, "--simt", model, "-n", "4", code=0)
        if "LITMUS_VULKAN_CFLAGS" in os.environ:
            self.assertEqual(self.litmus("repro", "kernel.steps", "-o", "steps").code, 0)
            self.assertIn("0 of 4 runs failed", self.run_bundle("steps", 0))
        for options, words in (
                (("--spec", "double@9=10"), None),
                (("--bind", "double@0.3=0.3", "--buffer", "0.3=16"), None),
                (("--then", "again@2:0x3"), None),
                (("--then", "triple@2"), "there is no such kernel: --module NAME=FILE"),
                (("--module", "more=other/double.spvasm"), "no dispatch is of kernel more"),
                (("--module", "double=@main"), "there are two of that name"),
                (("--module", "more=@third"), "no entry point 'third', but main, again"),
                (("--module", "more"), "expected NAME=FILE"),
                (("--module", "more=nowhere.spv"), "nowhere.spv: No such file"),
                (("--bind", "double@0.1=0.0"), "expected NAME@SET.BINDING=SET.BINDING"),
                (("--bind", "double@0.3=0"), "expected NAME@SET.BINDING=SET.BINDING"),
                (("--spec", "double@1=10"), "no specialization constant 1"),
                (("--then", "double@2:0x1,0x2"), "8 bytes, where the module has 4")):
            with self.subTest(options=options):
                result = self.litmus("kernel", "steps.spvasm", *given, *options, "--simt", "lockstep",
                                     "-n", "2", "--name", "more")
                if words:
                    self.assert_one_line(result, 2, words)
                else:
                    # A buffer of its own is one in which nobody has stored.
                    own = "0.3=16" in options
                    self.assertEqual(result.code, 1 + own, result)
                    self.assertEqual("this kernel has an uninitialised read: " in result.err, own)

    def test_check_several(self):
        """Each dispatch is looked at, by what those before it have stored."""
        self.write("steps.spvasm", STEPS)
        self.write("race.spvasm", STEPS.replace("%ps %data %c0 %x", "%ps %data %c0 %c0").replace(
            "Binding 0", "Binding 3"))
        def check(*options):
            return self.litmus("kernel", "steps.spvasm", "--push", "0x1", *options, "--check",
                               code=1).out
        # Word 0 is stored by the first dispatch, all others by the second.
        out = check("--groups", "1", "--then", "4", "--then", "4", "--buffer", "0.0=16")
        self.assertIn("uninitialised read: 4 bytes at buffer 0.0 + 0 in dispatch 1, 4 times, first\n", out)
        self.assertIn("\n1 finding in ", out)
        race = ("--module", "race=race.spvasm", "--bind", "race@0.3=0.0", "--buffer", "0.0=zero:16")
        out = check("--groups", "4", *race, "--then", "4", "--then", "race@2")
        self.assertIn("data race: 4 bytes at buffer 0.3 + 0 in dispatch 3\n", out)
        self.assertNotIn("in dispatch 2", out)
        # Two dispatches of one pipeline do it once, and other pipelines' are others.
        out = check("--groups", "2", *race, "--then", "race@2", "--then", "race@2", "--then", "5")
        self.assertIn("data race: 4 bytes at buffer 0.3 + 0 in dispatch 2, 2 times, first\n", out)
        self.assertIn("out of bounds: 4 bytes at buffer 0.0 + 16 in dispatch 4\n", out)
        self.assertNotIn("dispatch 3", out)

    def amber(self, text, *options, model="lockstep"):
        self.write("own.amber", text)
        return self.litmus("kernel", "own.amber", "--simt", model, "-n", "3", *options)

    def test_script(self):
        """An Amber script runs as Amber runs it: (0 * 20 + 1) * 10 + 3, and once more."""
        self.assertEqual(self.amber(SCRIPT).code, 0)
        for model in "tangled", "relaxed":
            self.assertEqual(self.amber(SCRIPT, model=model).code, 0)
        result = self.amber(SCRIPT.replace("IDX 4 EQ 13 0", "IDX 0 EQ 133 14"))
        self.assertEqual(result.code, 1, result)
        self.assertIn("buffer data, word 1: wrong, got 0x0000000d, want 0x0000000e", result.out)
        # Words of which it does not speak do not count, in a bundle neither.
        self.assertEqual(self.amber(SCRIPT.replace("IDX 4 EQ 13 0", "IDX 12 EQ 0")).code, 0)
        for expected, code in ("EQ_BUFFER wanted", 1), ("IDX 0 EQ 133 13 0 0", 0):
            result = self.amber(SCRIPT.replace("IDX 4 EQ 13 0", expected))
            self.assertEqual(result.code, code, result)
        result = self.amber(SCRIPT.replace("0x84e 213", "133 13").replace(
            "EXPECT data IDX 4 EQ 13 0", "EXPECT data EQ_BUFFER wanted"))
        self.assertEqual(result.code, 0, result)
        # One that RUNs have stored like another.
        twice = SCRIPT.replace("PIPELINE compute one", "BUFFER copy DATA_TYPE uint32 SIZE 4 FILL 0\nPIPELINE compute one").replace(
            "RUN one 2 1 1", """DERIVE_PIPELINE three FROM one
  BIND BUFFER copy AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN one 2 1 1
RUN three GROUPS 1 1""")
        for groups, rest, code in (("2", "RUN two 2 1 1\nRUN two 1 1 1\n", 1), ("2", "", 0), ("1", "", 1)):
            text = twice.replace("GROUPS", groups).replace("RUN two 2 1 1\nRUN two 1 1 1\n", rest).replace(
                "EXPECT data IDX 4 EQ 13 0", "EXPECT copy EQ_BUFFER data\nEXPECT data IDX 8 EQ 0")
            result = self.amber(text, "--name", f"like{len(rest)}{groups}")
            self.assertEqual(result.code, code, result)
            if code and "LITMUS_VULKAN_CFLAGS" in os.environ:
                self.assertIn("exclusive or with the buffer", result.out)
                name = f"like{len(rest)}{groups}"
                self.assertEqual(self.litmus("repro", f"kernel.{name}", "-o", name).code, 0)
                self.run_bundle(name, 1)
        # Amber has no words for what may differ.
        mask = SCRIPT.replace("PIPELINE compute one", "BUFFER mask DATA_TYPE uint32 DATA 0 0xff 0 0 END\nPIPELINE compute one")
        for wrong, allowed, code in (("EQ 0x10d 0", "data bits:ff", 0), ("EQ 0x10d 1", "data bits:mask", 0),
                                     ("EQ 0x10c 0", "data bits:mask", 1), ("EQ 0 13", "data words:0-0", 0),
                                     ("EQ 14 0", "data ulp:1", 0), ("EQ 15 0", "data ulp:1", 1)):
            result = self.amber(mask.replace("EQ 13 0", f"{wrong}\n#litmus allow {allowed}"))
            self.assertEqual(result.code, code, (allowed, result))
        result = self.amber(SCRIPT.replace("RUN two 1 1 1", "REPEAT 2\n  RUN two 1 1 1\nEND"))
        self.assertEqual(result.code, 0, result)
        self.assertEqual(self.amber(SCRIPT.replace("EXPECT data", "# EXPECT"), "--expect", "agree",
                                    "--name", "agrees").code, 0)
        if "LITMUS_VULKAN_CFLAGS" in os.environ:
            self.assertEqual(self.litmus("repro", "kernel.agrees", "-o", "agrees").code, 0)
            self.run_bundle("agrees", 0)

    def test_script_with_floats(self):
        text = SCRIPT.replace("data DATA_TYPE uint32 DATA 0 0\n  0 0\n", "data DATA_TYPE float DATA 0 0 0 0 ")
        one = "EXPECT data IDX 0 {}"
        def run(expect):
            return self.amber(text.replace("EXPECT data IDX 4 EQ 13 0", expect)).code
        # The words are 133 and 13: floats next to 0.
        self.assertEqual(run(one.format("TOLERANCE 0.5 EQ 0.25 -0.25")), 0)
        self.assertEqual(run(one.format("TOLERANCE 0.5 EQ 0.25 -0.75")), 1)
        self.assertEqual(run(one.format("TOLERANCE 1% EQ 0.25")), 1)
        same = text.replace("wanted DATA_TYPE uint32 DATA 0x84e 213 0 0",
                            "wanted DATA_TYPE float DATA 0.5 0.5 0 0")
        for most, code in ("0.36", 0), ("0.35", 1):
            result = self.amber(same.replace("EXPECT data IDX 4 EQ 13 0",
                                             f"EXPECT data RMSE_BUFFER wanted TOLERANCE {most}"))
            self.assertEqual(result.code, code, result)

    @harness.sanitized
    def test_script_refused(self):
        """What is not supported is named with its line."""
        for old, new, line, words in (
                ("#!amber", "#!/bin/sh", 1, "the first line of an Amber script is #!amber"),
                ("#!amber", "#!amber one", 1, "not supported: one"),
                ("#!amber", "#!ambers", 1, "not supported: s"),
                ("shaderInt16", "1.5", 2, "not a feature: 1.5"),
                ("shaderInt16", "SIZE", 2, "not a feature: SIZE"),
                ("EXTENSION VK_KHR", "EXTENSION KHR", 3, "not an extension: KHR"),
                ("SUBGROUP own", "SUBGROUP one", None, "not the shader that is attached: one"),
                ("shaderInt16", "robustBufferAccess", 2, "not supported: robustBufferAccess"),
                ("SHADER compute", "SHADER vertex", 5, "only compute shaders are supported: vertex"),
                ("SPIRV-ASM", "HLSL", 5, "only SPIRV-ASM, SPIRV-BIN and GLSL are supported: HLSL"),
                ("OpReturn", "OpRetur", 5, "shader own: its text: "),
                ("uint32 DATA 0 0", "mat5x2 DATA 0 0", None, "not supported: mat5x2"),
                ("DATA 0 0", "DATA 0 x", None, "no value of the buffer's type: x"),
                ("SIZE 4 ", "SIZE 99999999 ", None, "too large: 99999999"),
                ("ENTRY_POINT main", "ENTRY_POINT mean", None, "no entry point 'mean', but main"),
                ("ATTACH own ENTRY", "ATTACH none ENTRY", None, "there is no such shader: none"),
                ("SPECIALIZE 9 AS uint32 20", "SPECIALIZE 9 AS uint64 20", None, "specialization constant 9 has 32 bits, which"),
                ("REQUIRED_SIZE 8", "REQUIRED_SIZE 24", None, "not a subgroup size: 24"),
                ("storage DESCRIPTOR", "storage_image DESCRIPTOR", None, "only storage, uniform and push"),
                ("storage DESCRIPTOR", "uniform DESCRIPTOR", None, "bound as uniform, which it is not"),
                ("BINDING 0\n  BIND", "BINDING 1\n  BIND", None, "binds nothing at 0.0"),
                ("  BIND BUFFER first AS push_constant\n", "", None, "binds no push_constant"),
                ("RUN one 2 1 1", "RUN one 2 1", None, "expected a number"),
                ("RUN one 2 1 1", "CLEAR one", None, "not supported: CLEAR"),
                ("RUN two 2 1 1", "EXPECT data IDX 0 EQ 1\nRUN two 2 1 1", None, "only what a buffer holds at the end"),
                ("EQ 13 0", "NE 13 0", None, "only EQ, EQ_BUFFER and RMSE_BUFFER"),
                ("EQ 13 0", "EQ 13 0 0 0", None, "behind the end of buffer data"),
                ("EQ 13 0", "EQ 13\nEXPECT data IDX 4 EQ 12", None, "expects something else"),
                ("EQ 13 0", "EQ 13 0\n#litmus allow data ulps:1", None, "not supported: ulps:1"),
                ("EQ 13 0", "EQ 13 0\n#litmus allow data bits:first", None, "has 16 bytes, buffer first 4"),
                ("EXPECT data", "#litmus allow data ulp:1\nEXPECT data", None, "no EXPECT before says what"),
                ("EQ 1.0 0.5", "EQ 1.0 0.75", None, "no RUN before stores to buffer other, which holds something else"),
                ("EQ 1.0", "TOLERANCE 0.01 EQ 1.02", None, "which holds something else"),
                ("OpStore %at %sum", "", 81, "no RUN before stores to buffer data, which holds something else")):
            with self.subTest(new=new):
                self.assertIn(old, SCRIPT)
                result = self.amber(SCRIPT.replace(old, new, 1))
                place = f"own.amber:{line}: " if line else "own.amber:"
                self.assert_one_line(result, 2, place + words if line else words)
                self.assertRegex(result.err, r"^litmus: own\.amber:\d+: ")
        # What is right whatever the driver does, and a store through a copy of the pointer.
        for old, new in (("EQ 1.0", "TOLERANCE 0.01 EQ 1.009"),
                         ("OpStore %at %sum", "%same = OpCopyObject %ps %at\nOpStore %same %sum")):
            result = self.amber(SCRIPT.replace(old, new, 1))
            self.assertEqual(result.code, 0, result)
        result = self.amber(SCRIPT.replace("OpStore %at %sum", "").replace("EQ 13 0", "EQ 0 0"))
        self.assertEqual(result.code, 0, result)
        self.assert_one_line(self.amber(SCRIPT, "--groups", "4"), 2,
                             "--groups is for kernels without a script")
        self.assert_one_line(self.amber(SCRIPT, "--expect", "0.0=x"), 2, "--expect is for kernels without")

    def test_full_subgroups(self):
        """A workgroup that makes no full subgroups cannot be run so, whichever dispatch it is of."""
        def run(*options, name="scan.spvasm", **how):
            return self.kernel(name, *options, "--simt", "lockstep,subgroup=8", "-n", "2", **how)
        self.assertEqual(run("--subgroup", "32").code, 0)
        result = run("--full-subgroups", "--subgroup", "32")
        self.assertEqual(result.code, 77, result)
        self.assertIn("workgroup of 16 is not a multiple of the subgroup size 32", result.out)
        for options in ("--full-subgroups",), ("--full-subgroups", "--subgroup", "16"):
            self.assertEqual(run(*options).code, 0)
            self.assertEqual(self.litmus("repro", "kernel.scan", "-o", "full").code, 0)
            self.assertIn('"scan", true, ', self.read("full/repro.c"))
            shutil.rmtree(self.path("full"))
        more = ("--module", "more=scan.spvasm", "--then", "more@1", "--spec", "more@3=12",
                "--buffer", "2.1=256")
        self.assertEqual(run(*more, expect="agree").code, 0)
        result = run(*more, "--full-subgroups", "--allow", "2.1=words:12-63")
        self.assertEqual(result.code, 77, result)
        self.assertIn("workgroup of 12 is not a multiple of the subgroup size 8", result.out)
        # Vulkan asks for that in x alone.
        self.write("tall.spvasm", SCAN.replace("BARRIER", BARRIER).replace(
            "%v3 %lanes %c1", "%v3 %c1 %lanes"))
        self.assertEqual(run(name="tall.spvasm").code, 0)
        result = run("--full-subgroups", name="tall.spvasm")
        self.assertEqual(result.code, 77, result)
        self.assertIn("workgroup of 1 in x is not a multiple of the subgroup size 8", result.out)

    def test_missing(self):
        """What nobody says is asked for, with an option that says it."""
        for left_out, words in (
                ("groups", "--groups 64"),
                ("push", "the 8 bytes of push constants are: --push u32:0,0"),
                ("0.0=factor.bin", "buffer 0.0 holds: --buffer 0.0=random:4"),
                ("0.4=iota:256", "buffer 0.4 (source) holds: --buffer 0.4=random:4096")):
            with self.subTest(left_out=left_out):
                result = self.kernel("scan.spvasm", without=(left_out,))
                self.assert_one_line(result, 2, words)
        result = self.kernel("scan.spvasm", expect=None)
        self.assert_one_line(result, 2, "--expect 2.1=sums.words, or --expect agree")
        result = self.litmus("kernel", "scan.spvasm")
        self.assert_one_line(
            result, 2, "nothing says how many workgroups there are, what the 8 bytes of push constants "
            "are, what buffer 0.0 holds, what buffer 0.4 (source) holds, how long buffer 2.1 is, what "
            "is right: --groups 64 --push u32:0,0 --buffer 0.0=random:4 --buffer 0.4=random:4096 "
            "--buffer 2.1=4096 --expect 2.1=sums.words, or --expect agree")

    @unittest.skipUnless("LITMUS_VULKAN_CFLAGS" in os.environ, "needs meson's environment")
    def test_any_program_is_checked(self):
        """A C program that knows the loader alone is told of what its shader does wrong."""
        checks = "model=lockstep,check=races,bounds,uninitialised,barriers"
        for name, races in ("scan", 0), ("racy", 1):
            self.kernel(f"{name}.spvasm", "--unchecked", "--simt", "lockstep,subgroup=4", "-n", "1")
            self.assertEqual(self.litmus("repro", f"kernel.{name}", "-o", name).code, 0)
            said = self.run_bundle(name, 0, checks)
            self.assertEqual(len(re.findall(
                r"(?m)^simt: data race of 4 bytes at shared memory \+ .* OpLoad .*; nothing orders it "
                r"after that by OpStore .*, workgroup .*; shader [0-9a-f]{16}$", said)), races, said)
            self.assertIn(f"simt: check: dispatches 1, data races {races}, uninitialised reads 0, "
                          "missed barriers 0, other faults 0", said)

    def test_without(self):
        """A module for devices with maximal reconvergence, made fit for others."""
        lines = self.read("scan.spvasm").splitlines()
        mode = next(i for i, line in enumerate(lines) if "OpExecutionMode" in line)
        entry = next(line for line in lines if "OpEntryPoint" in line).split()[2]
        lines.insert(mode, f"OpExecutionMode {entry} !6023")
        model = next(i for i, line in enumerate(lines) if "OpMemoryModel" in line)
        lines.insert(model, 'OpExtension "SPV_KHR_maximal_reconvergence"')
        self.write("tint.spvasm", "\n".join(lines) + "\n")
        needs, mode = "VK_KHR_shader_maximal_reconvergence", "MaximallyReconvergesKHR"
        self.assertIn(needs, self.kernel("tint.spvasm", "show").out)
        shown = self.kernel("tint.spvasm", "--without", mode, "show")
        self.assertNotIn(needs, shown.out, shown)
        self.assertIn(f"origin     tint.spvasm, without {mode}", shown.out)
        self.assertIn(f"; without the execution mode {mode}", shown.out)
        result = self.kernel("tint.spvasm", "--without", mode, "--simt", "lockstep", "-n", "2")
        self.assertEqual(result.code, 0, result)
        self.assertIn(f"--without {mode}", self.report()["tool"]["command"])
        for name, module, words in (("Maximal", "tint", f"expected {mode} or"),
                                    (mode, "scan", "the module has no such execution mode")):
            self.assert_one_line(self.kernel(module + ".spvasm", "--without", name), 2, words)

    @harness.sanitized
    def test_wrong(self):
        for arguments, words in (
                (("--buffer", "0.4=iota:x"), "expected a size in bytes"),
                (("--buffer", "1.4=iota:4"), "the module has no such buffer, but 0.0, 0.4, 2.1"),
                (("--buffer", "input"), "expected SET.BINDING="),
                (("--buffer", "0.0=zero:2M", "--push", "hex:00"), "where the module has 8"),
                (("--spec", "9=1"), "no specialization constant 9"),
                (("--spec", "3=0"), "a workgroup size of 0"),
                (("--spec", "three"), "expected ID=VALUE"),
                (("--groups", "1,0"), "expected X, X,Y or X,Y,Z"),
                (("--entry", "main"), "no entry point 'main', but scan"),
                (("--subgroup", "24"), "not a subgroup size"),
                (("--expect", "2.1=missing"), "missing: No such file"),
                (("--nonsense",), "unknown option '--nonsense'")):
            with self.subTest(arguments=arguments):
                self.assert_one_line(self.kernel("scan.spvasm", *arguments), 2, words)
        self.write("twice.spvasm", SCAN.replace("BARRIER", BARRIER).replace(
            "%lanes SpecId 3", "%lanes SpecId 3\n OpDecorate %twin SpecId 3").replace(
            "OpSpecConstant %uint 8", "OpSpecConstant %uint 8\n %twin = OpSpecConstant %uint 4"))
        self.assert_one_line(self.kernel("twice.spvasm", without=("spec",)), 2,
                             "constant 3 is, which has the defaults 8 and 4: --spec 3=8")
        self.assert_one_line(self.litmus("kernel"), 2, "missing file")
        self.assert_one_line(self.litmus("kernel", "--nope", "a.comp"), 2, "unknown option")
        self.write("junk.spv", "no module at all")
        self.assert_one_line(self.litmus("kernel", "junk.spv"), 2, "junk.spv: not SPIR-V")

    def test_other_commands(self):
        result = self.kernel("scan.spvasm", "show")
        self.assertEqual(result.code, 0, result)
        self.assertIn("OpTypeRuntimeArray", result.out)
        result = self.kernel("racy.spvasm", "explain", "--simt", "tangled,subgroup=4", "--time",
                             "60")
        self.assertEqual(result.code, 0, result)
        self.assertIn("a stale value", " ".join(result.out.split()))


harness.main(__name__)
