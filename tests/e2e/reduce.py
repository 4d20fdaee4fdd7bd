# SPDX-License-Identifier: Apache-2.0
"""litmus reduce: planted faults come down to little, right kernels are no failures, what is
undefined does not come in, and a reduction goes on where it was."""

import os
import re
import shlex
import shutil
import signal
import time
import unittest

import amber
import harness

PREDICATE = ("--simt", "miscompiling,predicate=1")

HEAD, TAIL = harness.kernel("reduction.spvasm").split("GROUP\n")
GROUP = "      %total = OpGroupNonUniformIAdd %uint %c3 Reduce %word\n"
BARRIER = "OpControlBarrier %c2 %c2 %mem"
SEVERAL = harness.kernel("several.comp")
SEVERAL_OPTIONS = ("--groups=2", "--push=1,2", "--then=1:3,4", "--then=2:1,2", "--spec=4=0x500000000",
                   "--spec=5=3", "--buffer=0.0=iota:32K", "--buffer=1.3[0]=zero:256", "--buffer=1.3[1]=256",
                   "--buffer=0.2=u32:9,0,0,0", "--allow=1.3[1]=bits:ffff", "--allow=1.3[0]=words:0-40",
                   "--subgroup=16", "--full-subgroups", "--expect=agree")
# 200 values live at once before the reduction and stored after it.
LIVE = 200


def kernel(tail=TAIL, barrier=BARRIER, live=0):
    values = "".join("      %%a%d = OpIAdd %%uint %%%s %%at\n"
                     "      %%b%d = OpBitwiseXor %%uint %%a%d %%word\n"
                     % (n, "word" if n == 0 else "b%d" % (n - 1), n, n) for n in range(live))
    uses = "".join("      %%s%d = OpIAdd %%uint %%%s %%b%d\n"
                   % (n, "total0" if n == 0 else "s%d" % (n - 1), n) for n in range(live))
    text = HEAD.replace("BARRIER", barrier)
    if not live:
        return text + GROUP + tail
    group = GROUP.replace("%total ", "%total0 ")
    return text + values + group + uses + \
        "      %%total = OpIAdd %%uint %%s%d %%c1\n" % (live - 1) + tail


@harness.unsanitized
class Reduce(harness.Case):
    def tools(self, *more):
        """A PATH with few of the SPIR-V tools: where spirv-reduce is, it takes most of the time."""
        os.makedirs(self.path("tools"), exist_ok=True)
        for name in ("spirv-as", "spirv-val", "spirv-dis") + more:
            found, script = shutil.which(name), self.path("tools/" + name)
            if found and not os.path.exists(script):
                with open(script, "w") as file:
                    file.write('#!/bin/sh\nexec %s "$@"\n' % shlex.quote(found))
                os.chmod(script, 0o755)
        for name in {"spirv-opt", "spirv-reduce"}.difference(more):
            with open(self.path("tools/" + name), "w") as file:
                file.write("#!/bin/sh\nexit 127\n")  # as where it is not installed
            os.chmod(self.path("tools/" + name), 0o755)
        return self.path("tools") + ":/usr/bin:/bin"

    def environment(self, *arguments, **more):
        more.setdefault("PATH", self.tools())
        more.setdefault("VULKAN_SDK", self.folder)  # not the checkout's tools
        return super().environment(*arguments, **more)

    def setUp(self):
        super().setUp()
        if not os.path.exists(harness.SIMT):
            raise unittest.SkipTest("the SIMT simulator is not built")

    def write(self, text, name="big.spvasm"):
        with open(self.path(name), "w") as file:
            file.write(text)
        return name

    def reduce(self, file, *more, expect=("--expect", "agree"), **environment):
        return self.litmus("kernel", file, "--groups", "4", "--buffer", "0.0=random:1K", "--buffer",
                           "0.1=1K", *expect, "reduce", "--jobs", "2", "-o", "out", *more,
                           **environment)

    def body(self, run):
        """Instructions in the functions of the result, and of what there was."""
        found = re.search(r"(?m)^  (\d+) of (\d+) instructions in its functions", run.out)
        self.assertTrue(found, run)
        return tuple(int(number) for number in found.groups())

    def result(self, name="big-reduced.amber"):
        return os.path.join("out", name)


