#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/families.md with a command are what it draws. `pictures.py --write` draws
them."""

import glob
import os
import re
import shlex
import sys

import harness
from harness import SOURCE, Case

PAGE = os.path.join(SOURCE, "docs", "families.md")
PICTURE = re.compile(r"^## (\S+):.*\n\n!\[[^]]+\]\((families/\S+\.svg)\)\n\n"
                     r"(?:\S.*\n)+\n(?:    litmus (.+)\n)?", re.M)


def pictures():
    """Family, file and command of each; None: drawn by hand."""
    with open(PAGE, encoding="utf-8") as file:
        return [(name, os.path.join(SOURCE, "docs", path), command)
                for name, path, command in PICTURE.findall(file.read())]


class Pictures(Case):
    def draw(self, name, command):
        words = shlex.split(command)
        output = self.path(name)
        words[words.index("--svg") + 1] = output
        result = self.litmus(*words, cwd=SOURCE)
        found = glob.glob(os.path.join(output, "*.svg")) or [output]
        self.assertEqual((result.code, len(found)), (0, 1), result)
        return harness.read(found[0])

    def test_each_is_what_its_command_draws(self):
        for name, path, command in pictures():
            if not command:
                continue
            with self.subTest(family=name):
                drawn = self.draw(name, command)
                if WRITE:
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(drawn)
                self.assertTrue(drawn == harness.read(path), "draw it anew: pictures.py --write")


if __name__ == "__main__":
    WRITE = "--write" in sys.argv
    sys.argv = [argument for argument in sys.argv if argument != "--write"]
    harness.main()
