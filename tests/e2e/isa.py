# SPDX-License-Identifier: Apache-2.0
"""What drivers make of tests: litmus isa, and the code that a run stores."""

import glob
import gzip
import json
import os
import re
import shutil
import signal
import sqlite3
import struct
import time
import unittest

import harness

ISA = os.path.join(harness.SOURCE, "tests", "isa")
REPORTS = os.path.join(harness.SOURCE, "reports", "nvidia-h200-580.159.04")
RADV = sorted(glob.glob("/usr/share/vulkan/icd.d/radeon_icd*.json"))
SHIM = "/usr/lib/x86_64-linux-gnu/libamdgpu_noop_drm_shim.so"
LOOP = ("loop.desync/*exchange=up,*store=each,pressure=none@workgroup=128,elected=last,"
        "iterations=16,weight=16")


class ReferenceDriver(harness.Case):
    """Its listing is text, and has statistics."""

    def isa(self, *arguments, **how):
        return self.litmus("isa", "--simt", "lockstep", *arguments, drivers=[harness.SIMT], **how)

    def test_one_configuration(self):
        result = self.isa(harness.ONE, code=0)
        self.assert_clean(result)
        self.assertRegex(result.out, r"group operations +\d+ ")
        self.assertIn("simt listing, by the driver", result.out)
        self.assertGreater(result.out.count("OpGroupNonUniformShuffleUp"), 1, result.out)

    def test_every_choice_of_a_test(self):
        result = self.isa(LOOP, code=0)
        rows = re.findall(r"^ +([A-Z]+) +[\d,]+ +\d+ +- +- +([0-9a-f]{8}) loop", result.out, re.M)
        self.assertGreater(len(rows), 3, result.out)
        plan = self.litmus("run", LOOP, "--dry-run", "--simt", "lockstep,subgroup=32", drivers=[])
        names = {harness.id_of(name): name for name in plan.out.split() if "@" in name}
        code = {names[id]: letter for letter, id in rows}
        plain = next(n for n in code if "sync=none" in n and "reconvergence=default" in n)
        maximal = plain.replace("reconvergence=default", "reconvergence=maximal")
        barrier = plain.replace("sync=none", "sync=control")
        if maximal in code:  # where the assembler knows it
            self.assertEqual(code[plain], code[maximal])
        self.assertNotEqual(code[plain], code[barrier])
        text = " ".join(result.out.split())
        self.assertIn("the subgroup barrier (sync=control) changes the code", text)
        self.assertIn("adds OpControlBarrier", text)

    def test_difference(self):
        result = self.isa(LOOP, "--diff", code=0)
        added = [line for line in result.out.split("\n") if line.startswith("+") and "Barrier" in line]
        self.assertTrue(added, result.out)

    def test_files(self):
        self.isa(harness.ONE, "--keep", "kept", code=0)
        files = sorted(os.listdir(self.path("kept/device-1")))
        kinds = [name.rsplit(".", 1)[1] for name in files]
        self.assertEqual(sorted(kinds), ["cache", "txt", "txt"], files)
        with open(self.path(os.path.join("kept/device-1", files[kinds.index("txt")]))) as file:
            self.assertIn("OpGroupNonUniformShuffleUp", file.read())
        again = self.isa(harness.ONE, "--keep", "kept")
        self.assert_one_line(again, 2, "kept", "not empty")

    def test_sizes_that_are_wrong(self):
        result = self.litmus("isa", harness.ONE, drivers=[harness.FAULT],
                             LITMUS_FAULT="representation-lies", LITMUS_FAULT_DRIVER=harness.SIMT,
                             code=0)
        self.assertRegex(result.out, r"note: simt listing: the driver said \d+ bytes and wrote more")
        self.assertIn("no listing", result.out)

    def test_usage(self):
        self.assert_one_line(self.isa(), 2, "missing PATTERN")
        self.assert_one_line(self.isa("shufle"), 2, "shuffle")
        self.assert_one_line(self.isa(harness.ONE, "-d", "9"), 2, "9")


