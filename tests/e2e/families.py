# SPDX-License-Identifier: Apache-2.0
"""Every family, few runs each, on every driver of this machine: nothing forbidden is seen but what
reports/findings/ has. A driver that is not installed is skipped."""

import fnmatch
import os
import re

import harness
from harness import Case

# What a version of Mesa is known to do wrong, the first that fits, and where a busy machine makes
# bounded waits run out.
KNOWN = {
    "Mesa 22.": (
        "barrier.long-loop/*",
        "barrier.memory-is-no-rendezvous/*",
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


@harness.about_lavapipe
class Drivers(Case):
    def chosen(self):
        """What is run, and its families: of a sample, or when that is slow, one configuration of
        each test."""
        names = self.litmus("list", "--names", "*", *SLOW).out.split()
        families = {name.split(".")[0] for name in names}
        if harness.SLOW == 1 and not harness.SAMPLE:
            return ["*", *SLOW], families
        first = {re.match("[^/@]+", name).group(): name for name in reversed(names)}
        return [f"{name}*" for name in first.values()], families

    def all_families(self, manifest, runs):
        if not os.path.exists(manifest):
            self.skipTest(f"not installed: {manifest}")
        names, families = self.chosen()
        run = self.litmus("run", *names, "-n", runs, "-q", "--seed", "1",
                          drivers=[manifest], timeout=1500)
        self.assert_clean(run)
        report = self.report()
        driver = report["devices"][0]["driver"]
        known = next((patterns for prefix, patterns in KNOWN.items()
                      if driver["info"].startswith(prefix)
                      or driver["name"].startswith(prefix)), ())
        crashes = harness.known_crashes(driver["info"])
        bad = [entry for entry in report["results"] if entry["result"] not in ("pass", "skip")]
        news = [(entry["name"], entry["result"], entry["reason"], entry["outcomes"])
                for entry in bad if not self.is_known(entry, known)
                and not self.is_crash(entry, crashes)]
        self.assertEqual(news, [])
        self.assertEqual(report["devices"][0]["checker"], "device")
        ran = {entry["family"] for entry in report["results"] if entry["runs"]}
        self.assertEqual(ran - OPTIONAL, families - OPTIONAL)
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

    def test_second_lavapipe(self):
        self.all_families(harness.SECOND_LAVAPIPE, "2")

    def test_swiftshader(self):
        self.all_families(harness.SWIFTSHADER, "3")


if __name__ == "__main__":
    harness.main()
