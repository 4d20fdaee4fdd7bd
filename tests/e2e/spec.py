# SPDX-License-Identifier: Apache-2.0
"""docs/spec.md against the heads of the tests: what each expectation rests on is a section there,
and each section lists the tests that rest on it. `spec.py --write` makes the lists."""

import glob
import os
import re
import sys
import textwrap
import unittest

import harness
from harness import SOURCE

PAGE = os.path.join(SOURCE, "docs", "spec.md")
SECTION = re.compile(r"^## (\S+)\n(.*?)^Tests:(.*?)\n(?=\n#|\Z)", re.M | re.S)


def heads():
    """Name and `expect` lines, continuation lines joined, of each test."""
    for path in sorted(glob.glob(os.path.join(SOURCE, "spirv", "*", "*.spvasm"))):
        with open(path, encoding="utf-8") as file:
            head = re.search(r"^; litmus +(\S+)$(.*?)^; oracle ", file.read(), re.M | re.S)
        if head:
            joined = re.sub(r"\n; {8,}", " ", head[2])
            yield head[1], re.findall(r"^; expect +(.*)$", joined, re.M)


def resting():
    """Which tests rest on each rule; a line that names none is None's."""
    tests = {}
    for name, lines in heads():
        for line in lines:
            named = re.match(r"(\w+) by (\S+) ", line)
            for rule in named[2].split(",") if named else [None]:
                tests.setdefault(rule, set()).add(name)
    return tests


def page():
    with open(PAGE, encoding="utf-8") as file:
        return file.read()


def made(text, tests):
    """The page with each list as the heads have it."""
    def section(match):
        names = "Tests: " + ", ".join(f"`{name}`" for name in sorted(tests.get(match[1], ())))
        return (f"## {match[1]}\n{match[2]}"
                + textwrap.fill(names, 110, break_on_hyphens=False, break_long_words=False) + "\n")
    return SECTION.sub(section, text)


class Page(unittest.TestCase):
    def test_each_expectation_rests_on_a_section(self):
        tests = resting()
        self.assertNotIn(None, tests)
        sections = [match[1] for match in SECTION.finditer(page())]
        self.assertEqual(len(sections), len(set(sections)))
        self.assertEqual(len(sections), len(re.findall(r"^## ", page(), re.M)), "one has no list")
        self.assertEqual(sorted(tests), sorted(sections))

    def test_the_lists_are_what_the_heads_say(self):
        self.assertEqual(page(), made(page(), resting()), "run tests/e2e/spec.py --write")

    def test_only_what_is_silent_is_contested(self):
        for name, lines in heads():
            for line in lines:
                word, rules = re.match(r"(\w+) by (\S+) ", line).groups()
                silent = [rule.startswith("silent-") for rule in rules.split(",")]
                self.assertEqual(set(silent), {word == "contested"}, f"{name}: {line}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        text = made(page(), resting())
        with open(PAGE, "w", encoding="utf-8") as out:
            out.write(text)
    else:
        harness.main()
