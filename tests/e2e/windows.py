# SPDX-License-Identifier: Apache-2.0
"""The program for Windows does what that for Linux does, which LITMUS_NATIVE names."""

import json
import os
import subprocess
import unittest

import harness

# Tests of these families race, or wait for other workgroups.
RACING = ("lookback", "memory", "progress")
# Extensions that Wine 8 does not know.
NOT_IN_WINE = ("VK_KHR_shader_maximal_reconvergence", "VK_KHR_shader_subgroup_rotate",
               "VK_KHR_shader_subgroup_uniform_control_flow")


@unittest.skipUnless(harness.WINDOWS and os.environ.get("LITMUS_NATIVE"),
                     "LITMUS_NATIVE names no program to compare with")
class Windows(harness.Case):
    def counts(self, store):
        """Of each configuration, by the program for Linux: both stores can be read by both."""
        out = subprocess.run([os.environ["LITMUS_NATIVE"], "report", "--format", "json", "--db",
                              self.path(store)], env={"HOME": self.folder}, check=True,
                             capture_output=True).stdout
        # Programs are drawn by the features that Wine hands on.
        return {entry["name"]: (entry["result"], entry["runs"], entry["failed_runs"],
                                *([] if entry["family"] == "generated" else
                                  [entry["instances"], entry["outcomes"]]), entry["reason"])
                for entry in json.loads(out)["results"] if entry["family"] not in RACING}

    def same(self, driver, *arguments):
        # How long compilers take on a busy machine is not the question.
        arguments = (*arguments, "--timeout", "900")
        native = dict(HOME=self.folder, VK_DRIVER_FILES=driver, VK_ICD_FILENAMES=driver)
        done = subprocess.run([os.environ["LITMUS_NATIVE"], *arguments, "--db", "linux.db"],
                              env=native, cwd=self.folder, capture_output=True, timeout=3000)
        result = self.litmus(*arguments, "--db", "windows.db", drivers=[driver], timeout=3000)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        self.assertEqual(result.code, done.returncode, result)
        there, here = self.counts("linux.db"), self.counts("windows.db")
        self.assertGreater(len(there), 10)
        self.assertEqual(there.keys(), here.keys())
        # Why it crashed is told in other words; and what Wine does not hand on is skipped.
        other = {name: (count, there[name]) for name, count in here.items()
                 if there[name][:-1] != count[:-1] and count[-1].split(",")[0] not in NOT_IN_WINE}
        self.assertEqual(other, {})

    def test_system_lavapipe(self):
        self.same(harness.lavapipe(), "--all", "-n", "50", "--seed", "1")

    def test_second_lavapipe(self):
        if not os.path.exists(harness.SECOND_LAVAPIPE):
            self.skipTest("tools/setup has unpacked no second lavapipe")
        self.same(harness.SECOND_LAVAPIPE, "--all", "-n", "50", "--seed", "1")


harness.main(__name__)
