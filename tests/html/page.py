# SPDX-License-Identifier: Apache-2.0
"""The HTML report as a file: the same each time, whole, closed in itself, and readable."""

import html.parser
import os
import re
import sqlite3
import unittest

import browser
import harness
import stores

VOID = ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")


def script(name):
    """The text of a file beside this one, which runs in a page."""
    return harness.read(os.path.join(os.path.dirname(__file__), name))


class Parser(html.parser.HTMLParser):
    """Keeps count of what is open, and notes what a page made of text alone would not have."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.problems, self.ids = [], {}, [], set()
        self.text = []
        self.addresses = []

    def handle_starttag(self, tag, attrs):
        self.note(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.note(tag, attrs)

    def note(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.problems.append(f"<{tag}> has an attribute twice")
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                self.problems.append(f"<{tag} {name}>")
            if name in ("href", "src", "action", "data", "srcset"):
                self.addresses.append(value)
            if name == "id":
                if value in self.ids:
                    self.problems.append(f"id {value} twice")
                self.ids.add(value)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"</{tag}> at {self.getpos()} while {self.open[-3:]} are open")
        else:
            self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


class Pages(harness.Case):
    template = None

    def empty_store(self):
        """A store with the program's own tables and nothing in them."""
        if not Pages.template:
            self.litmus("run", harness.ONE, "-n", "1", "-q", code=0)
            Pages.template = self.read("litmus.db", "rb")
        self.write("litmus.db", Pages.template)
        writer = stores.Writer(self.path("litmus.db"))
        writer.database.execute("DELETE FROM session")
        return writer

    def page(self, store="litmus.db", output="page.html"):
        result = self.litmus("report", "--format", "html", "--db", store, "-o", output)
        self.assertEqual((result.code, result.out, result.err), (0, "", ""), result)
        return self.read(output)

    def parse(self, page):
        parser = Parser()
        parser.feed(page)
        parser.close()
        self.assertEqual(parser.problems, [])
        self.assertEqual(parser.open, [])
        return parser


class InABrowser(Pages):
    """One browser for all tests of a process."""
    browser = None

    @classmethod
    def setUpClass(cls):
        if not browser.CHROMIUM:
            raise unittest.SkipTest("chromium is missing")
        if not InABrowser.browser:
            InABrowser.browser = browser.Browser(patience=600 * harness.SLOW)
            unittest.addModuleCleanup(InABrowser.browser.close)


class AsAFile(Pages):
    def test_of_a_run(self):
        run = self.litmus("run", *harness.PAIR, "-n", "10", fault="spoil-on=64", code=1)
        page = self.page()
        parser = self.parse(page)
        self.assertEqual(self.page(output="again.html"), page)
        command = re.search(r"(?:again|reproduce): (.*?[^\\])\n", run.out, re.S).group(1)
        self.assertIn(re.sub(r"\s*\\\n\s*", " ", command), "".join(parser.text))
        self.assertIn("exit 1", "".join(parser.text))
        # The verdict is the first line under a device, failures are blocks, as everywhere.
        report = self.report()
        verdict = re.search(r'<p class="name">.*</p>\n<p class="first">(.*)\.</p>', page).group(1)
        self.assertEqual(html.unescape(verdict), report["devices"][0]["verdict"])
        self.assertEqual(page.count('<div class="block '), len(report["summary"]["failures"]))
        for block in report["summary"]["failures"]:
            for part in ("test", "where", "text", "passes_with", "elsewhere", "since"):
                self.assertIn(block[part], "".join(parser.text))
        self.assertNotRegex("".join(parser.text), r"\b0(\.0*)?\s?%")

    def test_printed_to_stdout(self):
        writer = self.empty_store()
        stores.invent(writer, 9)
        writer.close()
        page = self.page()
        self.assertEqual(self.litmus("report", "-f", "html").out, page)

    def test_needs_nothing_else(self):
        writer = self.empty_store()
        stores.invent(writer, 200)
        writer.close()
        page = self.page()
        parser = self.parse(page)
        for address in parser.addresses:
            self.assertRegex(address, r"^(#|data:image/svg)")
        self.assert_all_in(parser.ids, *re.findall(r'href="#([^"]+)"', page))
        self.assertNotRegex(page, r"@import|url\(|<iframe|<object|<embed")
        policy = re.search(r'Security-Policy" content="([^"]*)"', page).group(1)
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(parser.tags["script"], 2)
        self.assertEqual(parser.tags["style"], 1)

    def test_every_table_is_named(self):
        writer = self.empty_store()
        stores.invent(writer, 200)
        writer.close()
        page = self.page()
        for table in re.findall(r"<table.*?</thead>", page, re.S):
            for head in re.findall(r"<th[ >][^>]*", table):
                self.assertIn("scope=", head)
        outside = re.sub(r'<details class="bulk">.*?</details>', "", page, flags=re.S)
        self.assertEqual(outside.count("<table"), outside.count("<caption>"))
        for picture in re.findall(r"<svg[^>]*>", page):
            self.assertIn('aria-hidden="true"', picture)

    def test_hostile_texts_stay_text(self):
        writer = self.empty_store()
        stores.be_hostile(writer)
        writer.close()
        page = self.page()
        parser = self.parse(page)
        text = "".join(parser.text)
        self.assertEqual(parser.tags["script"], 2)
        self.assertNotIn("img", parser.tags)
        for address in parser.addresses:
            self.assertRegex(address, r"^(#|data:image/svg)")
        self.assert_all_in(text, *stores.HOSTILE)

    def test_of_nothing(self):
        writer = self.empty_store()
        writer.session()
        writer.close()
        self.assertIn("exit 77", "".join(self.parse(self.page()).text))

    def test_a_store_that_cannot_be_read(self):
        self.write("litmus.db", "no store")
        result = self.litmus("report", "--format", "html", "-o", "page.html")
        self.assert_one_line(result, 2, "litmus.db")
        self.assertEqual(os.listdir(self.folder), ["litmus.db"])