class Faults(Reduce):
    def check_result(self):
        """What is written fails there, holds on a right device, and does nothing undefined."""
        self.litmus("kernel", self.result(), "-n", "20", "--db", "again.db", *PREDICATE, code=1)
        self.litmus("kernel", self.result(), "-n", "20", "--db", "right.db", "--simt",
                    "tangled", code=0)
        self.litmus("kernel", self.result(), "--check", code=0)

    def test_planted(self):
        run = self.reduce(self.write(kernel()), *PREDICATE)
        self.assertEqual(run.code, 0, run)
        self.assertIn("fail: wrong in ", run.out)
        after, before = self.body(run)
        self.assertEqual(before, 35, run)
        self.assertLessEqual(after, 8, run)
        text = self.read(self.result())
        amber.Script(text, self.path("out"))
        # Names stay, what is not needed goes.
        self.assert_all_in(text, 'OpName %total "total"', "OpGroupNonUniformIAdd")
        self.assertNotIn("OpControlBarrier", text)
        self.assertNotIn("OpLoopMerge", text)
        self.assertTrue(os.path.exists(self.path("out/bundle/repro.c")), run)
        self.check_result()

    @unittest.skipUnless(shutil.which("glslang") or shutil.which("glslangValidator"), "needs glslang")
    def test_script(self):
        """A script has all that options say: it fails and holds as the kernel did, and is reduced."""
        self.write(SEVERAL, "several.comp")
        faulty = ("--simt", "faulty,fault=wrong,rate=0.001")
        run = self.litmus("kernel", "several.comp", *SEVERAL_OPTIONS, "reduce", *faulty, "--time", "3s",
                          "--jobs", "1", "-o", "out", PATH=os.environ["PATH"])
        self.assertIn(run.code, (0, 5), run)
        script = self.result("several-reduced.amber")
        for model, code in (faulty[1], 1), ("lockstep", 0), ("tangled", 0):
            self.litmus("kernel", script, "--simt", model, "-n", "200", "--db", "again.db", code=code)
        again = self.litmus("kernel", script, "reduce", *faulty, "--time", "2s", "--jobs", "1", "-o", "again")
        self.assertIn(again.code, (0, 5), again)

    def test_variable(self):
        """Stores to a variable that is still loaded stay."""
        text = kernel().replace("%entry = OpLabel\n", "%entry = OpLabel\n%kept = OpVariable %pf Function\n")
        text = text.replace("%pi = ", "%pf = OpTypePointer Function %uint\n         %pi = ")
        text = text.replace(GROUP, "OpStore %kept %word\n%again = OpLoad %uint %kept\n" +
                            GROUP.replace("%word", "%again"))
        run = self.reduce(self.write(text), *PREDICATE)
        self.assertEqual(run.code, 0, run)
        self.assertLessEqual(self.body(run)[0], 12, run)
        self.check_result()
        # What would be smaller still, with the store taken out of the kernel, is refused.
        self.write(text.replace("OpStore %kept %word\n", ""), "unstored.spvasm")
        options = ("--groups", "4", "--buffer", "0.0=random:1K", "--buffer", "0.1=1K")
        check = self.litmus("kernel", "unstored.spvasm", *options, "--check")
        self.assertRegex(check.out, r"uninitialised read: 4 bytes of variable %\w+, 256 times, first")

    def test_many_live_values(self):
        run = self.reduce(self.write(kernel(live=LIVE)), *PREDICATE)
        self.assertEqual(run.code, 0, run)
        after, before = self.body(run)
        self.assertGreater(before, 3 * LIVE)
        self.assertLessEqual(after, 80, run)
        self.check_result()

    def test_rare(self):
        """The rate stays: a failure in one of ten runs is none in one of a thousand."""
        run = self.reduce(self.write(kernel()), "--simt", "faulty,fault=wrong,rate=0.0005", "-n",
                          "400")
        self.assertEqual(run.code, 0, run)
        rate = re.search(r"(\d+) of (\d+) runs", run.out)
        before = int(rate.group(1)) / int(rate.group(2))
        again = self.litmus("kernel", self.result(), "-n", "2000", "--db", "again.db", "--simt",
                            "faulty,fault=wrong,rate=0.0005")
        failed = re.search(r"([\d,]+) of 2,000 runs failed", again.out)
        self.assertTrue(failed, again)
        self.assertGreater(int(failed.group(1).replace(",", "")) / 2000, 0.05 * before)

    def test_crash(self):
        run = self.reduce(self.write(kernel()), "--simt", "faulty,fault=crash", "--time", "10m")
        self.assertEqual(run.code, 0, run)
        self.assertRegex(run.out, r"crash: worker died: signal \d+ .* in \d+ of \d+ tries")
        self.assertLessEqual(self.body(run)[0], 3, run)