class Emulation(harness.Case):
    """The machine code of a real driver, executed on the host."""

    NAME = "cases.llpc-426/operand=same@workgroup=128,values=4"

    def emulate(self, change, **how):
        with open(os.path.join(ISA, "h200.code"), "rb") as file:
            code = change(bytearray(file.read()))
        os.makedirs(self.path("kept/device-1"), exist_ok=True)
        name = self.NAME.replace("/", "~") + ",subgroup=32.3.code"
        with open(self.path(os.path.join("kept/device-1", name)), "wb") as file:
            file.write(code)
        return self.litmus("isa", "--execute", "--kept", "kept", self.NAME, drivers=[], **how)

    def test_right(self):
        result = self.emulate(lambda code: code, code=0)
        self.assert_clean(result)
        self.assertIn("1 configuration: 1 right, 0 wrong, 0 not executed", result.out)

    def test_wrong_guard(self):
        def change(code):
            self.assertEqual(code[0x191] >> 4, 8 | 2)  # @!P2 BRA
            code[0x191] = code[0x191] & 15 | (8 | 1) << 4
            return code

        result = self.emulate(change, code=1)
        self.assertIn("cause: BRA at 0x190 is executed by !P1, which is of ISETP", result.out)
        self.assertIn("; right would be !P2\n", result.out)
        self.assertRegex(result.out, r"(?m)^ +> 0190  @!P1 BRA 0x270$")

    def test_the_kernel_of_a_finding(self):
        """Its words are its instances, not subgroups."""
        finding = harness.SOURCE + "/reports/findings/nvidia-h200-580.159.04-xor-of-or"
        name = "groups-fuzz-subgroup-uniform-3823-5238-reduced"
        os.makedirs(self.path("kept/device-1"))
        shutil.copy(finding + "/code.bin", self.path(
            f"kept/device-1/kernel.{name}@workgroup=32,subgroup=32.3.code"))
        result = self.litmus("kernel", f"{finding}/kernel/{name}.amber", "isa", "--execute", "--kept",
                             "kept", drivers=[], code=1)
        self.assertIn("cause: PLOP3.LUT P0, PT, P1, P3, P2, 0x87, 0x0 at 0x180 has a table that would "
                      "be right for the negations of P3 and P2 first: ", " ".join(result.out.split()))

    def test_one_lane_for_all(self):
        """Lanes of several iterations execute what was compiled for one."""
        name = "loop.turns/cure=none,steps=64,live=48,reconvergence=default@workgroup=64,turns=3,subgroup=32"
        os.makedirs(self.path("kept/device-1"))
        shutil.copy(harness.SOURCE + "/reports/findings/nvidia-h200-580.159.04-loop-turns/code.bin",
                    self.path(f"kept/device-1/{name.replace('/', '~')}.3.code"))
        result = self.litmus("isa", "--execute", "--kept", "kept", name, drivers=[], code=1)
        self.assertIn("cause: R2UR at 0x600 takes one lane's value for all that execute it, lanes "
                      "0x00000007: right would be one lane after the other first: R2UR UR4, R43 at "
                      "0x600, lane 1: ", " ".join(result.out.split()))

    def test_constants_of_the_compiler(self):
        """c[0x1] has the test's offset."""
        name = "cases.dawn-506180954/offset=any@workgroup=128,subgroup=32"
        os.makedirs(self.path("kept/device-1"))
        base = self.path(f"kept/device-1/{name.replace('/', '~')}")
        shutil.copy(os.path.join(ISA, "dawn-506180954.code"), base + ".3.code")
        words = ["isa", "--execute", "--kept", "kept", name]
        self.assertIn("unknown constant c[0x1][0x0]", self.litmus(*words, drivers=[], code=3).out)
        for offset, code, word in (0x12345678, 0, "right"), (0x12345679, 1, "wrong"):
            with open(base + ".4.constants", "wb") as file:
                file.write(struct.pack("<I", offset))
            self.assertRegex(self.litmus(*words, drivers=[], code=code).out, rf"(?m)^  {word} cases")

    @harness.unsanitized
    def test_programs_that_failed_on_an_h200(self):
        with gzip.open(REPORTS + "/fuzz-programs.db.gz") as packed:
            self.write("programs.db", packed.read())
        result = self.litmus("isa", "--execute", "--db", "programs.db", "*", drivers=[],
                             code=1)
        self.assertEqual(result.out, harness.read(REPORTS + "/fuzz-programs-emulated.txt"))
        self.litmus("run", harness.ONE, "-n", "1", "--db", "programs.db", code=0)  # newer
        result = self.litmus("isa", "--execute", "-q", "--db", "programs.db",
                             "groups.fuzz-default-4242-17649", drivers=[], code=0)
        self.assertRegex(result.out, "^  session 1, 2026-.*\n  same  groups[^\n]*\n.*; measured: 16040 "
                                     "in 40 of 40 runs\n\n  1 configuration")

    def test_what_cannot_be_executed(self):
        result = self.emulate(lambda code: code[:-1], code=3)
        self.assertRegex(result.out, r"\?     cases.llpc-426.*\n +895 bytes are not machine code")
        unknown = self.emulate(lambda code: b"\x00\x70" + b"\x00" * 14 + code[16:], code=3)
        self.assertIn("unknown instruction by ?0x000 at 0x0", unknown.out)

    def test_usage(self):
        self.assert_one_line(self.litmus("isa", "--execute"), 2, "missing PATTERN")
        self.assert_one_line(self.litmus("isa", "--kept", "x", "scan"), 2, "--kept", "--execute")
        self.assert_one_line(self.litmus("isa", "-q", "scan"), 2, "--quiet", "--execute")
        self.assert_one_line(self.litmus("isa", "--execute", "--db", "none.db", "scan"), 2, "none.db")


