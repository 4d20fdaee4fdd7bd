#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The SIMT simulator leaves the same words in memory as lavapipe and SwiftShader do.

Runs kernels/. Every model that breaks no rule is compared with each driver of others that is
installed; where one is known to be wrong, KNOWN says how. Random programs are those of `litmus
fuzz groups`, whose results lavapipe and the simulator each have to agree with.
"""

import array
import fnmatch
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))

import harness  # noqa: E402

BUILD = os.path.join(harness.BUILD, "tests", "agree")
SIMT = os.path.join(harness.BUILD, "simt", "simt_icd.json")

POISON = 0xABADCAFE     # as agree.c has it; so are these
OUTPUT_WORDS = 65536

# Models that must be right, with what changes their schedule.
RIGHT = ("model=lockstep", "model=lockstep,threads=1,seed=2", "model=tangled,threads=1,seed=3",
         "model=tangled,seed=4")

# Part of the device's name | pattern of kernels | which of each invocation's words ("all": it is
# not run) | what the other driver does wrong: reduced to a few lines, where all the others agree.
KNOWN = (
    ("SwiftShader", "pointers", "all",
     "it crashes where a pointer into a buffer is kept in a variable from one block to another"),
    ("Mesa 25.0.7", "pointers", (1,),
     "after a loop whose number of iterations is a constant, a pointer in a variable is the one of"
     " the iteration before the last"),
)


def known(device, kernel):
    for part, pattern, words, _ in KNOWN:
        if part in device and fnmatch.fnmatch(kernel, pattern):
            return words
    return ()


def words_per_invocation(kernel):
    with open(os.path.join(HERE, "kernels", kernel + ".comp")) as file:
        return int(re.search(r"#define WORDS (\d+)", file.read())[1])


class Run:
    """What one driver made of the modules."""

    def __init__(self, device, subgroup, ran, skipped, words):
        self.device, self.subgroup = device, subgroup
        self.ran, self.skipped, self.words = ran, skipped, words


@harness.unsanitized
class Agree(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.modules = {name[:-4]: os.path.join(BUILD, name) for name in sorted(os.listdir(BUILD))
                       if name.endswith(".spv")}
        if not cls.modules:
            raise AssertionError(f"no kernels in {BUILD}")
        cls.runs = {}

    def simt(self, settings):
        """The SIMT simulator's run with these settings, made once."""
        if settings not in self.runs:
            self.runs[settings] = self.run_driver(SIMT, settings)
        return self.runs[settings]

    def run_driver(self, manifest, settings=None, without=(), only=None):
        folder = self.path("words")
        os.makedirs(folder, exist_ok=True)
        files = [path for name, path in self.modules.items()
                 if name not in without and (only is None or name in only)]
        done = subprocess.run([os.path.join(BUILD, "agree"), folder, *files],
                              env=self.environment(drivers=[manifest], LITMUS_SIMT=settings),
                              capture_output=True, text=True, errors="replace", check=False,
                              timeout=240 * harness.SLOW)
        if done.returncode == 77:
            self.skipTest(done.stderr.strip())
        told = re.findall(r"^(ran|skip|subgroup|device) ([^:\n]*)", done.stdout, re.M)
        ran = [name for what, name in told if what == "ran"]
        self.assertEqual(done.returncode, 0, f"{manifest} with {settings} after "
                         f"{ran[-1:]}: {done.stderr.strip()}")
        words = {}
        for name in ran:
            words[name] = array.array("I")
            path = os.path.join(folder, name + ".words")
            with open(path, "rb") as file:
                words[name].frombytes(file.read())
            os.remove(path)
        first = dict(reversed(told))
        return Run(first["device"], int(first["subgroup"]), ran,
                   [name for what, name in told if what == "skip"], words)

    def differences(self, other, mine):
        """Lines that name kernel, word and both values, for the first words of each kernel."""
        lines = []
        for name in other.ran:
            theirs, ours, size = other.words[name], mine.words[name], words_per_invocation(name)
            skipped = known(other.device, name)
            if theirs == ours:
                continue
            found = [at for at in range(len(theirs)) if theirs[at] != ours[at]
                     and not (at < OUTPUT_WORDS and at % size in skipped)]
            for at in found[:3]:
                where = f"output {at}: invocation {at // size}, its word {at % size}" \
                    if at < OUTPUT_WORDS else f"state {at - OUTPUT_WORDS}"
                lines.append(f"{name}: {where}: {theirs[at]:#010x} by {other.device}, "
                             f"{ours[at]:#010x} by {mine.device}")
            if len(found) > 3:
                lines.append(f"{name}: {len(found)} words differ")
        return lines

    def assert_written(self, run):
        """The kernels did write: every invocation its words, and nothing behind them."""
        for name in run.ran:
            output, size = run.words[name][:OUTPUT_WORDS], words_per_invocation(name)
            written = output.index(POISON)
            self.assertEqual(written % size, 0, f"{name}: an invocation wrote part of its words")
            self.assertGreaterEqual(written, 500 * size, name)
            self.assertEqual(output.count(POISON), OUTPUT_WORDS - written, name)

    def compare(self, manifest, may_lack=0):
        """With every right model; the other driver may be unable to run so many of the kernels."""
        device = self.run_driver(manifest, only=("grid",)).device
        crashes = [name for name in self.modules if known(device, name) == "all"]
        other = self.run_driver(manifest, without=crashes)
        self.assertGreaterEqual(len(other.ran), len(self.modules) - len(crashes) - may_lack,
                                other.skipped)
        self.assert_written(other)
        for settings in RIGHT:
            with self.subTest(settings=settings):
                mine = self.simt(f"{settings},subgroup={other.subgroup}")
                self.assertEqual((mine.subgroup, mine.skipped), (other.subgroup, []))
                self.assert_same(other, mine)

    def assert_same(self, other, mine):
        lines = self.differences(other, mine)
        if lines:
            self.fail("\n".join(["the drivers disagree"] + lines))

    def test_lavapipe(self):
        self.compare(harness.lavapipe())

    @harness.full
    def test_second_lavapipe(self):
        manifest = harness.SECOND_LAVAPIPE
        if not os.path.exists(manifest) or manifest == harness.lavapipe():
            self.skipTest("no second lavapipe is installed")
        self.compare(manifest)

    def test_swiftshader(self):
        if not os.path.exists(harness.SWIFTSHADER):
            self.skipTest("no SwiftShader is installed")
        # It has neither integers of other sizes than 32 bits nor doubles nor halves.
        self.compare(harness.SWIFTSHADER, 5)

    def test_a_wrong_driver_is_noticed(self):
        right = self.simt("model=lockstep,subgroup=8")
        self.assert_written(right)
        self.assertEqual(self.differences(right, right), [])
        # A wrong address is an access out of bounds, and the device is lost.
        lost = ("addresses", "pointers")
        wrong = self.run_driver(SIMT, "model=faulty,fault=wrong,rate=0.01,subgroup=8", without=lost)
        ran = [name for name in right.ran if name not in lost]
        right = Run(right.device, right.subgroup, ran, [], right.words)
        lines = self.differences(right, wrong)
        self.assertEqual({line.split(":")[0] for line in lines}, set(self.modules) - set(lost))
        self.assertRegex(lines[0], r"^atomics: \w+ \d+.*: 0x\w{8} by .*, 0x\w{8} by .*model faulty")
        with self.assertRaisesRegex(AssertionError, "the drivers disagree\natomics: "):
            self.assert_same(right, wrong)

    def test_another_subgroup_size_is_noticed(self):
        runs = [self.run_driver(SIMT, f"subgroup={size}", only=self.modules) for size in (8, 16)]
        noticed = {line.split(":")[0] for line in self.differences(*runs)}
        self.assertEqual(noticed, {"subgroups"})


harness.main(__name__)