class Tests(Reduce):
    """Configurations of the catalogue, and generated programs."""

    def again(self, *simt):
        files = [name for name in os.listdir(self.path("out")) if name.endswith("-reduced.amber")]
        self.assertEqual(len(files), 1)
        return self.litmus("kernel", os.path.join("out", files[0]), "-n", "20", "--db", "again.db",
                           "--simt", *simt)

    def test_configuration(self):
        run = self.litmus("reduce", "scan.workgroup/mode=inclusive,operation=emulated,items=1,"
                          "sync=none,totals=first,reconvergence=default,pressure=none"
                          "@workgroup=64,subgroup=32", "--jobs", "2", "-o", "out", *PREDICATE,
                          code=0)
        after, before = self.body(run)
        self.assertGreater(before, 60)
        self.assertLessEqual(after, 12, run)
        self.assertEqual(self.again(PREDICATE[1]).code, 1)
        self.assertEqual(self.again("tangled").code, 0)

    def test_generated(self):
        """Of masks only what all right schedules agree on counts."""
        self.litmus("fuzz", "reconvergence", "--simt", "lagging", "--rule", "default",
                    "--count", "10", "--seed", "1", "--keep", "1", "--out", "found", code=1)
        file = os.path.join("found", os.listdir(self.path("found"))[0])
        run = self.litmus("reduce", file, "--simt", "lagging", "--jobs", "2", "-o", "out",
                          "--time", "5m", code=0)
        after, before = self.body(run)
        self.assertLess(after, before, run)
        self.assertEqual(self.again("lagging").code, 1)
        self.assertEqual(self.again("tangled").code, 0)


@harness.sanitized
class NoFailure(Reduce):
    def check_refused(self, run, code, what):
        self.assertEqual(run.code, code, run)
        self.assertIn(what, run.err)
        self.assertFalse(os.path.exists(self.path(self.result())), run)

    def test_right(self):
        run = self.reduce(self.write(kernel()), "-n", "20", "--simt", "tangled")
        self.check_refused(run, 3, "it did not fail in 20 runs")

    def test_wrong_expectation(self):
        with open(self.path("zero.words"), "w") as file:
            file.write("0 " * 256)
        run = self.reduce(self.write(kernel()), "--simt", "lockstep", "-n", "20",
                          expect=("--expect", "0.1=zero.words"))
        self.check_refused(run, 3, "it did not fail")

    def test_unspecified(self):
        """A race: whatever is stored, nobody has promised anything else."""
        racy = self.write(kernel(barrier=""))
        run = self.reduce(racy, *PREDICATE)
        self.check_refused(run, 3, "is not reduced: this kernel has a data race")
        # What the session of a run has of it says it as well.
        self.litmus("kernel", racy, "--groups", "4", "--buffer", "0.0=random:1K", "--buffer",
                    "0.1=1K", "--expect", "agree", "run", "-n", "1", *PREDICATE)
        run = self.litmus("reduce", "kernel.big", "-o", "out", *PREDICATE)
        self.check_refused(run, 3, "is not reduced: this kernel has a data race")
        run = self.reduce(racy, *PREDICATE, expect=("--expect", "agree", "--unchecked"))
        self.check_refused(run, 3, "the right result is unknown")

    def test_bad_usage(self):
        for arguments, what in (((), "missing configuration"),
                                (("nothing.at-all",), "nothing.at-all"),
                                (("nothing.spvasm",), "nothing.spvasm"),
                                (("shuffle.scan-loop", "loop.trips"), "only one"),
                                (("--part", "1.5", "x"), "--part"),
                                (("--jobs", "1000", "shuffle.scan-loop"), "--jobs")):
            with self.subTest(arguments=arguments):
                run = self.litmus("reduce", *arguments, code=2)
                self.assertEqual(run.err.count("\n"), 1, run)
                self.assertIn(what, run.err)


    def test_any_bytes(self):
        """As a file, and as a kernel."""
        for name, content in (("zero.spvasm", b""), ("nul.spvasm", b"; litmus x\0\n"),
                              ("big.spvasm", HEAD.encode()), ("head.spvasm", b"; litmus a.b\n")):
            with self.subTest(name=name):
                with open(self.path(name), "wb") as file:
                    file.write(content)
                for run in (self.litmus("reduce", name, "--simt", "lockstep"),
                            self.litmus("kernel", name, "--groups", "1", "reduce")):
                    self.assertEqual(run.code, 2, run)
                    self.assertEqual(run.err.count("\n"), 1, run)