class Structured(harness.Case):
    """NIR of RADV 26.2.6 on navi21, executed on the host."""

    NAME = "reconvergence.switch-in-switch/reconvergence=maximal,target=continue,early="
    LATER = "s2: %1:s[0-1],  s1: %2:s[2],  s1: %3:s[3],  s1: %4:s[4],  v1: %5:v[0] = p_startpgm\n"

    def emulate(self, early, change=lambda text: text, **how):
        os.makedirs(self.path("kept/device-1"), exist_ok=True)
        name = (self.NAME + early).replace("/", "~") + "@workgroup=64,subgroup=64"
        text = harness.read(os.path.join(ISA, f"navi21-early-{early}.nir"))
        self.write(f"kept/device-1/{name}.1.txt", change(text))
        self.write(f"kept/device-1/{name}.2.txt", self.LATER)
        return self.litmus("isa", "--execute", "--kept", "kept", self.NAME + early + "@*",
                           drivers=[], **how)

    def test_right(self):
        result = self.emulate("no", code=0)
        self.assert_clean(result)
        self.assertIn("1 configuration: 1 right, 0 wrong, 0 not executed", result.out)

    def test_wrong(self):
        """The finding of lavapipe, which has the same passes of NIR."""
        result = self.emulate("yes", code=1)
        self.assertIn("cause: the NIR is wrong, not what comes behind it\n", result.out)

    def test_what_cannot_be_executed(self):
        result = self.emulate("no", lambda text: text.replace("@ballot", "@balloon"), code=3)
        self.assertRegex(result.out, r"(?s)\?     reconv.*not known: @balloon")


