# SPDX-License-Identifier: Apache-2.0
"""docs/spec.md against the heads of the tests: what each expectation rests on is a section there,
and each section lists the tests that rest on it. `spec.py --write` makes the lists. Its block
quotations against the specifications in LITMUS_SPECIFICATION, a file or a folder: SPIRV.html,
SPV_*.html or .asciidoc of extensions, Vulkan's as .html or .adoc."""

import glob
import html
import os
import re
import sys
import textwrap
import unittest

import harness
from harness import SOURCE

PAGE = os.path.join(SOURCE, "docs", "spec.md")
SECTION = re.compile(r"^## (\S+)\n(.*?)^Tests:(.*?)\n(?=\n#|\Z)", re.M | re.S)


SPECIFICATION = os.environ.get("LITMUS_SPECIFICATION")
MARKS = str.maketrans("“”’\u00a0", "\"\"' ", "`*_'+~#$\"")


def blocks(path):
    """The paragraphs, items and cells of a document, a line each, without marks of its format."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if path.endswith(".html"):
        text = re.sub(r"<(/?(p|td|th|li|div|h\d|tr|[uod]l|d[td])\b[^>]*|br[^>]*)>", "\n\n", text)
        text = html.unescape(re.sub(r"<[^>]+>", "", text))
    else:
        text = re.sub(r"^(?:ifn?def|endif)::[^\n\[]*\[(.*?)\]$", r"\1", text, flags=re.M)
        text = re.sub(r"<<[^<>,]*,\s*([^<>]*?)>>", r"\1", text)
        text = re.sub(r"\b(code|[pefs]name):(?=\S)|\[eq\]|\[\[.*?\]\]", "", text)
        text = re.sub(r"^\[.*\]$", "", text, flags=re.M)
        text = re.sub(r"\b(must|may|can|should|required|undefined):(?=\W)", r"\1", text)
        text = re.sub(r"^\s*([*.]+|\d*\+?[a^]*\|) | \+$|^(--+|====+)$", "\n\n", text, flags=re.M)
    text = text.translate(MARKS).translate(MARKS)
    return "\n".join(" ".join(block.split()) for block in re.split(r"\n\s*\n", text))


def documents(path):
    """The text of each specification there: "SPIR-V", "Vulkan", and extensions by their names."""
    found = {}
    files = [path] if os.path.isfile(path) else glob.glob(path + "/**/*.*", recursive=True)
    for file in sorted(files):
        name, suffix = os.path.splitext(os.path.basename(file))
        if suffix in (".html", ".adoc", ".asciidoc"):
            name = name if name.startswith("SPV_") else "SPIR-V" if name == "SPIRV" else "Vulkan"
            found[name] = found.get(name, "") + "\n" + blocks(file)
    return found


def quotations(text):
    """Each block quotation, cut at [...], and the document that is named behind it."""
    for match in re.finditer(r"^(>.*\n)+", text, re.M):
        named = re.search(r"^`?(SPIR-V|Vulkan|SPV_\w+)", text[match.end():], re.M)
        quoted = " ".join(re.sub(r"^> ?(- )?", "", line) for line in match[0].splitlines())
        for piece in quoted.split("[...]"):
            yield " ".join(piece.translate(MARKS).split()), named[1]


def quoted_whole(piece, document):
    """Whether a document has a quotation, from the beginning of a sentence or item to the end of
    one."""
    words = r"\s+".join(re.escape(word) for word in piece.split())
    end = "" if re.search(r"[.?!]$", piece) else r"(?=\n|$)"
    return re.search(r"(?:^|\n|[.:] )" + words + end, document) is not None


def heads():
    """Name and `expect` lines, continuation lines joined, of each test."""
    for path in sorted(glob.glob(os.path.join(SOURCE, "spirv", "*", "*.spvasm"))):
        head = re.search(r"^; litmus +(\S+)$(.*?)^; oracle ", harness.read(path), re.M | re.S)
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
    return harness.read(PAGE)


def made(text, tests):
    """The page with each list as the heads have it."""
    def section(match):
        names = "Tests: " + ", ".join(f"`{name}`" for name in sorted(tests.get(match[1], ())))
        return (f"## {match[1]}\n{match[2]}"
                + textwrap.fill(names, 100, break_on_hyphens=False, break_long_words=False) + "\n")
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

    def test_quotations(self):
        pieces = list(quotations(page()))
        self.assertGreater(len(pieces), 40)
        for piece, _ in pieces:
            self.assertRegex(piece, r"^[A-Z]", "no whole sentence")
        if not SPECIFICATION:
            self.skipTest("LITMUS_SPECIFICATION names no copy of the specifications")
        at_hand = documents(SPECIFICATION)
        compared = [(piece, name) for piece, name in pieces if name in at_hand]
        self.assertTrue(compared, f"none of the quoted documents is in {SPECIFICATION}")
        for piece, name in compared:
            with self.subTest(name):
                self.assertTrue(quoted_whole(piece, at_hand[name]), piece)

    def test_what_is_a_whole_sentence(self):
        text = "One is. Two are; three are. For all:\nfour\nfive six\n"
        for piece, whole in (("Two are; three are.", True), ("One is. Two are; three are.", True),
                             ("three are.", False), ("Two are", False), ("four five six", True),
                             ("four five", False), ("Two are; four", False)):
            self.assertEqual(quoted_whole(piece, text), whole, piece)

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
