# SPDX-License-Identifier: Apache-2.0
"""Every module runs once under the Khronos validation layer, which has nothing to say."""

import fnmatch
import functools
import glob
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import harness  # noqa: E402  (found by the line above)

# The newer one first: that of Debian 12 is older than maximal reconvergence.
LAYERS = ("/usr/lib/chromium/libVkLayer_khronos_validation.so",
          "/usr/lib/*/libVkLayer_khronos_validation.so")


def test_of(name):
    return re.match(r"[^/@]+", name).group()


@functools.cache
def sized():
    """The tests that have modules of their own for each subgroup size."""
    found = set()
    for path in glob.glob(os.path.join(harness.SOURCE, "spirv", "*", "*.spvasm")):
        head = harness.read(path)
        if re.search(r"(?m)^; sizes ", head):
            found.add(re.search(r"(?m)^; litmus +(\S+)", head).group(1))
    return found


@harness.about_lavapipe
class Validation(harness.Case):
    def setUp(self):
        super().setUp()
        found = [path for pattern in LAYERS for path in sorted(glob.glob(pattern))]
        if not found:
            self.skipTest("no validation layer is installed")
        os.mkdir(self.path("layers"))
        self.write("layers/validation.json", json.dumps({
            "file_format_version": "1.2.0",
            "layer": {"name": "VK_LAYER_KHRONOS_validation", "type": "GLOBAL",
                      "library_path": found[0], "api_version": "1.3.0",
                      "implementation_version": "1", "description": "validation",
                      "instance_extensions": [{"name": "VK_EXT_debug_utils", "spec_version": "1"}]},
        }))
        self.layers = {"VK_LAYER_PATH": self.path("layers")}
        self.library = found[0]

    def names(self, manifest, *more):
        """Configurations without those that a driver is known to crash on."""
        crashes = harness.known_crashes(self.litmus("devices", "-v", drivers=[manifest]).out)
        return [name for name in self.litmus("list", "--names", *more).out.split()
                if not any(fnmatch.fnmatchcase(name, pattern) for pattern in crashes)]

    def one_of_each_variant(self, names):
        first = {}
        for name in names:
            first.setdefault(name.split("@")[0], name)
        return first

    def compiled(self, names):
        """What is tried on a driver that generates code: one of each variant; of a sample, in which
        the reference driver has all modules, one of each test."""
        variants = self.one_of_each_variant(names)
        if not harness.SAMPLE:
            return variants
        first = {}
        for variant, name in variants.items():
            first.setdefault(test_of(variant), (variant, name))
        return dict(first.values())

    def quiet(self, manifest, names, store="litmus.db", **more):
        """Runs configurations; returns the variants that ran and those that were skipped."""
        run = self.litmus("run", *(f"{name}*" for name in names), "-n", "1", "-q", "--validation",
                          "--timeout", "60", "--db", store, drivers=[manifest], timeout=400,
                          **self.layers, **more)
        self.assertEqual(run.err, "")
        report = self.report(store)
        bad = [(entry["name"], entry["result"], entry["reason"]) for entry in report["results"]
               if entry["result"] in ("crash", "hang", "device-lost", "harness-error")]
        self.assertEqual(bad, [])
        self.assertEqual(report["devices"][0]["checker"], "device")
        ran = {entry["name"].split("@")[0] for entry in report["results"] if entry["runs"]}
        skipped = {entry["name"].split("@")[0] for entry in report["results"]
                   if entry["result"] == "skip"}
        return ran, skipped - ran

    # Each module is compiled by the SIMT simulator, which is quick: in a sample all that run by
    # default, and some others. Drivers that generate code take most of a second for each, so they get
    # the variants that run by default.

    def test_no_message(self):
        variants = self.compiled(self.names(harness.lavapipe()))
        ran, skipped = self.quiet(harness.lavapipe(), variants.values())
        print(f"{len(variants)} variants: {len(ran)} ran, {len(skipped)} skipped")
        self.assertGreater(len(ran), 40 if harness.SAMPLE else 100)
        self.assertEqual(ran | skipped, set(variants))

    def test_no_message_of_a_newer_driver(self):
        # It has the execution modes that the other lacks; scan-loop takes it minutes to compile.
        if not os.path.exists(harness.SECOND_LAVAPIPE):
            self.skipTest("tools/setup has not unpacked a second lavapipe")
        names = [name for name in self.names(harness.SECOND_LAVAPIPE)
                 if re.search("reconvergence=(maximal|subgroup-uniform)", name)
                 and not name.startswith("shuffle.scan-loop/")]
        ran, skipped = self.quiet(harness.SECOND_LAVAPIPE, self.compiled(names).values())
        print(f"{len(ran)} ran, {len(skipped)} skipped")
        self.assertGreater(len(ran), 10 if harness.SAMPLE else 20)

    def test_no_message_of_the_reference_driver(self):
        # It runs all modules, also those that the others lack something for.
        if not os.path.exists(harness.SIMT):
            self.skipTest("the SIMT simulator is not built")
        with open(self.library, "rb") as file:
            if b"SPV_KHR_maximal_reconvergence" not in file.read():
                self.skipTest("the validation layer is older than maximal reconvergence")
        usual = self.one_of_each_variant(self.names(harness.SIMT))
        ran, skipped = self.quiet(harness.SIMT, usual.values(), store="usual.db")
        self.assertEqual((ran, skipped), (set(usual), set()))
        every = self.one_of_each_variant(self.names(harness.SIMT, "--thorough"))
        left = {variant: name for variant, name in every.items() if variant not in ran}
        if harness.SAMPLE:
            left = dict(list(left.items())[::12])
        more, skipped = self.quiet(harness.SIMT, left.values(), store="left.db")
        print(f"{len(every)} variants: {len(ran)} ran as usual, {len(more)} more")
        self.assertEqual((more, skipped), (set(left), set()))
        apart = {variant: name for variant, name in every.items() if test_of(variant) in sized()}
        again, skipped = self.quiet(harness.SIMT, apart.values(), store="apart.db",
                                    LITMUS_SIMT="subgroup=4")
        print(f"modules for subgroups of 4: {len(again)} ran, {len(skipped)} skipped")
        self.assertEqual(again | skipped, set(apart))
        self.assertGreater(len(again), 50)

    def test_no_message_of_a_benchmark(self):
        # Timestamps, statistics of pipelines and all kernels.
        for manifest in (harness.lavapipe(), harness.SIMT):
            with self.subTest(manifest):
                if not os.path.exists(manifest):
                    self.skipTest("the SIMT simulator is not built")
                run = self.litmus("bench", "scan", "--validation", "-n", "1", "--elements", "4096",
                                  "--loops", "2", drivers=[manifest], **self.layers)
                self.assertEqual((run.code, run.err), (0, ""), run)
                self.assertIn("exit 0: every word", run.out)

    def test_no_message_of_a_benchmark_by_addresses(self):
        # Copies, scans of each kind, what fills and what verifies.
        for manifest in (harness.lavapipe(), harness.SIMT):
            with self.subTest(manifest):
                if not os.path.exists(manifest):
                    self.skipTest("the SIMT simulator is not built")
                run = self.litmus("bench", "lookback", "--validation", "-n", "1", "--elements",
                                  "8192", "--variants", "held=[14]/shared=0/looks=[12]/*workgroup=64",
                                  drivers=[manifest], **self.layers)
                # What a driver stores wrong, as lavapipe 22.3.6 with load sometimes, is not asked here.
                self.assertIn(run.code, (0, 1), run)
                self.assertEqual(run.err, "", run)
                self.assertIn(f"exit {run.code}: ", run.out)

    def test_the_layer_is_there_and_heard(self):
        run = self.litmus("run", harness.ONE, "-n", "1", "-q", "--validation",
                          fault="few-allocations", **self.layers)
        self.assertIn("VUID-", run.err)
        self.assertIn("maxMemoryAllocationCount", run.err)
        self.assert_clean(run)

    def test_without_validation_nothing_is_heard(self):
        run = self.litmus("run", harness.ONE, "-n", "1", "-q", fault="few-allocations",
                          **self.layers)
        self.assertEqual((run.code, run.err), (0, ""), run)

    def test_layer_that_is_not_installed(self):
        os.mkdir(self.path("none"))
        run = self.litmus("run", harness.ONE, "-n", "1", "--validation",
                          VK_LAYER_PATH=self.path("none"))
        self.assertNotIn(run.code, (0, 1), run)
        self.assertIn("VK_LAYER_KHRONOS_validation", run.err)
        self.assert_clean(run)


harness.main(__name__)