class Aco(harness.Case):
    """Machine code of RADV 26.2.6 for navi21, executed on the host: that of finding 20."""

    NAME = ("broadcast.id/read=shuffle-dynamic,flow=uniform,source=active,sync=none,"
            "reconvergence=default,pressure=none@workgroup=128,source-lane=last,iterations=1")
    COMPARE, WAIT = " v_cmp_ge_u32_e32 vcc, 31, v2 ", " s_waitcnt vmcnt(0) "
    MASK = " v_and_b32_e32 v2, 63, v2 ; 360404bf\n"

    def emulate(self, change=lambda listing: listing, **how):
        os.makedirs(self.path("kept/device-1"), exist_ok=True)
        base = "kept/device-1/" + self.NAME.replace("/", "~") + ",subgroup=64."
        texts = [harness.read(os.path.join(ISA, "navi21-shuffle." + kind))
                 for kind in ("nir", "aco", "listing")]
        self.assertEqual((texts[2].count(self.COMPARE), texts[2].count(self.WAIT)), (1, 1))
        texts[2] = change(texts[2])
        for i, text in enumerate(texts, 1):
            self.write(f"{base}{i}.txt", text)
        self.write(base + "statistics.txt", "SGPRs: 108\nVGPRs: 8\n")
        result = self.litmus("isa", "--execute", "--kept", "kept", self.NAME + ",subgroup=64",
                             drivers=[], **how)
        return result.out, " ".join(result.out.split())

    def masked(self, listing):
        """The code as it should be."""
        return listing.replace(self.COMPARE, self.MASK + self.COMPARE)

    def test_the_first_wrong_value(self):
        lines, words = self.emulate(code=1)
        self.assertIn("cause: @shuffle (ssa_19.phi, ssa_29) reads lanes that no subgroup has; ", words)
        self.assertIn(" first: no register has the value of @shuffle (ssa_19.phi, ssa_29) (SPIR-V at "
                      "byte 0x79c); v3, behind ds_bpermute_b32 v3, v2, v0 at 0x88, has ", words)
        self.assertRegex(lines, r"(?m)^    \* 0088  ds_bpermute_b32 v3, v2, v0$")

    def test_right(self):
        lines, words = self.emulate(self.masked, code=0)
        self.assertIn("1 configuration: 1 right, 0 wrong, 0 not executed", words)
        self.assertNotIn("late memory", lines)

    def test_a_wait_that_is_missing(self):
        def change(listing):
            return "".join(line for line in self.masked(listing).splitlines(True)
                           if self.WAIT not in line)
        _, words = self.emulate(change, code=0)
        self.assertIn("with late memory and stale caches 512 of 512 instances fail first: no register "
                      "has the value of @load_ssbo (ssa_17, ssa_23) (access=", words)

    def test_only_the_nir(self):
        """If the machine code is not known."""
        _, words = self.emulate(lambda listing: listing.replace("34040482", "34040482 0"), code=1)
        self.assertIn(" reads lanes that no subgroup has; ", words)
        self.assertNotIn("first: ", words)


class Caches(harness.Case):
    """Pipeline caches of NVIDIA's format, from a driver that hands out a file."""

    def isa(self, blob, *arguments, **how):
        return self.litmus("isa", harness.ONE, *arguments, fault="nvidia-cache",
                           LITMUS_FAULT_CACHE=self.write("blob", blob), **how)

    def blob(self):
        return harness.read(os.path.join(ISA, "h200.cache"), "rb")

    def test_real(self):
        result = self.isa(self.blob(), "--disassembler", "built-in", code=0)
        self.assert_clean(result)
        self.assertIn("machine code, from the pipeline cache, sm_90", result.out)
        self.assertRegex(result.out, r"SASS +896  bytes")
        self.assertRegex(result.out, r"  0000  LDC|  0000  S2R")
        self.assertIn("EXIT", result.out)

    def test_of_another_program(self):
        name = self.write("scan.cache", self.blob())
        result = self.litmus("isa", "--read", name, code=0)
        self.assert_clean(result)
        self.assertIn("VOTE.ANY", result.out)
        two = self.litmus("isa", "--read", name, os.path.join(ISA, "h200.cache"))
        self.assertEqual(len(re.findall(r"^ +A +896 .*\.cache$", two.out, re.M)), 2, two)
        for blob, code, words in ((self.blob()[:40], 77, "note: pipeline cache: "),
                                  (self.blob()[:16], 2, "is not a pipeline cache"),
                                  (b"", 2, "is not a pipeline cache")):
            bad = self.litmus("isa", "--read", self.write("bad.cache", blob), code=code)
            self.assertIn(words, bad.out + bad.err)
        self.assertEqual(self.litmus("isa", "--read", self.path("none")).code, 2)

    def test_kept_as_it_was(self):
        self.isa(self.blob(), "--keep", "kept", code=0)
        with open(glob.glob(self.path("kept/device-1/*.cache"))[0], "rb") as file:
            self.assertEqual(file.read(), self.blob())
        with open(glob.glob(self.path("kept/device-1/*.code"))[0], "rb") as file:
            self.assertEqual(file.read(), harness.read(os.path.join(ISA, "h200.code"), "rb"))

    @harness.about_lavapipe
    def test_bad_ones_are_a_line(self):
        good = self.blob()
        for blob, word in ((good[:-100], "cut or corrupted"), (good[:32], "is empty"),
                           (b"", "no code that can be listed"), (b"x" * 4000, "known format"),
                           (good[:104] + b"\0" * 5000, "zstd frame")):
            with self.subTest(word=word):
                result = self.isa(blob, code=0)
                self.assert_clean(result)
                self.assert_all_in(result.out, word, "no listing")

    def test_unknown_one_is_kept(self):
        self.isa(b"y" * 500, "--keep", "kept", code=0)
        with open(glob.glob(self.path("kept/device-1/*.cache"))[0], "rb") as file:
            self.assertEqual(file.read(), b"y" * 500)

    def test_size_that_is_wrong(self):
        result = self.litmus("isa", harness.ONE, fault="cache-lies", code=0)
        self.assertIn("vkGetPipelineCacheData: the driver said 40 bytes and wrote more", result.out)

    def test_nvdisasm_that_fails(self):
        tool = self.write("nvdisasm", "#!/bin/sh\necho broken >&2\nexit 3\n")
        os.chmod(tool, 0o755)
        for program in (tool, self.path("gone")):
            result = self.isa(self.blob(), "--disassembler", "nvdisasm", LITMUS_NVDISASM=program,
                              code=0)
            self.assert_all_in(result.out, "the built-in decoder is used", "EXIT")

    def test_crash_of_the_compiler(self):
        result = self.litmus("isa", *harness.PAIR, fault="crash-on=64", code=3)
        self.assert_all_in(result.out, "crash: worker died: signal 11", "workgroup=128")