class OfCode(Pages):
    """Code of the SIMT simulator, and of drivers that say what they like."""

    SCAN = "shuffle.scan-loop/sync={},*form=variables,op=add,mode=inclusive,access=descriptor*=64*"

    def run_snooping(self):
        run = self.litmus("run", self.SCAN.format("none"), self.SCAN.format("control-each"),
                          "-n", "10", "-q", "--simt", "snooping,subgroup=8", drivers=[harness.SIMT])
        self.assertIn(run.code, (0, 1), run)

    def test_of_a_run(self):
        self.run_snooping()
        page = self.page()
        parser = self.parse(page)
        self.assertEqual(self.page(output="again.html"), page)
        section = re.search(r'<section id="code".*?</section>', page, re.S).group()
        listing = re.search(r"<pre .*?</pre>", section, re.S).group()
        marked = re.findall(r"<mark>(.*?)</mark>", listing)
        self.assertEqual(len(marked), listing.count("= OpGroupNonUniform"))
        for line in marked:
            self.assertTrue(line.startswith("&#62; ") and "= OpGroupNonUniform" in line, line)
        self.assertRegex(section, r"<del>-[^<]*OpControlBarrier")
        self.assertRegex(section, r"<ins>\+[^<]*OpControlBarrier")
        self.assert_all_in(parser.ids, *re.findall(r'href="#(code-\d+)"', page))
        self.assertIn('href="#code-', page)

    def test_damaged(self):
        self.run_snooping()
        database = sqlite3.connect(self.path("litmus.db"))
        packed = database.execute("SELECT packed FROM code").fetchone()[0]
        database.execute("UPDATE code SET packed = ?", (packed[:len(packed) // 2],))
        database.commit()
        database.close()
        page = self.page()
        self.parse(page)
        self.assertIn("The code in the store could not be read: ", page)


class OverDrivers(Pages):
    def test_courses(self):
        writer = self.empty_store()
        stores.over_drivers(writer)
        writer.close()
        page = self.page()
        self.parse(page)
        history = re.search(r'<section id="history".*?</section>', page, re.S).group()
        self.assertEqual(history.count("<table"), 2)
        self.assertRegex(history, r">40</td><td[^>]*>1,000<")
        for version in ("1.0", "2.0", "3.0"):
            self.assertIn(f">{version}</th>", history)
        self.assertRegex(history, r"higher than on 1\.0, p (.|\n)*lower than on 2\.0, p ")
        # What ran under another stress is not compared; the others stay.
        self.assertEqual(history.count("stress 2.0"), 1)
        self.assertIn("5 configurations were measured in other sessions too: 2 of them", history)

    def test_none_in_one_session(self):
        writer = self.empty_store()
        stores.invent(writer, 9)
        writer.close()
        self.assertNotIn('id="history"', self.page())


harness.main(__name__)
