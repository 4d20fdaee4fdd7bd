# SPDX-License-Identifier: Apache-2.0
"""litmus lint: machine code and SPIR-V from anywhere, and files that are none."""

import os
import re
import subprocess

import harness

ISA = os.path.join(harness.SOURCE, "tests", "isa")
CORPUS = os.path.join(harness.SOURCE, "tests", "fuzz", "corpus", "code")
# One branch of lanes, a write on one side, and a shuffle where both sides may come from.
PARTS = ("S2R R0, SR_LANEID", "ISETP.NE.AND P0, PT, R0, RZ, PT", "@P0 BRA 0x40",
         "IADD3 R1, R1, 0x1, RZ", "SHFL.IDX PT, R1, R1, 0x3, 0x1f", "EXIT")
FINDING = ("SHFL.IDX at 0x40 can be reached from both sides of the branch at 0x20 without "
           "reconvergence: 0x20 -> 0x30 -> 0x40 and 0x20 -> 0x40")


GLSL = harness.kernel("exit.comp")
LOOP = harness.kernel("loop.glsl").rstrip("\n")
PARTS_OF_GLSL = {
    "LOOP": LOOP, "READ": "readonly", "HELPER": "", "HINT": "", "HEAD": "uint i = 0u; i < 8u; i++",
    "EXIT": "a[0] != 0u", "PART": "lane != 0u", "WORK": "v = a[id + 64u]", "LAST": "",
    "LEAVE": "break", "REST": "v += a[i]; s[l] = v", "BEHIND": "",
    "OPERATION": "subgroupShuffle(v, 0u)",
}


def shader(**parts):
    text = GLSL
    for word, part in (PARTS_OF_GLSL | parts).items():
        text = text.replace(word, part, 1)
    return text


# The kernels that were measured, by what differs between them, and what all of them may call.
MEASURED = os.path.join(harness.SOURCE, "reports", "nvidia-h200-580.159.04",
                        "loop-exit-kernels.txt")
SCAN = """
uint scan(uint v)
{
    for (uint d = 1u; d < gl_SubgroupSize; d *= 2u) {
        uint r = subgroupShuffleUp(v, d);
        if (gl_SubgroupInvocationID >= d)
            v += r;
    }
    return v;
}"""
# Right on the GPU, and named all the same: docs/lint.md says why.
FALSE_ALARMS = {"exit-shared", "m-botharms", "m-calls", "o-scan", "ret-call", "ret-one", "t-add",
                "t-ballot", "t-scan-straight", "t-shuffle", "t-up", "t-xor"}


def measured():
    """Name, whether it is wrong on the GPU, and GLSL of each."""
    kernels = []
    for mark, name, lines in re.findall(r"^([F.])  (\S+)\n((?: {7}.*\n)+)",
                                        harness.read(MEASURED), re.M):
        *heads, loop, store = lines.strip().split("\n")
        read = re.match(r"layout\(set=0,binding=0,std430\) ?(\w*) buffer", "".join(heads))
        kernels.append((name, mark == "F", shader(
            READ=read[1] if read else "readonly", LOOP=loop.strip(),
            HELPER="" if read else "\n".join(heads) + SCAN,
            OPERATION=store.strip()[len("b[id]="):-1] + ";\n    b[id + 512u] = v")))
    return kernels


def listing(parts):
    return "".join(f"        /*{16 * i:04x}*/                   {part} ;\n"
                   for i, part in enumerate(parts))


def functions(**of):
    """As cuobjdump -sass prints them."""
    text = "\tcode for sm_90\n"
    for name, parts in of.items():
        text += f"\t\tFunction : {name}\n{listing(parts)}\t\t..........\n\n"
    return text


