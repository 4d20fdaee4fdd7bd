# SPDX-License-Identifier: Apache-2.0
"""Every family, few runs each, on every driver of this machine: nothing forbidden is seen but what
reports/findings/ has. A driver that is not installed is skipped."""

import fnmatch
import glob
import os
import re
import shutil

import harness

RADV = (
    "broadcast.id/read=shuffle-dynamic*subgroup=64*",
    "cases.radv-shuffle-index/*bits=8,*subgroup=64*",
    "cases.radv-shuffle-index/*bits=16,*subgroup=64*",
    "reconvergence.switch-in-switch/*early=yes@*",
)

# What a version of Mesa is known to do wrong, the first that fits, and where a busy machine makes
# bounded waits run out.
KNOWN = {
    "radv Mesa 25.": (*RADV, "cases.offload-test-suite-584/index=own,*"),
    "radv": (*RADV, "cases.radv-ballot-behind-break/*value=not,place=behind,*"),
    "Mesa 22.": (
        "barrier.long-loop/*",
        "barrier.memory-is-no-rendezvous/*",
        "cases.mesa-deep-selections/depth=128*",
        "generated.groups@*",
        "lookback.levien-*",
        "lookback.order/*",
        "lookback.scan/*",
        "loop.carried/*exit=break*",
        "memory.write-after-read/between=rendezvous*",
        "progress.*",
        "reconvergence.never-true/*",
        "*.shapes/*shape=7x13*",
        "*.shapes/*shape=5x1x3*",
    ),
    "Mesa 2": (
        "*sync=control-*",
        "barrier.subgroup-in-branch/*",
        "cases.mesa-deep-selections/depth=128*",
        "generated.*",
        "lookback.levien-*",
        "lookback.order/*",
        "lookback.scan/*",
        "loop.trips/trips=subgroup,*sync=control,*",
        "reconvergence.switch-in-switch/*target=continue,early=yes*",
    ),
    "SwiftShader": (
        "generated.groups@*",
        "loop.carried/*exit=break*",
        "lookback.levien-*",
        "lookback.order/*",
        "lookback.scan/*",
    ),
}

# Families of what few devices offer.
OPTIONAL = {"matrix"}

# Seven operations in one shader, or 400 loads: lavapipe compiles them for half a minute.
SLOW = ("!shuffle.scan-loop/*op=seven*", "!shuffle.operations/*pressure=registers*")


# Of the emulated GPU, one configuration each of so many tests.
EMULATED = 40


