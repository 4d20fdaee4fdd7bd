# SPDX-License-Identifier: Apache-2.0
"""Generated programs: models that break the rule are caught and what fails is made small, right
ones pass, faults cost one program, and what is stored is a test that fails again."""

import contextlib
import glob
import os
import re
import shutil
import signal
import sqlite3
import struct
import time

import harness
from harness import Case

SEED = ("--seed", "0x5eed")
RULES = ("maximal", "subgroup-uniform", "default")
SHAPES = ("plain", "exits", "subgroups", "vulkan", "arithmetic", "arrays", "addresses",
          "matrices")
KERNELS = ("nabla", "vello", "llama", "prefix-sums")
# Seconds in which a few programs end on a busy machine, and 40,000 do not.
SOON = str(round(4 * harness.SLOW))


class Fuzz(Case):
    FAMILY = "reconvergence"

    def fuzz(self, *arguments, **how):
        result = self.litmus("fuzz", self.FAMILY, *arguments, **how)
        self.assert_clean(result)
        return result

    def stored(self, folder=None):
        return sorted(glob.glob(os.path.join(self.path(folder or "fuzz-" + self.FAMILY),
                                             "*.spvasm")))

    def sizes(self, result):
        """Steps of the shrunk programs, and of the drawn ones."""
        return [(int(small), int(drawn)) for small, drawn in
                re.findall(r"(?m)^    (\d+) of (\d+) steps after \d+ tries", result.out)]

    def failures(self, result):
        """Of the table: programs that ran, and failed, of all arms."""
        lines = re.findall(r"(?m)^  (?:all|(?:%s)\S*) +([\d,]+) +[\d,]+ +([\d,]+)  " %
                           "|".join(RULES), result.out)
        self.assertTrue(lines, result)
        return tuple(int(number.replace(",", "")) for number in lines[-1])

    def arm(self, name):
        """The options for an arm by its name."""
        parts = re.fullmatch(r"(%s)(?:-p(\d+))?(?:-([\w-]+))?" % "|".join(RULES), name)
        self.assertTrue(parts, name)
        rule, pressure, shape = parts.groups()
        return ("--rule", rule, "--shape", shape or "plain",
                *(("--pressure", pressure) if pressure else ()))

    def groups(self, result):
        """What failing programs have in common: their number by the group's name."""
        table = result.out.partition("  groups of programs that fail alike:\n")[2]
        return {name: int(count) for name, count in
                re.findall(r"(\S.*?); (\d+) programs?: [\d, .]+(?:; \S+\.spvasm)?",
                           " ".join(table.partition("\n\n")[0].split()))}


class Models(Fuzz):
    COUNT = 60 if harness.SLOW == 1 else 15

    @harness.unsanitized
    def test_right_models_pass(self):
        for family in ("reconvergence", "groups"):
            self.FAMILY = family
            for model in ("lockstep", "tangled"):
                for rule in RULES:
                    with self.subTest(family=family, model=model, rule=rule):
                        run = self.fuzz("--simt", model, "--rule", rule, "--count",
                                        str(self.COUNT), *SEED, code=0)
                        self.assertEqual(self.failures(run), (self.COUNT, 0))
                        self.assertFalse(os.path.exists(self.path("fuzz-" + family)))

    def broken(self, settings, count, most, *more):
        run = self.fuzz("--simt", settings, "--count", str(count), "--keep", "3", *SEED, *more,
                        code=1)
        self.assertGreater(self.failures(run)[1], 0, run)
        sizes = self.sizes(run)
        self.assertTrue(sizes, run)
        self.assertEqual(len(self.stored()), len(sizes), run)
        for small, _ in sizes:
            self.assertLessEqual(small, most, run)
        return run

    def test_lagging(self):
        self.broken("lagging,subgroup=8", 20, 6)

    def test_lagging_under_the_rule_for_subgroups(self):
        self.broken("lagging,subgroup=8", 20, 6, "--rule", "subgroup-uniform")

    def test_peeling(self):
        run = self.broken("peeling,subgroup=8", 60, 8)
        self.assertIn("merged", run.out)

    def test_peeling_is_legal_without_maximal_reconvergence(self):
        self.fuzz("--simt", "peeling", "--rule", "default", "--count", str(self.COUNT), *SEED,
                  code=0)

    def test_wrong_values(self):
        self.broken("faulty,fault=wrong,rate=0.01", 5, 2)

    def test_a_device_that_executes_nothing(self):
        run = self.broken("faulty,fault=nothing", 5, 1)
        self.assertIn("never written", run.out)


