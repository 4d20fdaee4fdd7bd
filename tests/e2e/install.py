# SPDX-License-Identifier: Apache-2.0
"""What meson install leaves, and that all of it can be moved."""

import glob
import json
import os
import subprocess

import harness


class Installed(harness.Case):
    def prepare(self):
        subprocess.run(["meson", "install", "-C", harness.BUILD, "--no-rebuild", "--quiet",
                        "--destdir", self.path("first")], check=True, capture_output=True)
        (program,) = glob.glob(self.path("first/**/bin/litmus"), recursive=True)
        # Somewhere else, under another name.
        os.rename(os.path.dirname(os.path.dirname(program)), self.path("an other place"))

    def tree(self, *names):
        return self.path(os.path.join("an other place", *names))

    def test_documents_and_schemas(self):
        folder = self.tree("share", "doc", "litmus")
        for name in os.listdir(os.path.join(harness.SOURCE, "docs")):
            if name != "man":
                self.assertTrue(os.path.exists(os.path.join(folder, "docs", name)), name)
        for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"):
            self.assertTrue(os.path.getsize(os.path.join(folder, name)) > 400, name)
        schemas = glob.glob(os.path.join(folder, "docs", "*.schema.json"))
        self.assertGreater(len(schemas), 3)
        for schema in schemas:
            json.loads(harness.read(schema))

    @harness.never_sanitized  # that build has the simulator of the other one
    def test_the_simulator_is_found_wherever_it_is_moved(self):
        (manifest,) = glob.glob(self.tree("**", "simt_icd.json"), recursive=True)
        library = json.loads(harness.read(manifest))["ICD"]["library_path"]
        self.assertFalse(os.path.isabs(library), library)
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(manifest), library)))
        done = subprocess.run([self.tree("bin", "litmus"), "run", "scan.levels", "-n", "1", "--simt",
                               "lockstep"], cwd=self.folder, env=self.environment(drivers=["/none"]),
                              capture_output=True, text=True, timeout=600 * harness.SLOW, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("exit 0", done.stdout)

    def test_scripts(self):
        for name in "csv", "deqp", "github", "gtest", "herd", "lava", "kubernetes", "slurm":
            done = subprocess.run([self.tree("share", "litmus", "contrib", name), "--help"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout[:7]), (0, "usage: "), done)


harness.main(__name__)