class Lint(harness.Case):
    def lint(self, *arguments):
        return self.litmus("lint", *arguments)

    def shipped(self, name):
        return os.path.join(ISA, name)

    def assert_summary(self, result, code, *words):
        self.assertEqual(result.code, code, result)
        self.assert_clean(result)
        last = result.out.rstrip("\n").split("\n")[-1]
        self.assert_all_in(last, *words)

    def test_real_code(self):
        wanted = "1 function, 4 cross-lane reads: 3 inside"
        self.assert_summary(self.lint(self.shipped("h200.cache")), 0, wanted)
        for name in "h200.binary", "h200.code":
            with self.subTest(name=name):
                self.assert_summary(self.lint("--sm", "90", self.shipped(name)), 0, wanted)

    def test_finding(self):
        name = self.write("code.sass", listing(PARTS))
        result = self.lint(name)
        self.assert_summary(result, 1, "1 function, 1 cross-lane read: ", " 1 at risk")
        self.assertIn(f"{name}: at risk: {FINDING}\n", result.out)
        self.assertNotIn(FINDING, self.lint("--quiet", name).out)

    def test_functions_of_a_listing(self):
        name = self.write("two.sass", functions(good=PARTS[4:], bad=PARTS))
        result = self.lint(name)
        self.assert_summary(result, 1, "2 functions, 2 cross-lane reads: ", " 1 at risk")
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

    def check_shape(self, named, **parts):
        with self.subTest(**parts):
            result = self.lint("--all", self.write("loop.comp", shader(**parts)))
            self.assert_clean(result)
            self.assertEqual(result.code, named == "named", result)
            self.assertEqual(": main: loop: " in result.out, named == "named", result)
            self.assertEqual(": near: " in result.out, named == "near", result)

    def test_loops(self):
        self.check_shape("named")
        for part in "(v & 1u) != 0u", "l != 0u", "gl_LocalInvocationID.y != 0u":
            self.check_shape("named", PART=part)
        for work in ("v = atomicAdd(s[0], 1u)", "v = v / (lane + 1u)", "v = v % (lane + 1u)",
                     "v = a[id + 64u] + a[id + 128u]", "v = s[l ^ 1u] + s[l ^ 2u]",
                     "{ v += lane; b[id + 64u] = lane; }",
                     "{ if (id != 0u) v = a[id + 64u]; else v = lane; }",
                     "switch (lane) { case 1u: break; default: v = a[id + 64u]; }",
                     "{ v = a[id + 64u]; break; }"):
            self.check_shape("named", WORK=work)
        for head in ("uint i = 0u; i < 32u; i++", "uint i = 0u; i++ < 8u;",
                     "uint i = 8u; i > 0u; i--", "uint i = 1u; i < 64u; i *= 2u",
                     "uint i = 0u; i < rounds; i++", "uint i = 0u; i < gl_SubgroupSize; i++"):
            self.check_shape("named", HEAD=head)
        for leave in ("a[gl_WorkGroupID.x] != 0u", "a[gl_SubgroupID] != 0u",
                      "gl_NumWorkGroups.x > 3u", "a[i] != 0u", "i >= 3u && a[0] != 0u"):
            self.check_shape("named", EXIT=leave)
        for operation in "subgroupAdd(v)", "subgroupBroadcast(v, 0u)", "subgroupInclusiveAdd(v)":
            self.check_shape("named", OPERATION=operation)
        for behind in "barrier()", "for (uint d = 1u; d < lane; d++) v += a[d]":
            self.check_shape("named", BEHIND=behind)
        for read in "", "volatile", "coherent":
            self.check_shape("named", READ=read)
        self.check_shape("named", REST="v += a[i]")
        self.check_shape("named", HINT="[[dependency_infinite]]")
        # In functions.
        self.check_shape("named", HELPER="uint all(uint v) { return subgroupMax(v); }",
                         OPERATION="all(v)")
        self.check_shape("named", HELPER="uint more(uint at) { return at > 9u ? a[at] : 0u; }",
                         WORK="v = more(id + 64u)")

    def test_two_exits(self):
        exits = "{ if (id != 0u) { v += 1u; break; } v = lane; break; }"
        self.check_shape("named", WORK=exits)
        self.check_shape("silent", WORK="{ v = lane; }")
        self.check_shape("silent", WORK="{ v = lane; break; }")
        self.check_shape("silent", PART="a[1] != 0u",
                         WORK="{ if (a[2] != 0u) { v += 1u; break; } break; }")

    def test_other_loops(self):
        for parts in (
                {"PART": "a[1] != 0u"},                         # all go one way
                {"PART": "gl_SubgroupID == 0u"},
                {"WORK": "v = v * v + lane"},                   # no branch is left of it
                {"WORK": "v = s[l ^ 1u]"}, {"WORK": "v = s[s[l ^ 1u] & 63u]"},
                {"WORK": "s[l] = v"}, {"WORK": "b[id + 64u] = lane"}, {"WORK": "v = a[id]"},
                {"WORK": "v = v / 3u"},
                {"WORK": "for (uint d = 0u; d < lane; d++) v += a[id + d]"},
                {"EXIT": "v > 9u"}, {"EXIT": "a[id] != 0u"},    # lanes may go several ways
                {"EXIT": "lane < 16u"}, {"EXIT": "gl_LocalInvocationID.x != 3u"},
                {"EXIT": "i == 3u"}, {"EXIT": "i >= 1u"},       # it counts only
                {"EXIT": "rounds == 8u"}, {"EXIT": "gl_NumSubgroups > 1u"},
                {"EXIT": "gl_SubgroupID < 9u"},
                {"LEAVE": "v += 1u"}, {"LEAVE": "continue"},    # the loop goes on
                {"LEAVE": "return"},                            # no operation follows
                {"OPERATION": "v"}, {"OPERATION": "gl_SubgroupSize"},
                {"WORK": "{ }", "BEHIND": "if (lane != 0u) v = a[id + 64u]"}):
            self.check_shape("silent", **parts)

    def test_near(self):
        for parts in (
                {"HEAD": "uint i = 0u; i < a[3]; i++"}, {"HEAD": "uint i = 0u; i < 1u; i++"},
                {"HEAD": "uint i = 0u; ; i++", "REST": "v += a[i]; if (i > 6u) break"},
                {"REST": ""},
                {"EXIT": "subgroupAny(a[id] != 0u)"}, {"LAST": "memoryBarrierShared()"},
                {"REST": "v += a[i]; barrier()"}, {"REST": "v += subgroupAdd(a[i])"},
                {"HINT": "[[unroll]]"}, {"HINT": "[[dont_unroll]]"},
                {"LAST": "v = v * 3u + 1u"}, {"LAST": "s[l] = v"}):
            self.check_shape("near", **parts)
            self.assertNotIn("near: ", self.lint(self.write("loop.comp", shader(**parts))).out)

    def test_measured(self):
        kernels = measured()
        self.assertEqual((len(kernels), sum(wrong for _, wrong, _ in kernels)), (153, 79))
        kernels = harness.drawn("measured").sample(kernels, 20 if harness.SAMPLE else 153)
        for name, _, text in kernels:
            subprocess.run(["glslang", "-V", "--target-env", "vulkan1.2", "-g0",
                            self.write(f"{name}.comp", text), "-o", self.path(f"{name}.spv")],
                           check=True, capture_output=True)
        result = self.lint(*(self.path(f"{name}.spv") for name, _, _ in kernels))
        named = set(re.findall(r"([\w-]+)\.spv: main: loop ", result.out))
        self.assertEqual(named, {name for name, wrong, _ in kernels
                                 if wrong or name in FALSE_ALARMS})
        self.assert_summary(result, 1, f"{len(kernels)} modules, ")

    def test_forms_of_a_module(self):
        source, module = self.write("loop.comp", shader()), self.path("loop.spv")
        words = [f":{shader().split('for (')[0].count(chr(10)) + 1}: main: loop: ", "right: "]
        subprocess.run(["glslang", "-V", "--target-env", "vulkan1.2", "-g", source, "-o", module],
                       check=True, capture_output=True)
        assembly = self.path("loop.spvasm")
        subprocess.run(["spirv-dis", module, "-o", assembly], check=True)
        for name in source, module, assembly:
            with self.subTest(name=name):
                result = self.lint(name)
                self.assert_summary(result, 1, "1 module, 1 loop: 1 left apart, 0 near")
                self.assert_all_in(result.out, *words)
        self.assertNotIn("main: ", self.lint("-q", source).out)
        both = self.lint(source, self.write("code.sass", listing(PARTS)))
        self.assert_summary(both, 1, "1 module, 1 loop: ")
        self.assertIn("1 function, 1 cross-lane read: ", both.out)

    def test_without_lines(self):
        source, module = self.write("loop.comp", shader()), self.path("loop.spv")
        subprocess.run(["glslang", "-V", "--target-env", "vulkan1.2", source, "-o", module],
                       check=True, capture_output=True)
        self.assertRegex(self.lint(module).out,
                         r"loop.spv: main: loop block %\d+: its exit at block %\d+ ")

    def test_macros(self):
        text = shader(EXIT="a[0] != NONE")
        name = self.write("loop.comp", text)
        self.assert_one_line(self.lint(name), 2, "loop.comp", "NONE")
        self.assert_summary(self.lint("--define", "NONE=0u", name), 1, "1 left apart")

    def test_not_a_module(self):
        for name, data in ("a.spv", b"\x03\x02\x23\x07 and no more"), ("b.spvasm", b"no\n"):
            with self.subTest(name=name):
                self.assert_one_line(self.lint(self.write(name, data)), 2, name)

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


harness.main(__name__)