class Files(Fuzz):
    def one(self):
        run = self.fuzz("--simt", "lagging,subgroup=8", "--count", "10", "--keep", "1", *SEED)
        self.assertEqual(len(self.stored()), 1, run)
        return self.stored()[0]

    def test_a_stored_program_fails_again_and_passes_elsewhere(self):
        path = self.one()
        self.fuzz("--replay", path, "--simt", "lagging,subgroup=8", "-n", "40", code=1)
        self.fuzz("--replay", path, "--simt", "tangled", "-n", "10", code=0)

    def test_a_stored_program_is_an_ordinary_test(self):
        text = harness.read(self.one())
        for keyword in ("litmus", "asks", "fails", "origin", "spec", "axis", "sweep", "expect",
                        "program", "oracle"):
            self.assertRegex(text, rf"(?m)^; {keyword} ")
        self.assertIn("--seed 0x5eed, program", text)
        self.assertTrue(all(len(line) <= 110 for line in text.split("\n")))

    def test_show_is_what_was_run(self):
        shown = self.fuzz("--show", "--index", "3", *SEED, code=0)
        self.assertIn("; litmus       reconvergence.fuzz-maximal-5eed-3", shown.out)
        self.assertIn("OpGroupNonUniformBallot", shown.out)
        again = self.fuzz("--show", "--index", "3", *SEED)
        self.assertEqual(shown.out, again.out)
        path = self.write("shown.spvasm", shown.out)
        self.assertEqual(self.fuzz("--replay", path, "--simt", "lockstep", "-n", "2").code, 0)

    def test_several_at_once_find_what_one_finds(self):
        """The same programs, made small in the same way, and told in the same order."""
        found = {}
        for jobs in ("1", "4"):
            run = self.fuzz("--simt", "lagging,subgroup=8", "--count", "24", "--keep", "3",
                            "--jobs", jobs, "--out", "jobs" + jobs, *SEED, code=1)
            told = re.findall(r"(?m)^  program \d+|^    \d+ of \d+ steps", run.out)
            texts = []
            for path in self.stored("jobs" + jobs):
                texts.append((os.path.basename(path), re.sub(r"(?m)^; (Observed|First).*\n", "",
                                                             harness.read(path))))
            found[jobs] = (told, texts, self.failures(run))
        self.assertEqual(found["4"], found["1"])
        self.assertEqual(len(found["1"][1]), 3)

    def test_files_that_are_none(self):
        shown = self.fuzz("--show", *SEED).out
        wrong = {
            "empty": "", "binary": b"\0\1\2\xff" * 100, "text": "; litmus x\n",
            "no program": re.sub(r"(?m)^; program .*\n(;              .*\n)*", "", shown),
            "a loop without end": re.sub(r"(?m)^; program .*\n(;              .*\n)*",
                                         "; program      loop { look }\n", shown),
            "no rule": shown.replace("; axis reconvergence   maximal\n", ""),
            "large": shown + "x" * 300000,
        }
        for name, content in wrong.items():
            with self.subTest(name):
                path = self.write("wrong.spvasm", content)
                self.assert_one_line(self.litmus("fuzz", "reconvergence", "--replay", path), 2,
                                     "wrong.spvasm")
        self.assert_one_line(self.litmus("fuzz", "reconvergence", "--replay", "nowhere"), 2,
                             "nowhere")

    def test_a_folder_that_cannot_be_written(self):
        self.write("taken", "")
        run = self.fuzz("--simt", "lagging,subgroup=8", "--count", "10", "--out", "taken", *SEED,
                        code=2)
        self.assertIn("taken", run.err)


