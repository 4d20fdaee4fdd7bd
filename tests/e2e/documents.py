#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documents: links to what exists, no path of a machine. tools/size counts long lines."""

import glob
import os
import re

import harness

CODE = re.compile(r"^ *```.*?^ *```|^ *```.*\Z", re.M | re.S)


def blank(match):
    return "\n" * match[0].count("\n")


def anchors(text):
    """The anchors of a document's headings, as GitHub and GitLab make them."""
    found = set()
    for heading in re.findall(r"^#+ +(.+?) *$", CODE.sub(blank, text), re.M):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        same = sum(re.fullmatch(rf"{name}(-\d+)?", other) is not None for other in found)
        found.add(f"{name}-{same}" if same else name)
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


class Documents(harness.Case):
    def setUp(self):
        super().setUp()
        self.texts = {}
        for pattern in ("*.md", "docs/**/*.md", "docs/man/*.scd", "reports/**/*.md"):
            for path in glob.glob(os.path.join(harness.SOURCE, pattern), recursive=True):
                self.texts[path] = harness.read(path)
        self.assertGreater(len(self.texts), 50)

    def test_no_path_of_a_machine(self):
        self.assertEqual([f"{path}: {line[:60]}" for path, text in self.texts.items()
                          for line in re.findall(r".*/(?:home|root|Users|work)/[\w.-]+/.*", text)],
                         [])

    def test_links(self):
        dead = []
        for path, text in self.texts.items():
            text = re.sub(r"`[^`\n]*`", "", CODE.sub(blank, text))
            for link in re.findall(r"\]\(([^()\s]+)\)|^\[[^\]]+\]: +(\S+)", text, re.M):
                target, _, anchor = "".join(link).partition("#")
                if re.match(r"\w+:", target):
                    continue
                file = os.path.normpath(os.path.join(os.path.dirname(path), target)) \
                    if target else path
                if not os.path.exists(file) or \
                        anchor and file in self.texts and anchor not in anchors(self.texts[file]):
                    dead.append(f"{os.path.relpath(path, harness.SOURCE)}: {''.join(link)}")
        self.assertEqual(dead, [])


harness.main(__name__)