@harness.about_lavapipe
class Shared(harness.Case):
    """Variants that are one program, by the cache of a driver that hands out one file for all."""

    VARIANTS = tuple(harness.ONE.replace("sync=workgroup-in-loop", f"sync={sync}")
                     for sync in ("none", "memory-once", "control-once"))
    OTHER = harness.PAIR[1]

    def run_here(self, *arguments, **how):
        result = self.litmus("run", *self.VARIANTS, self.OTHER, "-q", *arguments,
                             fault="nvidia-cache",
                             LITMUS_FAULT_CACHE=os.path.join(ISA, "h200.cache"), **how)
        self.assertIn(result.code, (0, 1), result)

    def runs(self):
        """Of the newest session, in the order of the names: those of one program, and the other."""
        rows = self.rows("SELECT name, runs FROM result WHERE session = "
                         "(SELECT max(id) FROM session) ORDER BY name LIKE '%=128%', name")
        return [runs for _, runs in rows]

    def test_runs_are_divided(self):
        self.run_here("-n", "1", "--isa", "all")
        self.run_here("--seed", "3")
        # Each has a third of 500; what is a program by itself has all.
        divided = self.runs()
        self.assertEqual(divided, [167, 167, 167, 500])
        text = self.litmus("report").out
        self.assertIn("  Same machine code", text)
        self.assertRegex(text, rf"\n  0 of {sum(divided[:3]):,}, ")
        # Their code is asked for again.
        self.assertEqual(self.rows("SELECT count(*) FROM code WHERE session = 2"), [(3,)])
        self.run_here("-n", "7", "--isa", "none")
        self.assertEqual(self.runs(), [7] * 4)


class OtherDrivers(harness.Case):
    @harness.about_lavapipe
    def test_one_that_gives_nothing(self):
        result = self.litmus("isa", harness.ONE, code=0)
        self.assertIn("no listing: the driver provides no code that can be listed", result.out)

    @unittest.skipUnless(RADV, "no RADV is installed")
    def test_one_that_only_compiles(self):
        """RADV makes code for a GPU that is not there: under a shim, if it is installed."""
        there = ({"LD_PRELOAD": SHIM, "AMDGPU_GPU_ID": "navi21"} if os.path.exists(SHIM)
                 else {"RADV_FORCE_FAMILY": "navi21"})
        run = self.litmus("fuzz", "groups", "--compile-only", "--count", "4", "--seed", "1",
                          drivers=RADV, code=0, **there)
        self.assertIn("the driver compiled every program", " ".join(run.out.split()))
        result = self.litmus("isa", harness.ONE, drivers=RADV, code=0, **there)
        self.assert_all_in(result.out, "Assembly, by the driver", "ds_bpermute_b32")
        self.assertRegex(result.out, r"VGPRs +\d+ ")


