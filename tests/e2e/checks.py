#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What litmus kernel --check finds in kernels that are wrong, and that it finds nothing in others."""

import os
import re
import shutil
import unittest

import harness

HEAD = harness.kernel("two-buffers.comp")
FIRST = 9  # line of what stands behind it

SCAN = "for (uint d = 1u; d < 64u; d *= 2u) { s[l] = v; barrier(); v += s[l ^ d]; barrier(); }"
HELPER = """uint f(uint x) { if (x > 3u) return x * 2u; for (uint i = 0u; i < x; i++) if (i == 2u) return i; return 7u; }
void sync() { barrier(); }
"""

# Kernels in which all invocations of a workgroup execute each barrier together.
TOGETHER = {
    "uniform-branch": "s[l] = l; if (g == 1u) { barrier(); o[l] = s[l ^ 1u]; }",
    "uniform-switch": "s[l] = l; switch (g) { case 0u: barrier(); case 1u: barrier(); break; default: barrier(); barrier(); }"
                      " o[l + 64u * g] = s[l ^ 1u];",
    "workgroups-return": "if (g >= 1u) return; s[l] = l; barrier(); o[l] = s[l ^ 1u];",
    "uniform-loop": f"uint v = l; {SCAN} a[l + 64u * g] = v;",
    "uniform-break": "for (uint i = 0u; i < 100u; i++) { s[l] = i; barrier(); if (s[0] == 5u) break; barrier(); }",
    "nested-loops": "for (uint i = 0u; i < 3u; i++) for (uint j = 0u; j <= i; j++) { s[l] = i + j; barrier(); }",
    "divergent-before": "uint v = l; if ((l & 1u) != 0u) { v *= 3u; if (l > 10u) v++; }"
                        " for (uint i = 0u; i < l; i++) v += i; s[l] = v; barrier(); a[l + 64u * g] = s[l ^ 1u];",
    "continue": "uint v = l; for (uint d = 1u; d < 64u; d *= 2u) { s[l] = v; barrier(); uint t = s[l ^ d]; barrier();"
                " if (l < d) continue; v += t; } a[l + 64u * g] = v;",
    "calls": "s[l] = f(l); sync(); uint t = f(s[l ^ 1u]); sync(); a[l + 64u * g] = t;",
    "subgroup-in-branch": "s[l] = l; if ((l & 1u) == 0u) { subgroupBarrier(); a[l + 64u * g] = s[l ^ 2u]; }",
    "all-return-behind": "s[l] = l; barrier(); if (l > 9u) return; a[l + 64u * g] = s[l ^ 1u];",
    "loop-from-memory": "for (uint i = 0u; i < a[5]; i++) { s[l] = i; barrier(); }",
}

# Others: the kernel, the line of the barrier that counts, and who are where: each "text: invocations".
EVEN, ODD = ("invocations " + ", ".join(str(n) for n in range(at, 16 + at, 2)) + ", ..." for at in (0, 1))
BARRIER = "OpControlBarrier %uint_2 %uint_2 %uint_264"
ANOTHER = "the same in another iteration, call or case"
LOW, HIGH = "32 of 64, invocations 0 to 31", "32 of 64, invocations 32 to 63"
APART = {
    "return-before": ("s[l] = l;\nif (l >= 36u) return;\nbarrier();", 2,
                      "36 of 64, invocations 0 to 35", "OpReturn", 1, "28 of 64, invocations 36 to 63"),
    "within-subgroup": ("s[l] = l;\nif ((l & 1u) == 0u)\nbarrier();\no[l] = s[l];", 2,
                        f"32 of 64, {EVEN}", "%\\w+ = OpLoad %uint %l", 3, f"32 of 64, {ODD}"),
    "between-subgroups": ("if (l < 32u)\nbarrier();\na[l + 64u * g] = 1u;", 1, LOW, "OpReturn", 2, HIGH),
    "two-barriers": ("if (l < 32u)\nbarrier();\nelse\nbarrier();", 1, LOW, BARRIER, 3, HIGH),
    "two-barriers-within": ("if ((l & 1u) == 0u)\nbarrier();\nelse\nbarrier();", 1, f"32 of 64, {EVEN}",
                            BARRIER, 3, f"32 of 64, {ODD}"),
    "trip-counts": ("for (uint i = 0u; i < 1u + l / 32u; i++) {\nbarrier(); }", 1, HIGH, "OpReturn", 1, LOW),
    "one-iteration-each": ("for (uint i = 0u; i < 4u; i++) {\nif (i == l / 32u) barrier(); }", 1, LOW,
                           ANOTHER, None, HIGH),
    "behind-call": ("maybe(l);", -1, "60 of 64, invocations 4 to 63", "OpReturn", -1, "4 of 64, invocations 0 to 3"),
    "two-calls": ("if (l < 32u) sync(); else sync();", -1, LOW, ANOTHER, None, HIGH),
    "falls-through": ("switch (l / 32u) { case 0u: s[l] = 3u; case 1u:\nbarrier(); }", 1, LOW, ANOTHER, None, HIGH),
    "return-in-loop": ("for (uint i = 0u; i < 4u; i++) {\nbarrier();\nif (i == 2u && l > 50u) return; }", 1,
                       "51 of 64, invocations 0 to 50", "OpReturn", 2, "13 of 64, invocations 51 to 63"),
    "before-reduction": ("if (l < 3u)\nbarrier();\no[l + 64u * g] = subgroupAdd(l);", 1, "3 of 64, invocations 0 to 2",
                         "%\\w+ = OpLoad %uint %l", 2, "29 of 64, invocations 3 to 31"),
    "one-invocation": ("if (l == 63u)\nbarrier();", 1, "1 of 64, invocation 63", "OpReturn", 1,
                       "63 of 64, invocations 0 to 62"),
}
HELPERS = {"calls": HELPER, "behind-call": "void maybe(uint x) { if (x > 3u) barrier(); }\n", "two-calls": HELPER}