class Groups(Fuzz):
    """Programs with data."""
    FAMILY = "groups"

    def test_pressure(self):
        self.fuzz("--simt", "tangled", "--pressure", "100", "--count", "10", *SEED, code=0)
        shown = self.fuzz("--show", "--pressure", "100", *SEED)
        self.assertRegex(shown.out, r"(?m)^; program      registers 108 24 ")
        # 0 is one of the arms' as well.
        alone = self.fuzz("--simt", "tangled", "--pressure", "0", "--count", "2", *SEED, code=0)
        self.assertNotIn(" arms, ", alone.out)
        self.assertEqual(self.fuzz("--show", "--pressure", "0", *SEED).out,
                         self.fuzz("--show", "--shape", "plain", *SEED).out)

    @harness.unsanitized
    def test_coverage(self):
        run = self.fuzz("--simt", "lockstep", "--count", "400", "--shape", "plain", "--coverage",
                        *SEED)
        seen, every = (int(n.replace(",", "")) for n in
                       re.search(r"([\d,]+) of ([\d,]+) combinations", run.out).groups())
        self.assertGreater(every, 500)
        self.assertTrue(every / 2 < seen < every, run)
        row = re.search(r"(?m)^  pass +(.*)$", run.out).group(1).split()
        self.assertEqual((len(row), row[3]), (15, "0"), run)  # never in a switch
        self.assertEqual(sum(map(int, row[:5])), sum(map(int, row[5:])), run)

    def broken(self, settings, count, most, pattern, shape="plain"):
        """Found, made small, stored as a test that fails again there and passes elsewhere."""
        folder = settings.split(",")[-1]
        run = self.fuzz("--simt", settings, "--count", str(count), "--keep", "2", "--out", folder,
                        "--shape", shape, *SEED, code=1)
        sizes = self.sizes(run)
        self.assertTrue(sizes, run)
        self.assertTrue(all(small <= most for small, _ in sizes), run)
        self.assertRegex(run.out, pattern)
        self.assertRegex(run.out, r"no smaller one fails; in subgroups of ")
        path = self.stored(folder)[0]
        self.assertEqual(self.fuzz("--replay", path, "--simt", settings).code, 1)
        self.fuzz("--replay", path, "--simt", "tangled", "-n", "10", code=0)
        return run

    def test_lagging(self):
        self.broken("lagging,subgroup=8", 40, 5, r"(?m)^    registers 4 ")

    @harness.unsanitized
    def test_operators(self):
        """A fault of a compiler for each kind of what programs do."""
        for operator, pattern in (("barrier", r"peek|pass|total|tickets"), ("own", r"u0"),
                                  ("dead", r"atomic|ticket"), ("predicate", r"registers"),
                                  ("store-late", r"(load|swap|store)\.")):
            with self.subTest(operator):
                self.broken(f"miscompiling,subgroup=16,{operator}=1", 100, 6, pattern)
        for operator, pattern in (("field", r"(field|insert)\("), ("carry", r"\.u64\(")):
            with self.subTest(operator):
                self.broken(f"miscompiling,subgroup=16,{operator}=1", 30, 6, pattern, "arithmetic")
        for fault, pattern, shape in (
                ("subgroup=16,splat=1", r"(vector|clamp|quotient|remainder)[.(]", "arrays"),
                ("subgroup=32,transpose=1", r"product\.f32\.f32\.f32\.8x8x8\(", "matrices")):
            with self.subTest(fault):
                self.broken(f"miscompiling,{fault}", 16, 6, pattern, shape)

    def test_a_product_that_the_device_does_not_list(self):
        shown = self.fuzz("--show", "--shape", "matrices", *SEED).out
        path = self.write("other.spvasm", re.sub(
            r"(?m)^; program .*\n(;              .*\n)*", "; program      registers 4 1 vulkan "
            "u0=product.u8.s8.s32.4x8x16(u0,u0,0)\n", shown))
        run = self.fuzz("--replay", path, "--simt", "lockstep", "-n", "1", code=77)
        self.assertIn("cooperative matrices of 4x8x16, uint8 by sint8 and sint32 to sint32, are none of the",
                      " ".join((run.out + run.err).split()))

    @harness.unsanitized
    def test_two_faults_are_two_groups(self):
        which = ("--simt", "miscompiling,subgroup=16,sink=1,counter=1", "--shape", "plain",
                 "--seed", "7")
        run = self.fuzz(*which, "--count", "100", code=1)
        groups = self.groups(run)
        self.assertEqual(list(groups), ["wrong: late", "wrong: rounds"], run)
        self.assertEqual(sum(groups.values()), self.failures(run)[1], run)
        self.assertTrue(all(count > 1 for count in groups.values()), run)
        # Each has its file, and each program that is told fails alone too.
        for first, path in re.findall(r"(\d+)(?:, \d+)*(?:, \.\.\.)?; ([\w/-]+\.spvasm)", run.out):
            self.assertIn(os.path.basename(path), [os.path.basename(p) for p in self.stored()])
            self.fuzz(*which, "--count", "1", "--index", first, "--out", "alone", code=1)

    def test_a_stored_program_is_an_ordinary_test(self):
        self.fuzz("--simt", "lagging,subgroup=8", "--count", "40", "--keep", "1", *SEED)
        text = harness.read(self.stored()[0])
        self.assertRegex(text, r"(?m)^; oracle       groups\.generated$")
        self.assertIn("litmus fuzz groups --replay FILE", text)
        other = self.litmus("fuzz", "reconvergence", "--replay", self.stored()[0])
        self.assert_one_line(other, 2, "no program")

    @harness.unsanitized
    def test_nothing_is_undefined(self):
        """By what litmus kernel --check sees of each program on the simulator."""
        if not shutil.which("spirv-as"):
            self.skipTest("no spirv-as")
        for index in range(30 if harness.SLOW == 1 else 4):
            rule = RULES[index % 3]
            shape = SHAPES[index // 3 % len(SHAPES)]
            shown = self.fuzz("--show", "--rule", rule, "--shape", shape, "--index", str(index),
                              *SEED).out
            # Which assemblers may be too old for, and lockstep does in any case.
            shown = re.sub(r"(?m)^ .*(MaximallyReconverges|maximal_reconvergence|"
                           "SubgroupUniformControlFlow|subgroup_uniform_control).*\n", "", shown)
            addressed = "%push_pair" in shown
            address = "address:0.2" if addressed else "0,0"
            if addressed and "Binding 2" not in shown:
                continue  # the state has no variable
            state = ["--buffer", "0.2=zero:256K"] if "Binding 2" in shown else []
            path = self.write("program.spvasm", shown)
            array = [option for k in range(4) if "Binding 3" in shown
                     for option in ("--buffer", f"0.3[{k}]=random:256")]
            run = self.litmus("kernel", path, "--groups", "2", "--buffer", "0.0=random:512", *array,
                              "--buffer", "0.1=64K", *state, "--push", f"0,0,0,0,{address},u32:32,0", "--spec",
                              "0=64", "--subgroup", "32", "--check")
            with self.subTest(index=index):
                self.assertEqual(run.code, 0, run)
                self.assertIn("0 findings", run.out)

    @harness.about_lavapipe
    def test_lavapipe(self):
        # Without the shapes in which its known bugs are frequent.
        self.fuzz("--shape", "plain", "--count", "8", "-n", "3", *SEED, code=0)


@harness.unsanitized
class Arms(Fuzz):
    """Campaigns over all rules, pressures and shapes."""
    FAMILY = "groups"

    def programs(self, run):
        """Of each arm."""
        return {name: int(count) for name, count in re.findall(
            r"(?m)^  ((?:%s)\S*) +(\d+) .* \d+\.\d %%$" % "|".join(RULES), run.out)}

    def test_each_rule_pressure_and_shape(self):
        run = self.fuzz("--simt", "lockstep,subgroup=8", "--count", "110", "-n", "1", *SEED, code=0)
        arms = self.programs(run)
        self.assertEqual({self.arm(name) for name in arms},
                         {("--rule", rule, "--shape", shape,
                           *(("--pressure", pressure) if pressure else ()))
                          for rule in RULES for shape in SHAPES + KERNELS
                          for pressure in (("", "20", "50", "90") if shape in SHAPES else [""])})
        self.assertEqual(sorted(arms.values()), [1] * 106 + [2] * 2)
        self.assertIn("  108 arms, 110 programs, 1 runs each", run.out)
        names = {entry["name"] for entry in self.report()["results"]}
        self.assertIn("generated.groups/reconvergence=default@steps=40,pressure=50,dispatches=1,"
                      "shape=exits,subgroup=8", names)
        self.assertEqual(len(names), 110)  # the second of an arm in another size

    def test_relatives_of_kernels(self):
        for shape in KERNELS:
            self.fuzz("--simt", "tangled", "--shape", shape, "--count", "8", "-n", "2", *SEED,
                      "--db", f"{shape}.db", code=0)
        run = self.fuzz("--simt", "lagging,subgroup=8", "--shape", "nabla", "--count", "1",
                        "--index", "2", *SEED, code=1)
        self.assertIn("  nearest to nabla: program 2 fails with 0 steps changed:\n"
                      "    registers 8 4 while i<8 { u1=word(1<<i) while j<5", run.out)

    def test_one_arm_gives_its_program_again(self):
        wrong = ("--simt", "miscompiling,subgroup=8,own=1")
        run = self.fuzz(*wrong, "--count", "48", "--keep", "1", *SEED, code=1)
        name, number = re.search(r"(?s)groups of programs.*?programs?: (\S+)\s+(\d+)",
                                 run.out).groups()
        stored, = self.stored()
        self.assertIn(f"-5eed-{number}.spvasm", stored)
        text = harness.read(stored)
        os.remove(stored)
        alone = self.fuzz(*wrong, *self.arm(name), "--index", number, "--count", "1", *SEED, code=1)
        self.assertIn(f"  program {number}, {name}, subgroups of 8", alone.out)
        self.assertEqual((self.stored(), harness.read(stored)), ([stored], text))


class Faults(Fuzz):
    def fault(self, fault, result, *more):
        run = self.fuzz("--simt", f"faulty,subgroup=8,fault={fault},at=300", "--count", "40",
                        "--jobs", "1", *SEED, *more, code=1)
        ran, failed = self.failures(run)
        self.assertEqual(ran, 40, run)
        self.assertTrue(1 <= failed <= 4, run)
        self.assertRegex(run.out, rf"program \d+, maximal, subgroups of \d+: {result}: ")
        # The program is not to blame: alone it does not do so again, and stays as it was drawn.
        self.assertIn("not again, alone", run.out)
        self.assertEqual(self.sizes(run), [])

    def test_crash(self):
        self.fault("crash", "crash")

    def test_lost(self):
        self.fault("lost", "device-lost")

    def test_hang(self):
        self.fault("hang", "hang", "--timeout", "2")

    def test_a_device_that_cannot_be_opened(self):
        self.fuzz("--simt", "faulty,fault=lost", "--count", "5", *SEED, code=4)

    def test_only_compiled(self):
        """A device that crashes whenever it executes something has no fault then."""
        run = self.fuzz("--simt", "faulty,subgroup=8,fault=crash,at=1", "--compile-only", "--count",
                        "6", *SEED, code=0)
        self.assertEqual(self.failures(run), (6, 0))
        again = self.fuzz("--resume", code=0)
        self.assertIn("only compiled", again.out)
        self.assertEqual(self.failures(again), (6, 0))

    @harness.unsanitized
    def test_a_compiler_that_crashes(self):
        run = self.fuzz("--compile-only", "--count", "3", "--steps", "3", "--jobs", "1", *SEED,
                        fault="crash-on=64", code=1)
        (name, count), = self.groups(run).items()
        self.assertEqual((count, len(self.stored())), (3, 1), run)
        self.assertRegex(name, "^crash: .*SIGSEGV.* in fault")
        self.assertIn("--compile-only", " ".join(self.litmus("report").out.split()))

    def test_a_compiler_that_refuses(self):
        run = self.fuzz("--compile-only", "--count", "3", "--steps", "3", "--jobs", "1", *SEED,
                        fault="refuse-on=64", code=1)
        (name, count), = self.groups(run).items()
        self.assertEqual((count, len(self.stored())), (3, 1), run)
        self.assertRegex(name, "^the driver refused the pipeline: .*VK_ERROR_UNKNOWN")
        self.assertIn("the driver refused 3 programs", run.out)


def nvidia_cache(code):
    """A pipeline cache of NVIDIA's format."""
    body = (b"NVDANVVMNVuc" + bytes(4) + struct.pack("<H", 1) + bytes(22) +
            struct.pack("<III", 1, len(code), 64) + bytes(20) + code)
    frame = struct.pack("<IBI", 0xfd2fb528, 0xa0, len(body))
    block = struct.pack("<I", len(body) << 3 | 1)[:3]
    return struct.pack("<IIII16sI", 32, 1, 0x10de, 0x2335, b"", 1) + b"CPKV" + frame + block + body


class Causes(Fuzz):
    """Programs of a simulated fault, whose machine code the driver says is that of a finding."""
    FAMILY = "groups"
    CODE = os.path.join(harness.SOURCE, "reports", "findings",
                        "nvidia-h200-580.159.04-loop-exit-shuffle", "code.bin")

    def run_with(self, code, *more):
        return self.fuzz("--shape", "plain", "--rule", "maximal", *SEED, *more, code=1,
                         fault="nvidia-cache", LITMUS_FAULT_DRIVER=harness.SIMT,
                         LITMUS_FAULT_CACHE=self.write("cache", nvidia_cache(code)),
                         LITMUS_SIMT="model=lagging,subgroup=8")

    def test_programs_of_a_cause_are_one_group(self):
        run = self.run_with(harness.read(self.CODE, "rb"), "--count", "12")
        (_, count), = self.groups(run).items()
        self.assertEqual(count, self.failures(run)[1], run)
        self.assertGreater(count, 1)
        self.assertRegex(run.out, r"(?m)^      probable cause: at risk: SHFL\.IDX at 0x")

    def run_668(self, code):
        """Program 668, which failed on an H200, with its machine code. The time is up once it has
        failed, so that it stays as drawn."""
        self.set_clock()
        run = self.fuzz("--shape", "exits", "--rule", "subgroup-uniform", "--pressure", "20", "--seed",
                        "0x5d01", "--index", "668", "--count", "2", "--jobs", "1", "--time", "1", code=1,
                        fault="nvidia-cache,slow=120", LITMUS_FAULT_DRIVER=harness.SIMT,
                        LITMUS_FAULT_CACHE=self.write("cache", nvidia_cache(code)),
                        LITMUS_SIMT="model=miscompiling,branch=1,subgroup=32,as=webgpu")
        return " ".join(run.out.split())

    def test_a_cause_by_the_lint_or_by_execution(self):
        """The lint does not know "not equal, or false" as a comparison."""
        code = harness.read(os.path.join(harness.SOURCE, "tests", "isa", "program-668.code"), "rb")
        self.assertIn("probable cause: wrong scalar: R2UR at 0xa70 takes one lane's value of R6, set at ",
                      self.run_668(code))
        at = 0x8a0
        self.assertEqual(code[at:at + 4].hex(), "0c780020")  # ISETP.NE.U32.AND P1, PT, R32, 0x1, PT
        word = int.from_bytes(code[at:at + 16], "little") | 1 << 74 | 1 << 90  # OR, !PT
        self.assertIn("probable cause: wrong scalar: R2UR at 0xa70 takes one lane's value for all that "
                      "execute it, lanes 0x0000000f: ",
                      self.run_668(code[:at] + word.to_bytes(16, "little") + code[at + 16:]))

    def test_a_campaign_that_is_out_of_time_names_causes(self):
        """The time is up while the first failing program is shrunk."""
        run = self.run_with(harness.read(self.CODE, "rb"), "--count", "1000000", "--jobs", "4",
                            "--time", SOON)
        groups = self.groups(run)
        self.assertEqual((len(groups), sum(groups.values())), (1, self.failures(run)[1]), run)
        self.assertIn("probable cause: at risk: ", run.out)


class Drawn(Fuzz):
    """The family `generated`: a run is a program."""

    def run_all(self, settings, count, code, *more, store="litmus.db"):
        run = self.litmus("run", "generated.*", "--simt", settings, "-n", str(count), "--db", store,
                          *SEED, *more)
        self.assert_clean(run)
        self.assertEqual(run.code, code, run)
        return run, {entry["test"]: entry for entry in self.report(store)["results"]}

    def test_right_models_pass(self):
        for model in ("lockstep", "tangled"):
            with self.subTest(model=model):
                _, results = self.run_all(model, 40, 0)
                self.assertEqual([(entry["runs"], entry["failed_runs"])
                                  for entry in results.values()], [(40, 0)] * 2)

    def test_the_command_makes_what_failed_small(self):
        run, results = self.run_all("miscompiling,sink=1", 100, 1)
        entry = results["generated.groups"]
        self.assertEqual((entry["result"], entry["runs"]), ("fail", 100))
        self.assertEqual(results["generated.reconvergence"]["result"], "pass")
        program = re.match(r"program (\d+), lane \d+, u\d", entry["failures"][0]["where"])
        # The usual size of eight.
        self.assertEqual(int(program[1]), 8 * (entry["failures"][0]["run"] - 1))
        command = re.search(r"reproduce: ((?:.*\\\n)*.*)", run.out)[1].replace("\\\n", " ")
        words = command.split()[1:]
        self.assertEqual(words[:2], ["fuzz", "groups"])
        self.assertEqual(words[words.index("--index") + 1], program[1])
        self.assertIn(", made small:\n  program " + program[1] + ", ", run.out)
        stored = self.stored("fuzz-groups")
        self.assertEqual(len(stored), 1)
        os.remove(stored[0])
        again = self.litmus(*words, code=1)
        self.assertIn(f"  program {program[1]}, ", again.out)
        self.assertIn("late.", again.out)
        self.assertEqual(self.stored("fuzz-groups"), stored)

    def test_what_ends_the_worker_is_one_program(self):
        run, results = self.run_all("faulty,subgroup=8,fault=crash,at=20", 12, 1)
        for name, entry in results.items():
            self.assertEqual((entry["result"], entry["runs"]), ("fail", 12), name)
            self.assertTrue(1 <= entry["failed_runs"] < 12, name)
            self.assertEqual(entry["outcomes"]["never written"], entry["failed_runs"])
            self.assertRegex(entry["failures"][0]["where"], r"program \d+: crash, worker died: ")

    def test_shards_draw_what_the_whole_draws(self):
        _, whole = self.run_all("miscompiling,own=1", 40, 1, store="whole.db")
        for part in "01":
            self.litmus("run", "generated.groups", "--simt", "miscompiling,own=1", "-n", "40",
                        "--shard-runs", f"{part}/2", "--db", f"{part}.db", *SEED)
        self.litmus("merge", "-o", "both.db", "0.db", "1.db", code=0)
        both = self.report("both.db")["results"][0]
        for key in ("runs", "failed_runs", "outcomes"):
            self.assertEqual(both[key], whole["generated.groups"][key])


@harness.unsanitized
class Sessions(Fuzz):
    """A campaign is a session of the store: it is resumed, divided, merged and reported as one."""
    FAMILY = "groups"
    WRONG = ("--simt", "miscompiling,sink=1")
    QUICK = ("-q", "--keep", "1", "--jobs", "12")  # so many that they end in another order

    def campaign(self, store, *more, code=1):
        run = self.fuzz(*self.WRONG, *self.QUICK, "--db", store, *SEED, *more, code=code)
        return run

    def kept(self, store):
        """What the store has of each configuration, but for when and by which process."""
        return {entry["name"]: [entry[key] for key in (
            "result", "runs", "failed_runs", "outcomes", "failures", "expectation", "seed",
            "spirv_sha256")] for entry in self.report(store)["results"]}

    def session(self, store):
        with contextlib.closing(sqlite3.connect(self.path(store))) as database:
            return database.execute("SELECT seed, runs, finished FROM session").fetchall()

    def coverage(self, store):
        """Of the newest session, of which nothing is run."""
        run = self.fuzz("--resume", "--coverage", "-q", "--db", store)
        table = re.search(r"(?ms)^  operation .*combinations[^\n]*", run.out)
        self.assertTrue(table, run)
        return table.group()

    def stored_runs(self, store):
        if not os.path.exists(self.path(store)):
            return 0
        with contextlib.closing(sqlite3.connect(self.path(store))) as database:
            return database.execute("SELECT coalesce(sum(runs), 0) FROM result").fetchone()[0]

    @harness.unsanitized
    def test_killed_and_resumed(self):
        """And weighs the arms alike: the third round is of programs 960 and on."""
        self.QUICK += "-n", "1"
        self.killed_and_resumed(1000)

    @harness.unsanitized
    def test_reconvergence_killed_and_resumed(self):
        self.FAMILY, self.WRONG = "reconvergence", ("--simt", "lagging,threads=1")
        self.killed_and_resumed(200)

    def killed_and_resumed(self, count):
        whole = self.campaign("whole.db", "--count", str(count))
        process = self.start("fuzz", self.FAMILY, *self.WRONG, *self.QUICK, "--db", "part.db",
                             "--count", str(count), "--jobs", "1", *SEED)
        self.wait_for("a batch", lambda: self.stored_runs("part.db"))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        there = self.stored_runs("part.db")
        self.assertTrue(1 < there < count, there)
        self.assertEqual(self.session("part.db"), [("0x5eed", count, 0)])
        run = self.fuzz("--resume", *Sessions.QUICK, "--db", "part.db", code=1)
        self.assertIn(f"; done before: {there}\n", run.out)
        self.assertEqual(self.failures(run), self.failures(whole))
        self.assertEqual(self.failures(run)[0], count)
        self.assertEqual(self.session("part.db"), [("0x5eed", count, 1)])
        self.assertEqual(self.kept("part.db"), self.kept("whole.db"))
        if self.FAMILY == "groups":
            self.assertEqual(self.coverage("part.db"), self.coverage("whole.db"))
        self.assertEqual(self.litmus("store", "check", "part.db").code, 0)

    def test_out_of_time_and_resumed(self):
        run = self.fuzz("--simt", "lockstep", "--count", "40000", "--time", SOON, *SEED, code=5)
        self.assertIn("resume: litmus fuzz groups --resume\n", run.out)
        before = self.stored_runs("litmus.db")
        # One that was behind a program that was stopped is run again.
        self.assertTrue(0 < before <= self.failures(run)[0], run)
        again = self.fuzz("--resume", "--time", SOON, code=5)
        self.assertIn(f"; done before: {before}\n", again.out)
        self.assertGreater(self.failures(again)[0], before)
        self.assertGreater(self.stored_runs("litmus.db"), before)
        self.assertEqual(len(self.session("litmus.db")), 1)

    def test_shards_are_the_whole(self):
        """Of 101 programs from 5 on, in eight subgroup sizes."""
        which = ("--index", "5", "--count", "101")
        whole = self.campaign("whole.db", *which)
        programs, stores = 0, []
        for part in range(3):
            stores.append(f"{part}.db")
            run = self.fuzz(*self.WRONG, *self.QUICK, *which, "--db", stores[-1], "--shard",
                            f"{part}/3", *SEED)
            programs += self.failures(run)[0]
        self.assertEqual(programs, 101)
        merged = self.litmus("merge", "-o", "some.db", *stores[:2])
        self.assertIn("not finished: missing 2", merged.out)
        self.litmus("merge", "-o", "all.db", *stores, code=0)
        self.assertEqual(self.session("all.db"), [("0x5eed", 101, 1)])
        self.assertEqual(self.kept("all.db"), self.kept("whole.db"))
        self.assertEqual(self.coverage("all.db"), self.coverage("whole.db"))
        again = self.fuzz("--resume", "-q", "--db", "all.db")
        self.assertEqual((again.code, self.failures(again)), (1, self.failures(whole)))
        # What the store names fails again.
        named = re.search(r"failed programs that the store names: (\S+) (\d+)", again.out)
        self.campaign("one.db", *self.arm(named[1]), "--index", named[2], "--count", "1")
        self.assert_one_line(self.fuzz("--resume", "--db", "some.db"), 2, "missing")

    def test_a_campaign_is_what_a_run_measures(self):
        self.FAMILY, self.WRONG = "reconvergence", ("--simt", "lagging,threads=1")
        self.campaign("fuzz.db", "--count", "104")
        self.litmus("run", "generated.reconvergence@steps=40*", "--thorough", *self.WRONG, "-n",
                    "13", "-q", "--db", "run.db", *SEED, code=1)
        self.assertEqual(self.kept("fuzz.db"), self.kept("run.db"))

    def test_what_makes_other_programs_is_in_the_name(self):
        self.campaign("litmus.db", "--count", "60", "--pressure", "58", "--depth", "3", "--rule",
                      "default", "-n", "3")
        size = "reconvergence=default@steps=40,depth=3,pressure=58,dispatches=3,shape=plain,subgroup="
        self.assertIn("generated.groups/" + size + "4", self.kept("litmus.db"))
        told = self.litmus("report").out
        command = re.search(r"reproduce: ((?:.*\\\n)*.*)", told)[1].replace("\\\n", " ")
        again = self.litmus(*command.split()[1:], "--db", "again.db")
        self.assertEqual((again.code, self.failures(again)), (1, (1, 1)), again)
        self.assertEqual(self.fuzz("--resume", "-q").code, 1)

    def test_a_crash_is_a_failed_program(self):
        run = self.fuzz("--simt", "faulty,subgroup=8,fault=crash,at=300", "--count", "40", "--jobs",
                        "1", *SEED)
        failed = self.failures(run)[1]
        entries = self.report()["results"]
        self.assertEqual(sum(entry["failed_runs"] for entry in entries), failed, run)
        self.assertEqual(sum(entry["runs"] for entry in entries), 40)
        where = [failure["where"] for entry in entries for failure in entry["failures"]]
        self.assertEqual(len(where), failed)
        for line in where:
            self.assertRegex(line, r"^program \d+: crash, ")

    def test_other_sessions_are_refused(self):
        """And passed over: each command goes on with what it began."""
        self.fuzz("--simt", "lockstep", "--count", "4", *SEED)
        self.assert_one_line(self.litmus("fuzz", "reconvergence", "--resume"), 2, "litmus.db",
                             "no campaign of litmus fuzz reconvergence")
        self.assert_one_line(self.litmus("run", "--resume"), 2, "no unfinished session")
        self.fuzz("--simt", "lockstep", "--count", "40000", "--time", SOON, *SEED)
        self.assert_one_line(self.litmus("run", "--resume"), 2, "no unfinished session")
        self.litmus("run", harness.ONE, "--simt", "lockstep", "-n", "1", "--db", "run.db", code=0)
        self.assert_one_line(self.litmus("fuzz", "groups", "--resume", "--db", "run.db"), 2,
                             "run.db", "no campaign of litmus fuzz groups")
        self.litmus("run", harness.ONE, "--simt", "lockstep", "-n", "1", code=0)
        self.assertIn("done before", self.fuzz("--resume", "--time", SOON).out)
        self.assert_one_line(self.litmus("fuzz", "groups", "--resume", "--db", "none.db"), 2,
                             "none.db")
        self.assertFalse(os.path.exists(self.path("none.db")))


class Ends(Fuzz):
    def test_interrupted_while_it_shrinks(self):
        process = self.start("fuzz", "reconvergence", "--simt", "peeling,subgroup=32", "--count",
                             "100000", "--keep", "100000", *SEED)
        since = time.monotonic()
        self.wait_for("a stored program", self.stored)
        process.send_signal(signal.SIGINT)
        run = self.finish(process, since)
        self.assert_ended_by(run, signal.SIGINT)
        self.assertIn("interrupted", run.out)
        self.assertGreater(self.failures(run)[1], 0)
        for path in self.stored():
            self.assertIn("OpFunctionEnd", harness.read(path))

    def test_a_device_that_lacks_the_rule(self):
        run = self.fuzz("--count", "3", "-n", "2", *SEED)
        if run.code == 0:
            self.skipTest("this driver has maximal reconvergence")
        self.assertEqual(run.code, 77, run)
        self.assertIn("VK_KHR_shader_maximal_reconvergence", run.out)

    def test_no_device(self):
        # A list of drivers that is empty would be none at all.
        nowhere = self.write("none.json", "{}")
        run = self.fuzz("--count", "1", drivers=[nowhere], code=77)
        self.assertIn("no Vulkan device", run.err)

    @harness.about_lavapipe
    def test_lavapipe(self):
        self.fuzz("--rule", "default", "--count", "8", "-n", "3", *SEED, code=0)

    def one_program(self, manifest, version, family, seed, index, rule, *more):
        """What becomes of one program on a version of Mesa that is known to be wrong there."""
        if not os.path.exists(manifest):
            self.skipTest(f"not installed: {manifest}")
        if version not in self.litmus("devices", drivers=[manifest]).out:
            self.skipTest(f"another version than {version}")
        return self.litmus("fuzz", family, "--rule", rule, "--seed", seed, "--index", index, "--count",
                           "1", *more, drivers=[manifest])

    @harness.about_lavapipe
    def test_a_finding_of_a_driver_without_code_is_known(self):
        """By what is left of the program, once nothing smaller fails."""
        run = self.one_program(harness.lavapipe(), "llvmpipe 22.3", "groups", "0x51", "0", "default",
                               "--shape", "vulkan")
        self.assertRegex(*self.groups(run), r"never written: .*\bvulkan$")
        self.assertEqual(run.out.count("\n    known: reports/findings/lavapipe-22.3.6-memory-barrier-waits.md\n"),
                         0 if "tries, incomplete" in run.out else 1, run)

    def test_usage(self):
        for arguments, *words in (
                ("", "missing family"), ("scan", "reconvergence", "groups"),
                ("groups reconvergence", "one family"),
                ("reconvergence --rule minimal", "--rule"), ("reconvergence --show", "--seed"),
                ("reconvergence --steps 65", "--steps"), ("reconvergence --depth 7", "--depth"),
                ("reconvergence --jobs 257", "--jobs"), ("reconvergence --cuont 1", "count"),
                ("reconvergence --simt snoping", "snooping"),
                ("reconvergence --pressure 4", "--pressure is not for reconvergence"),
                ("reconvergence --shape exits", "--shape is not for reconvergence"),
                ("groups --pressure 121", "--pressure"), ("groups --pressure -1", "--pressure"),
                ("groups --pressure ", "--pressure"), ("groups --shape round", "--shape"),
                ("groups --resume --seed 1", "--resume", "--seed"),
                ("groups --resume --count 1", "--resume", "--count"),
                ("groups --shard 0/2", "--seed"), ("groups --shard 2/2 --seed 1", "--shard", "2/2"),
                ("groups --show --seed 1 --db x", "--show", "--db"),
                ("memory --steps 8", "--steps is not for memory"),
                ("memory --replay x", "--replay is not for memory"),
                ("memory --resume -n 2", "--runs"), ("memory --show --index 99999999", "no test")):
            with self.subTest(arguments):
                arguments = arguments.split(" ") if arguments else ()
                self.assert_one_line(self.litmus("fuzz", *arguments), 2, *words)


class Memory(Fuzz):
    """Small tests of the memory model."""
    FAMILY = "memory"

    def counts(self, result):
        """Tests that ran, and failed, of each class, and of each form."""
        rows = re.findall(r"(?m)^  (\S.*?)  +(\S.*?)? +([\d,]+) +([\d,]+)$", result.out)
        return {(order, place): (int(run.replace(",", "")), int(failed.replace(",", "")))
                for order, place, run, failed in rows}

    def test_right_models_pass(self):
        for model in ("lockstep", "tangled"):
            with self.subTest(model):
                run = self.fuzz("--simt", model, "--count", "150", "-n", "2", "--db", model, *SEED,
                                code=0)
                counts = self.counts(run)
                self.assertEqual(sum(run for (_, place), (run, _) in counts.items() if place), 150)
                self.assertFalse([key for key, (_, failed) in counts.items() if failed], counts)

    @harness.unsanitized
    def test_a_model_without_order(self):
        """Each class fails that acquire, release or barriers order; what failed is kept."""
        run = self.fuzz("--simt", "relaxed", "--count", "450", "-n", "3", "-q", *SEED, code=1)
        counts = self.counts(run)
        for order in ("acquire, release", "memory barriers"):
            for place in ("workgroup", "the same, shared", "device"):
                self.assertGreater(counts[order, place][1], 0, run)
        for order in ("relaxed", "control barriers"):
            self.assertEqual(counts[order, "the same, shared"][1], 0, run)
        self.assertGreater(counts["address-again", ""][1], 0, run)
        files = sorted(glob.glob(self.path("fuzz-memory/fuzz-wx*-ss-*a.litmus")))
        self.assertTrue(files)
        self.litmus("run", files[0], "--simt", "relaxed", "--db", "again.db", "-n", "10", code=1)
        name = "litmus." + os.path.basename(files[0])[:-len(".litmus")]
        self.litmus("run", name, "--simt", "relaxed", "-n", "10", code=1)

    @harness.unsanitized
    def test_swapped_loads(self):
        """What a compiler did, too: of two loads of one location the second goes first."""
        run = self.fuzz("--simt", "miscompiling,load-order=1", "--count", "60", "-n", "40",
                        "--index", "376", "--keep", "1", *SEED, code=1)
        self.assertRegex(run.out, r"litmus\.fuzz-wx-rxrx-nn-wg-a: fail in .* P1:r0=1 P1:r1=0 \(")
        self.assertEqual(len(os.listdir(self.path("fuzz-memory"))), 1)

    def test_what_was_not_tried_comes_first(self):
        names = []
        for _ in range(2):
            self.fuzz("--simt", "lockstep", "--count", "20", "-n", "1", "-q", *SEED)
            table = self.litmus("report", "-f", "csv").out
            names.append(set(re.findall(r"litmus\.fuzz-[a-z-]+", table)))
        self.assertEqual([len(some) for some in names], [20, 20])
        self.assertFalse(names[0] & names[1])

    @harness.unsanitized
    def test_killed_and_resumed(self):
        """At several places: results, files and what is printed are those of one that was not."""
        asked = ("--simt", "relaxed,threads=1", "--count", "200", "-n", "2", *SEED)
        self.fuzz("--simt", "lockstep", "--count", "10", "-n", "1", "-q", "--db", "whole.db", *SEED)
        shutil.copy(self.path("whole.db"), self.path("part.db"))
        whole = self.fuzz(*asked, "-q", "--db", "whole.db", "--out", "whole")
        stored = "SELECT count(*) FROM result JOIN session ON session = session.id WHERE session.runs = 2"
        for place in (-1, 0, 50):
            how = asked if place < 0 else ("--resume",)
            process = self.start("fuzz", "memory", *how, "-q", "--db", "part.db", "--out", "part")
            self.wait_for("results", lambda: len(self.rows("SELECT * FROM session", "part.db")) > 1
                          and self.rows(stored, "part.db")[0][0] > place)
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            self.assertEqual(self.litmus("store", "check", "part.db").code, 0)
            self.assertEqual(self.litmus("run", "--resume", "--db", "part.db").code, 2)
        run = self.fuzz("--resume", "-q", "--db", "part.db", "--out", "part", code=1)
        plain = [re.sub(r"(?m)part/|whole/|^stored in .*(\n|\Z)(exit .*)?", "", one.out)
                 for one in (run, whole)]
        self.assertEqual(*plain)
        tables = [{entry["name"]: [entry[key] for key in (
            "result", "runs", "failed_runs", "outcomes", "failures", "seed", "spirv_sha256")]
            for entry in self.report(store)["results"]} for store in ("part.db", "whole.db")]
        self.assertEqual(*tables)
        # A kill may leave a file of another name, half written.
        files = [sorted(glob.glob("*.litmus", root_dir=self.path(folder)))
                 for folder in ("part", "whole")]
        self.assertEqual(*files)
        self.assertEqual(len(self.rows("SELECT 1 FROM session WHERE finished", "part.db")), 2)
        self.assert_one_line(self.fuzz("--resume", "--db", "part.db"), 2, "part.db", "unfinished")

    def test_until_told_to_stop(self):
        run = self.out_of_time("fuzz", "memory", "-n", "1", "-q", *SEED)
        self.assertTrue(self.counts(run), run)

    @harness.about_lavapipe
    def test_lavapipe(self):
        self.fuzz("--count", "10", "-n", "2", *SEED, code=0)

    def test_shown(self):
        shown = self.fuzz("--show", "--index", "376")
        self.assertRegex(shown.out, r"^VULKAN fuzz-rx-wxwx-nn-wg-a\n")
        with open(self.path("shown.litmus"), "w", encoding="utf-8") as file:
            file.write(shown.out)
        self.assertEqual(self.litmus("model", "shown.litmus").code, 0)


if __name__ == "__main__":
    harness.main()