@harness.about_lavapipe
class Drivers(harness.Case):
    def chosen(self, most=None):
        """What is run, and its families: of a sample, or when that is slow, one configuration of
        each test, or of `most` that the commit draws."""
        names = self.litmus("list", "--names", "*", *SLOW).out.split()
        families = {name.split(".")[0] for name in names}
        if harness.SLOW == 1 and not harness.SAMPLE:
            return ["*", *SLOW], families
        first = {re.match("[^/@]+", name).group(): name for name in reversed(names)}
        names = list(first.values())
        if most:
            names, families = harness.drawn("emulated").sample(names, most), set()
        return [f"{name}*" for name in names], families

    def all_families(self, manifest, runs, *options, most=None):
        if not os.path.exists(manifest):
            self.skipTest(f"not installed: {manifest}")
        names, families = self.chosen(most)
        run = self.litmus("run", *names, "-n", runs, "-q", "--seed", "1", *options,
                          drivers=[manifest], timeout=1500)
        self.assert_clean(run)
        report = self.report()
        driver = report["devices"][0]["driver"]
        itself = f"{driver['name']} {driver['info']}"
        known = next((patterns for prefix, patterns in KNOWN.items()
                      if driver["info"].startswith(prefix) or itself.startswith(prefix)), ())
        crashes = harness.known_crashes(itself) if driver["name"] != "radv" else ()
        bad = [entry for entry in report["results"] if entry["result"] not in ("pass", "skip")]
        news = [(entry["name"], entry["result"], entry["reason"], entry["outcomes"])
                for entry in bad if not self.is_known(entry, known)
                and not self.is_crash(entry, crashes)]
        self.assertEqual(news, [])
        self.assertEqual(report["devices"][0]["checker"], "device")
        ran = {entry["family"] for entry in report["results"] if entry["runs"]}
        self.assertEqual(ran - OPTIONAL, (families or ran) - OPTIONAL)
        self.assertEqual(run.code, report["summary"]["exit"]["code"], run)
        if not bad:
            self.assertEqual(run.code, 0, run)

    def is_crash(self, entry, crashes):
        return (entry["result"] == "crash"
                and any(fnmatch.fnmatchcase(entry["name"], pattern) for pattern in crashes))

    def is_known(self, entry, known):
        """Failures, and waits that ran out: never a hang or an error of the harness."""
        if entry["family"] == "progress" and entry["result"] == "no-progress":
            return True  # an answer to the question
        return (entry["result"] in ("fail", "no-progress")
                and (entry["expectation"] == "control"
                     or any(fnmatch.fnmatchcase(entry["name"], pattern) for pattern in known)))

    def test_system_lavapipe(self):
        self.all_families(harness.lavapipe(), "3")

    test_second_lavapipe = harness.case("all_families", harness.SECOND_LAVAPIPE, "2")
    test_swiftshader = harness.case("all_families", harness.SWIFTSHADER, "3")

    def radv(self):
        """RADV for --emulate: beside the shim, an installed one or that of tools/setup."""
        manifest = (glob.glob("/usr/share/vulkan/icd.d/radeon_icd*.json") or [harness.SIMT])[0]
        asked = self.litmus("devices", "--emulate", "navi21", drivers=[manifest])
        if "is not installed" in asked.err:
            self.skipTest(asked.err.strip())
        self.assertEqual(asked.code, 0, asked)
        return manifest

    # The emulated GPU is preloaded, before the runtime of sanitizers.
    @harness.never_sanitized
    def test_emulated(self):
        self.all_families(self.radv(), "1", "--emulate", "navi21", "--timeout", "600",
                          most=EMULATED)

    @harness.never_sanitized
    def test_emulated_elsewhere(self):
        """A copy without what it needs, then in a folder that LD_PRELOAD cannot name."""
        manifest = self.radv()
        for name in ("harness/litmus", "rdna/librdna.so"):
            copy = self.path("a b/" + name)
            os.makedirs(os.path.dirname(copy))
            shutil.copy(os.path.join(harness.BUILD, name), copy)
            self.program = self.path("a b/harness/litmus")
            run = self.litmus("devices", "--emulate", "navi21", drivers=[manifest])
            self.assert_one_line(run, 2, "--emulate: ")
            if not os.path.exists(self.path(".sdk")):
                self.assertIn("installed", run.err)
                os.symlink(os.path.join(harness.SOURCE, ".sdk"), self.path(".sdk"))
        self.assertIn("a space", run.err)

    @harness.never_sanitized
    def test_emulated_programs(self):
        """A campaign goes on behind a program that is not emulated, and does not count it."""
        manifest = self.radv()
        for options in (("--emulate", "navi21,steps=1500", "--count", "20", "-n", "1", "--seed", "7"),
                        ("--resume",)):
            run = self.litmus("fuzz", "reconvergence", "-q", *options, drivers=[manifest], code=0)
            with self.subTest(options=options):
                self.assertRegex(run.out, r"maximal +5 +160 +0 +< 0.53 ")

    @harness.never_sanitized
    def test_emulated_causes(self):
        """What a failure is about is found by a run where neither waits nor caches matter."""
        manifest = self.radv()
        self.write("late.comp", harness.kernel("late.comp"))
        for word, timing, about in (("1", "late", "its waits or caches: it passes"),
                                    ("2", "late", "what the code computes: it fails"),
                                    ("2", "prompt", "what the code computes: it fails")):
            with self.subTest(word=word, timing=timing):
                self.write("want.words", (word + "\n") * 4096)
                run = self.litmus(
                    "kernel", "late.comp", "--groups", "64", "--buffer", "0.0=zero:16K", "--buffer",
                    "0.1=zero:16K", "--push", "0", "--then", "64:1", "--expect", "0.1=want.words",
                    "--subgroup", "64", "run", "--emulate", "navi21,timing=" + timing, "-n", "10",
                    "--seed", "1", "--timeout", "600", drivers=[manifest], code=1)
                self.assertIn(f"about {about} with timing=prompt,caches=coherent",
                              " ".join(run.out.split()))


harness.main(__name__)
