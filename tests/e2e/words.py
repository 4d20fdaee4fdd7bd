#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The terms of docs/glossary.md: words that they replaced are in no text that users read."""

import glob
import os
import re

import harness

# A word that was replaced, the term for it, and a sentence that has to be found.
REPLACED = (
    (r"reference\s+driver", "SIMT simulator", "it runs on the reference driver"),
    (r"misbehaves?\s+on\s+purpose", "SIMT simulator", "a driver that misbehaves on purpose"),
    (r"headlines?", "key result", "the headlines come first"),
    (r"twins?", "paired variant", "its nearest twin passed"),
    (r"kill[- ]tables?", "mutation-score table", "see the kill table"),
    (r"drivers?\s+ma[dk]es?\s+of", "compiled code", "what the driver made of it"),
    (r"leaves?\s+(it\s+)?open", "unspecified", "where the text leaves it open"),
    (r"(where|what)\s+the\s+text\b", "the specification", "where the text is silent"),
    (r"waited\s+for\s+in\s+vain|in\s+vain", "bounded wait expired", "it waited in vain"),
    (r"g[ai]ve?s?\s+up\s+waiting|giving\s+up\s+waiting", "bounded wait expired",
     "2 runs gave up waiting"),
    (r"who\s+is\s+waited\s+for", "forward progress", "the table who is waited for"),
    (r"go(es)?\s+wrong|went\s+wrong|gone\s+wrong", "fail", "3 operations went wrong"),
    (r"too\s+gentle|gentle\s+stress", "not triggered", "too gentle for shuffle"),
    (r"controls?\s+seen|controls?\s+(was|were)\s+seen", "triggered", "no control was seen"),
    (r"bunch(es|ed)?", "overdispersed", "failures come in bunches"),
    (r"foresight|made\s+ahead", "precompiled", "pipelines that were made ahead"),
    (r"(?<![-=])(?<!loop-exit[.])(?<!atomic )(?<!compare )exchang(e|es|ed|ing)(?!=)",
     "cross-lane read", "lanes exchange values"),
    (r"reach(ed)?\s+(it\s+)?apart|come\s+apart|apart\s+from\s+each\s+other", "diverge",
     "lanes that come apart"),
    (r"under\s+another\s+predicate", "wrong guard predicate", "it stands under another predicate"),
    (r"(checked|failing|failed|wrong)\s+instances?|instances\s+(checked|a\s+second)",
     "checked unit", "the first failing instance"),
    (r"(the\s+best|random|tuned)\s+sets?\b|sets?\s+(that\s+)?(is|are|were)\s+drawn",
     "stress configuration", "under the best sets"),
    (r"(were|was)\s+(all\s+)?there\s+at\s+once", "co-resident", "64 were there at once"),
    (r"time\s+was\s+used\s+up", "the time budget was used up", "5 the time was used up"),
    (r"to\s+be\s+had", "available", "the code was not to be had"),
    (r"does\s+not\s+say\s+that\s+none", "a bound, not a proof", "which does not say that none can"),
    (r"of\s+everything\s+random", "random seed", "the seed of everything random"),
    (r"shrug", "increase -n", "give more runs, not a shrug"),
    (r"not\s+tried\s+yet", "supported, untested", "written for, not tried yet"),
    (r"founding", "original", "the founding case"),
)
# Texts of the program only: they are short, and an inverted sentence costs its reader most there.
STIFF = (
    (r"(?<!there )is\s+no\s+(?!longer|more|less|wider|larger)[a-z]", "is not a", "'x' is no shard"),
    (r"(?<!there )is\s+none\b", "is not one", "a word that is none"),
    (r"is\s+there\s+twice", "is given twice", "skew is there twice"),
    (r"(is|are|was)\s+not\s+there\b", "not found", "the manifest is not there"),
    (r"one\s+or\s+the\s+other", "are mutually exclusive", "--a and --b: one or the other"),
    (r"^which\s+[a-z]+\?", "missing ...", "which test? 'litmus list' has them"),
)
SOURCES = ("harness", "isa", "bench", "simt")
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*'
                     r"|'(?:[^'\\\n]|\\.)+'", re.S)