SPIN = "while (atomicAdd(a[0], 0u) == 7u) {}"
# Kernels that come to no end: where others wait for a barrier, its line and who is there; the loop's line and who is in
# it; before each run the word is 7. The last ones do come to an end, or might if they had more time or workgroups.
ENDLESS = {
    "waits-inside": (f"if (l == 0u) {{\nbarrier(); atomicExchange(a[0], 1u); }} else\n{SPIN}", 1,
                     "1 of 64, invocation 0", 2, "63 of 64, invocations 1 to 63"),
    "waits-behind": (f"if (l == 5u)\n{SPIN}\nbarrier();\nif (l == 1u) atomicExchange(a[0], 1u);", 2,
                     "63 of 64, invocations 0 to 4, 6 to 63", 1, "1 of 64, invocation 5"),
    "by-subgroup": (f"if (l >= 32u)\n{SPIN}\nbarrier();\natomicExchange(a[0], 1u);", 2, LOW, 1, HIGH),
    "exchange": ("if (l < 32u)\nbarrier(); else\nwhile (atomicCompSwap(a[0], 1u, 2u) != 1u) {}", 1, LOW, 2, HIGH),
    "alone": (SPIN, None, None, 0, "64 of 64, invocations 0 to 63"),
    "ends": (f"if (l == 0u) atomicExchange(a[0], 1u); else {SPIN} barrier();",) + 4 * (None,),
    "long": ("uint v = 0u; if (l == 0u) for (uint i = 0u; i < 4000000u; i++) v = v * 3u + a[1]; barrier(); o[l] = v;",)
            + 4 * (None,),
}

FENCE = "memoryBarrierBuffer();"
MEETS = "a[l + 64u * g] = l; %s barrier(); %s o[l + 64u * g] = a[(l ^ 33u) + 64u * g];"
RACE = r"\Adata race: 4 bytes at %s, .*\n  OpStore .*\n  %%\w+ = OpLoad .*\n1 finding in "
# What a kernel does with memory, and the one thing that is wrong with it.
MEMORY = {
    "fences-around": (MEETS % (FENCE, FENCE), None),
    "fence-before": (MEETS % (FENCE, ""), RACE % r"buffer 0\.0 \+ \d+"),
    "fence-behind": (MEETS % ("", FENCE), RACE % r"buffer 0\.0 \+ \d+"),
    "no-fence": (MEETS % ("", ""), RACE % r"buffer 0\.0 \+ \d+"),
    "fences-of-subgroups": (MEETS % (("subgroupMemoryBarrierBuffer();",) * 2),
                            RACE % r"buffer 0\.0 \+ \d+"),
    "subgroups-barrier": ("s[l] = l; if ((l & 1u) == 0u) subgroupBarrier(); o[l + 64u * g] = s[l ^ 1u];",
                          r"\Adata race: 4 bytes at Workgroup memory \+ 4, .*\n.*\n.*\n"
                          r"  not ordered by OpControlBarrier %uint_3 %uint_3 %uint_\d+ \(\S+\.comp:9\), which waits"),
    "exchange-dropped": ("atomicExchange(s[l], 7u); o[l + 64u * g] = atomicOr(s[l], 0u);", None),
    "exchange-used": ("o[l + 64u * g] = atomicExchange(s[l], 7u);",
                      r"\Auninitialised read: 4 bytes at Workgroup memory \+ 0, .*\n  %\w+ = OpAtomicExchange .*\n1 f"),
    "exchange-in-variable": ("uint old = atomicExchange(s[l], 7u); o[l + 64u * g] = s[l];", None),
    "sum-dropped": ("atomicAdd(s[l], 7u); o[l + 64u * g] = 1u;", r"\Auninitialised read: 4 bytes at Workgroup memory"),
    "load-dropped": ("uint old = s[l]; o[l + 64u * g] = 1u;", None),
}


@unittest.skipUnless(shutil.which("glslang") or shutil.which("glslangValidator") or os.environ.get("LITMUS_GLSLANG"),
                     "needs glslang")