class SpirvReduce(Reduce):
    """A program in the place of spirv-reduce, that never ends: it does not outlive litmus."""

    sets_clock = True

    def start_reducing(self, loop, *more):
        os.mkdir(self.path("bin"))
        with open(self.path("bin/spirv-reduce"), "w") as file:
            file.write("#!/bin/sh\n[ \"$1\" = --version ] && exit 0\necho $$ >%s\n"
                       "for ask; do :; done\n%s\n" % (self.path("pid"), loop))
        os.chmod(self.path("bin/spirv-reduce"), 0o755)
        return self.start("kernel", self.write(kernel()), "--groups", "4", "--buffer",
                          "0.0=random:1K", "--buffer", "0.1=1K", "--expect", "agree", "reduce",
                          *PREDICATE, "--jobs", "2", "-o", "out", *more,
                          PATH=self.path("bin") + ":" + self.tools())

    def process(self):
        def read():
            try:
                return int(self.read("pid") or 0)
            except OSError:
                return 0
        return self.wait_for("spirv-reduce", read)

    def check_gone(self, pid):
        def gone():
            try:
                return harness.read("/proc/%d/stat" % pid).split()[2] == "Z"
            except OSError:
                return True
        self.wait_for("the end of spirv-reduce", gone, 10)

    def test_killed(self):
        for number, loop in enumerate(("sleep 600", 'while :; do "$ask" "$1"; done')):
            with self.subTest(loop=loop):
                running = self.start_reducing(loop)
                pid = self.process()
                running.kill()
                running.wait()
                self.check_gone(pid)
                for name in ("bin", "out", "pid"):
                    os.rename(self.path(name), self.path("%s-%d" % (name, number)))

    def test_time(self):
        began = time.monotonic()
        running = self.start_reducing("sleep 600", "--time", "25s")
        pid = self.process()
        run = self.finish_in_time(running, began)
        self.assertEqual(run.code, 5, run)
        self.check_gone(pid)
        self.assertTrue(os.path.exists(self.path(self.result())), run)

    def test_signal(self):
        running = self.start_reducing("sleep 600")
        pid = self.process()
        running.terminate()
        run = self.finish(running, time.monotonic(), timeout=300)
        self.assertNotEqual(run.code, 0, run)
        self.check_gone(pid)

    def test_answers(self):
        """It is told what fails: the module that was reached, and not one that is cut off."""
        script = ('"$ask" "$1" && echo "whole $?" >>%s\nhead -c 40 "$1" >"$1.cut"\n'
                  '"$ask" "$1.cut" || echo "cut $?" >>%s' % (2 * (self.path("said"),)))
        running = self.start_reducing(script)
        run = self.finish(running, time.monotonic())
        self.assertEqual(run.code, 0, run)
        self.assertEqual(self.read("said"), "whole 0\ncut 1\n")