SQL = re.compile(r"\b(SELECT|UPDATE|INSERT|CREATE|ON CONFLICT|COLUMN)\b|^ *\w+,( \w+,)+ *$")


def found(text, words):
    """(line, word, term) of each place."""
    for pattern, term, _ in words:
        for match in re.finditer(rf"\b(?:{pattern})", text, re.I | re.M):
            yield text.count("\n", 0, match.start()) + 1, match[0], term


def prose(text):
    """A document without names of files, keywords in backticks, and the table of replaced words."""
    text = re.sub(r"\| before \| now \|.*?\n\n", lambda table: "\n" * table[0].count("\n"), text,
                  flags=re.S)
    return re.sub(r"`[^`\s]*`|\([^()\s]*\)|\[[^\]\s]*\](?=\()", "``", text)


def descriptions(text):
    """What a JSON schema says of its members, which keep their names."""
    return "\n".join(" ".join(re.findall(r'"description": "([^"]*)"', line))
                     for line in text.split("\n"))


def strings(text):
    """The strings of C source that are prose, each in the line where it begins."""
    lines = [""] * (text.count("\n") + 1)
    for match in LITERAL.finditer(text):
        before = text.rfind("\n", 0, match.start()) + 1
        if match[0][0] != '"' or text[before:match.start()].lstrip().startswith("#include"):
            continue
        string = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', match[0]))
        if " " in string.strip() and not SQL.search(string):
            lines[text.count("\n", 0, match.start())] += string.replace("\\n", " ") + " "
    return "\n".join(lines)


def contents(text):
    """What a style sheet adds to a page; names of classes are not read by anybody."""
    return "\n".join(" ".join(re.findall(r'content: *"([^"]*)"', line))
                     for line in text.split("\n"))


def files(*patterns):
    for pattern in patterns:
        yield from sorted(glob.glob(os.path.join(harness.SOURCE, pattern), recursive=True))


class Words(harness.Case):
    def check(self, named_texts, words=REPLACED):
        wrong = [f"{name}:{line}: '{word}': say {term}"
                 for name, text in named_texts for line, word, term in found(text, words)]
        self.assertEqual(wrong, [])

    def read(self, paths, view):
        for path in paths:
            with open(path, encoding="utf-8") as file:
                yield os.path.relpath(path, harness.SOURCE), view(file.read())

    def test_each_word_is_found(self):
        """A pattern that finds nothing would let everything pass."""
        for word in REPLACED + STIFF:
            self.assertTrue(list(found(word[2], [word])), word)
        source = 'int headline; // a twin\nputs("the "\n     "headline\\n");\nputs("twin");\n'
        self.assertEqual(list(found(strings(source), REPLACED)), [(2, "headline", "key result")])

    def test_documents(self):
        self.check(self.read(files("*.md", "docs/**/*.md", "docs/man/*.scd"), prose))
        self.check(self.read(files("docs/*.json"), descriptions))

    def test_the_glossary_is_short(self):
        path, = files("docs/glossary.md")
        with open(path, encoding="utf-8") as file:
            terms = [line.split(" | ")[0][2:] for line in file if line.startswith("| ")][2:]
        self.assertTrue(20 < len(terms) <= 40, len(terms))

    def test_strings(self):
        paths = [path for folder in SOURCES for path in files(f"{folder}/**/*.[ch]")]
        self.assertGreater(len(paths), 100)
        self.check(self.read(paths, strings), REPLACED + STIFF)

    def test_page(self):
        self.check(self.read(files("harness/**/*.js"), prose))
        self.check(self.read(files("harness/**/*.css"), contents))

    def test_help(self):
        commands = re.findall(r"^  (\w+) ", self.litmus("help").out, re.M)
        self.assertGreater(len(commands), 10)
        texts = [("litmus help", self.litmus("help").out)]
        texts += [(f"litmus help {name}", self.litmus("help", name).out) for name in commands]
        self.check(texts, REPLACED + STIFF)


if __name__ == "__main__":
    harness.main()