class Stored(harness.Case):
    """What a run stores of the code."""

    def run_it(self, *arguments, code=1, model="snooping"):
        return self.litmus("run", "shuffle.scan-loop", "--simt", model, "-n", "3", "--seed", "1",
                           *arguments, drivers=[harness.SIMT], code=code)

    def test_of_what_failed(self):
        self.run_it()
        failed = {name for (name,) in self.rows("SELECT name FROM result WHERE failed_runs > 0")}
        stored = {name for (name,) in self.rows("SELECT name FROM code")}
        self.assertTrue(failed)
        self.assertLessEqual(failed, stored)
        for name in stored - failed:  # each is a paired variant of one that failed
            self.assertTrue(any(self.differing(name, other) == 1 for other in failed), name)

    @staticmethod
    def differing(name, other):
        return sum(a != b for a, b in zip(re.split("[,@/]", name), re.split("[,@/]", other)))

    def test_of_none_and_of_all(self):
        self.run_it("--isa", "none")
        self.assertEqual(self.rows("SELECT count(*) FROM code"), [(0,)])
        self.run_it("--isa", "all", model="lockstep", code=0)
        self.assertEqual(self.rows("SELECT count(*) FROM code"),
                         self.rows("SELECT count(*) FROM result WHERE session = 2"
                                   " AND result != 'skip'"))
        digests = self.rows("SELECT count(DISTINCT digest), min(length(digest)) FROM code")
        self.assertGreater(digests[0][0], 3)
        self.assertEqual(digests[0][1], 32)

    @harness.about_lavapipe
    def test_of_a_driver_that_tells_nothing(self):
        """It is asked once, and nothing is stored of what it did not say."""
        self.litmus("run", *harness.PAIR, "-n", "2", "--isa", "all", code=0)
        self.assertEqual(self.rows("SELECT count(*) FROM code"), [(0,)])

    def test_an_error_costs_only_the_code(self):
        process = self.start("run", *harness.PAIR, "-n", "20", "--seed", "1", "--isa", "all",
                             "--json", "report.json", fault="drop-on=64,hold-on=any,after=1",
                             LITMUS_FAULT_RELEASE=self.path("go"))
        since = time.monotonic()
        self.first_batch()
        database = sqlite3.connect(self.path("litmus.db"), timeout=10)
        database.execute("ALTER TABLE code RENAME TO elsewhere")
        database.close()
        self.write("go", "")
        result = self.finish(process, since)
        self.assertEqual(result.code, 1, result)
        self.assertIn("not all code could be stored: ", result.err)
        self.assert_all_in(result.out, "Failures", "exit 1: a forbidden outcome was observed")
        self.assertEqual(len(json.loads(self.read("report.json"))["results"]), 2)

    @harness.posix
    def test_after_a_signal_none_is_read(self):
        """The driver gives the code of one configuration, and then waits."""
        pipe, blob = self.path("pipe"), harness.read(os.path.join(ISA, "h200.cache"), "rb")
        core = min(os.sched_getaffinity(0))
        os.mkfifo(pipe)
        process = self.start("run", *harness.PAIR, "-n", "2", "--isa", "all", "--json", "now.json",
                             fault="nvidia-cache", LITMUS_FAULT_CACHE=pipe,
                             preexec=lambda: os.sched_setaffinity(0, [core]))
        since = time.monotonic()
        for _ in ("its size", "the code"):
            with open(pipe, "wb") as file:
                os.mkfifo(pipe + "-next")
                os.replace(pipe + "-next", pipe)
                file.write(blob)
        self.wait_for("the first code", lambda: self.rows("SELECT 1 FROM code"))
        process.send_signal(signal.SIGTERM)
        result = self.finish(process, since)
        self.assert_ended_by(result, signal.SIGTERM)
        self.assertIn("interrupted", result.out)
        self.assertEqual(self.rows("SELECT runs FROM result"), [(2,)] * 2)
        now = json.loads(self.read("now.json"))
        self.assertTrue(now["tool"]["finished"])
        for report, known in ((now, 0), (self.report(), 1)):
            self.assertEqual(sum(entry["code"] is not None for entry in report["results"]), known)

    def test_merged(self):
        self.run_it()
        self.litmus("merge", "-o", "all.db", "litmus.db", code=0)
        self.assertEqual(self.rows("SELECT name, digest, packed FROM code ORDER BY name", "all.db"),
                         self.rows("SELECT name, digest, packed FROM code ORDER BY name"))


harness.main(__name__)