class SpirvOpt(Reduce):
    def test_locals(self):
        """What goes through local variables is values and phis then, which no pass here makes."""
        if not shutil.which("spirv-opt"):
            self.skipTest("needs spirv-opt")
        through = ("               OpStore %keep %total\n"
                   "       %kept = OpLoad %uint %keep\n")
        text = kernel().replace("      %entry = OpLabel\n", "      %entry = OpLabel\n"
                                "       %keep = OpVariable %pf Function\n")
        text = text.replace("         %pi = ", "         %pf = OpTypePointer Function %uint\n         %pi = ")
        text = text.replace(GROUP, GROUP + through).replace("%chosen %total", "%chosen %kept")
        self.assertIn("%chosen %kept", text)
        result = self.reduce(self.write(text), *PREDICATE, PATH=self.tools("spirv-opt"))
        self.assertEqual(result.code, 0, result)
        self.assertNotIn(" Function\n", self.read(self.result()))

    def test_asked(self):
        """It is asked for some of its passes at a time, and what it makes is tried."""
        os.mkdir(self.path("bin"))
        with open(self.path("bin/spirv-opt"), "w") as file:
            file.write('#!/bin/sh\n[ "$1" = --version ] && exit 0\ncp "$1" "$3"\n'
                       'shift 3; echo "$*" >>%s\n' % self.path("asked"))
        os.chmod(self.path("bin/spirv-opt"), 0o755)
        result = self.reduce(self.write(kernel()), *PREDICATE,
                             PATH=self.path("bin") + ":" + self.tools())
        self.assertEqual(result.code, 0, result)
        asked = self.read("asked")
        self.assertIn("--ssa-rewrite --eliminate-dead-code-aggressive\n", asked)


class Resume(Reduce):
    def test_goes_on(self):
        file = self.write(kernel(live=40))
        first = self.reduce(file, *PREDICATE, "--time", "3s")
        self.assertIn(first.code, (0, 5), first)
        known = os.path.join(self.path("out"), "refused")
        before = harness.read(known)
        second = self.reduce(file, *PREDICATE)
        self.assertEqual(second.code, 0, second)
        self.assertIn("goes on with what was reached in out", second.out)
        self.assertLessEqual(self.body(second)[0], 8)
        self.assertTrue(harness.read(known).startswith(before))
        # Now all is known: nothing is tried again but by spirv-reduce.
        third = self.reduce(file, *PREDICATE)
        self.assertEqual(self.body(third)[0], self.body(second)[0])

    def test_elsewhere(self):
        """Killed, and copied with the kernel, or with the store that knows it."""
        file = self.write(kernel(live=40))
        self.litmus("kernel", file, "--groups", "4", "--buffer", "0.0=random:1K", "--buffer",
                    "0.1=1K", "--expect", "agree", "-n", "20", "-q", *PREDICATE, code=1)
        process = self.start("reduce", "kernel.big", "--jobs", "2", "-o", "out", *PREDICATE)
        self.wait_for("something that is reached",
                      lambda: os.path.exists(self.path("out/reached.package")))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        os.makedirs(self.path("other/place"))
        shutil.copytree(self.path("out"), self.path("other/place/copied"))
        shutil.copy(self.path("litmus.db"), self.path("other"))
        shutil.copy(self.path(file), self.path("other/place"))
        shutil.rmtree(self.path("out"))
        first = self.litmus("reduce", "kernel.big", "-o", "place/copied", "--time", "3s",
                            *PREDICATE, cwd=self.path("other"))
        self.assertIn(first.code, (0, 5), first)
        self.assertIn("goes on with what was reached in place/copied", first.out)
        shutil.copytree(self.path("other/place/copied"), self.path("out"))
        os.rename(self.path("other/place/big.spvasm"), self.path(file))
        second = self.reduce(file, *PREDICATE)
        self.assertEqual(second.code, 0, second)
        self.assertIn("goes on with what was reached in out", second.out)
        self.assertLessEqual(self.body(second)[0], 8)

    def test_of_something_else(self):
        self.reduce(self.write(kernel()), *PREDICATE, "--time", "2s")
        other = self.reduce(self.write(kernel(live=1)), *PREDICATE)
        self.assertEqual(other.code, 2, other)
        self.assertIn("holds the reduction of something else", other.err)

    def test_damage(self):
        file = self.write(kernel())
        self.reduce(file, *PREDICATE, "--time", "2s")
        with open(self.path("out/reached.package"), "wb") as state:
            state.write(b"\0" * 100)
        run = self.reduce(file, *PREDICATE)
        self.assertEqual(run.code, 2, run)
        self.assertEqual(run.err.count("\n"), 1, run)


harness.main(__name__)
