#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The litmus tests of corpus/: what is said of each by hand, and what the model says."""

import glob
import os
import re
import subprocess
import sys

import harness
from harness import Case

CORPUS = os.path.join(harness.SOURCE, "corpus")


def files():
    return sorted(glob.glob(os.path.join(CORPUS, "*.litmus")))


class Corpus(Case):
    def test_shapes(self):
        script = os.path.join(harness.SOURCE, "tools", "corpus")
        result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_verdicts(self):
        self.assertGreaterEqual(len(files()), 60)
        result = self.litmus("model", "--quiet", *files())
        self.assertEqual(result.code, 0, result)
        lines = result.out.splitlines()
        self.assertEqual(len(lines), len(files()))
        for path, line in zip(files(), lines):
            with self.subTest(path=path), open(path, encoding="utf-8") as file:
                said = re.search(r"\(\* (Forbidden|Allowed)(, with a data race)?\.", file.read())
                check = {"Forbidden": "~exists", "Allowed": "exists"}[said[1]]
                self.assertEqual(line, f"{path}: {check}: holds{said[2] or ''}")


if __name__ == "__main__":
    harness.main()