class Checks(harness.Case):
    def check(self, name, code, *arguments, helpers=""):
        self.write(name + ".comp", HEAD + helpers + "void main() {" + code + " }\n")
        result = self.litmus("kernel", name + ".comp", "--groups", "3", "--buffer", "0.0=iota:1K", "--buffer", "0.1=1K",
                             "--subgroup", "32", *arguments, "--check")
        self.assertIn(result.code, (0, 1), result)
        self.assertEqual(result.code == 0, "0 findings in " in result.out, result)
        return result.out

    def test_together(self):
        """Barriers in uniform control flow, and behind divergent control flow."""
        for name, code in TOGETHER.items():
            with self.subTest(name=name):
                self.assertRegex(self.check(name, code, helpers=HELPERS.get(name, "")), r"\A0 findings in ")

    def test_apart(self):
        """Each barrier that not all execute together is named, with who is there and where others are."""
        for name, (code, line, there, where, other, those) in APART.items():
            with self.subTest(name=name):
                helpers = HELPERS.get(name, "")
                first = FIRST + helpers.count("\n")
                out = self.check(name, code, helpers=helpers)
                self.assertRegex(out, r"\Abarrier: not all of workgroup \(\d, 0, 0\) execute it together, \d+ times, first\n")
                self.assertIn(f"  {BARRIER} ({name}.comp:{first + line}), {there}\n", out)
                place = rf" \({name}\.comp:{first + other}\)" if other is not None else ""
                where = where if "\\" in where else re.escape(where)
                self.assertRegex(out, rf"(?m)^  {where}{place}, {re.escape(those)}$")

    def test_endless(self):
        """A flag that is waited for by some, and set by others behind a barrier that then not all reach."""
        def sample(name, code, groups):
            self.write(name + ".comp", HEAD + "void main() {" + code + " }\n")
            result = self.litmus("kernel", name + ".comp", "--groups", groups, "--buffer", "0.0=u32:7" + 255 * ",0",
                                 "--buffer", "0.1=1K", "--subgroup", "32", "--expect", "0.1=formula:1", "show",
                                 code=0)
            return result.err + " ".join(result.out.split())
        for name, (code, line, there, where, those) in ENDLESS.items():
            with self.subTest(name=name):
                out = sample(name, code, "3")
                if where is None:
                    self.assertRegex(out, r"\A(?!litmus).*checked: 0 findings in ")
                    continue
                what = "barrier: not all of" if line else "endless loop:"
                how = "reach it" if line else "does not end"
                self.assertRegex(out, rf"\n{what} workgroup \(0, 0, 0\) {how} within \d{{3,}} instructions each, 3 times, first\n")
                self.assertRegex(out, rf"(?m)^  %\w+ = OpAtomic\w+ .* \({name}\.comp:{FIRST + where}\), {those}$")
                if line:
                    self.assertIn(f"  {BARRIER} ({name}.comp:{FIRST + line}), {there}\n", out)
        # One of the workgroups that have not begun might set it; but not in shared memory. As many as can begin do.
        code = ENDLESS["by-subgroup"][0]
        self.assertRegex(sample("many", code, "9999"), r"\A(?!litmus).*checked: 0 findings in .* a part of 64 of 9999 workgroups")
        self.assertRegex(sample("some", code, "40"), r"\nbarrier: .* reach it within \d+ instructions each, 40 times, first\n")
        meet = "if (l == 0u) { atomicAdd(a[0], 1u); while (atomicAdd(a[0], 0u) < 7u + gl_NumWorkGroups.x) {} } barrier();"
        self.assertRegex(sample("meet", meet, "40"), r"\A(?!litmus).*checked: 0 findings in \d+ steps of 2560 invocations, "
                         r"subgroups of 32 ")
        self.assertRegex(sample("own", "s[l] = 7u; barrier();" + code.replace("a[0]", "s[0]"), "64"),
                         r"\nbarrier: not all of workgroup \(0, 0, 0\) reach it within ")

    def test_memory(self):
        for name, (code, wanted) in MEMORY.items():
            with self.subTest(name=name):
                self.assertRegex(self.check(name, code), wanted or r"\A0 findings in ")

    def test_addresses(self):
        """Addresses at which there is no buffer; of invocations are counted those that there are."""
        self.write("address.comp", harness.kernel("words-at.comp"))
        self.write("far.words", "64 0x7fff00\n")
        for what, said in ("zero:8", "a null address"), ("far.words", "an address without a buffer"):
            result = self.litmus("kernel", "address.comp", "--groups", "2", "--buffer", "0.0=" + what,
                                 "--buffer", "0.1=24", "--check")
            self.assertRegex(result.out, rf"\Aout of bounds: 4 bytes at {said} \+ \d+, 6 times, first\n"
                             r"  %\w+ = OpLoad .* \(address\.comp:8\), invocation 0 of .*\n"
                             r"1 finding in \d+ steps of 6 invocations, ")

    def test_many_workgroups(self):
        self.write("many.comp", "#version 450\nlayout(set = 0, binding = 0, std430) buffer O { uint o[]; };\n"
                   "void main() { atomicAdd(o[gl_WorkGroupID.x & 255u], 1u); }\n")
        result = self.litmus("kernel", "many.comp", "--groups", "65535", "--buffer", "0.0=zero:1K", "--check")
        self.assertRegex(result.out, r"\A0 findings in \d+ steps of 65535 invocations, ")


harness.main(__name__)
