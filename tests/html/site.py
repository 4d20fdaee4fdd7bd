# SPDX-License-Identifier: Apache-2.0
"""litmus site: its pages as files and in a browser, and what it does to the folder."""

import collections
import glob
import html
import json
import os
import re

import harness
import page
import stores
from harness import read

MOST = 300_000
STORE = os.path.join(harness.SOURCE, "tests", "stores", "measured.db")
PUBLISHED = sorted(glob.glob(os.path.join(harness.SOURCE, "reports", "*", "report.json")))
HAZARD = "shuffle.scan-loop/sync={},*form=variables,op=add,mode=inclusive,access=descriptor*=64*"


class Sites(page.Pages):
    def site(self, *reports, folder="out"):
        result = self.litmus("site", folder, *reports)
        self.assertEqual((result.code, result.err), (0, ""), result)
        return result.out

    def names(self, folder="out"):
        """All files below a folder."""
        root = self.path(folder)
        return sorted(os.path.relpath(os.path.join(at, name), root)
                      for at, _, files in os.walk(root) for name in files)

    def content(self, folder="out"):
        return {name: read(os.path.join(self.path(folder), name)) for name in self.names(folder)}

    def only(self, pattern):
        (path,) = glob.glob(self.path(pattern))
        return read(path)

    def check_pages(self, folder="out"):
        """That each page is sound, and that each of its links leads somewhere."""
        pages = {name: text for name, text in self.content(folder).items() if name[0] != "."}
        parsed = {name: self.parse(text) for name, text in pages.items()}
        for name, parser in parsed.items():
            self.assertLess(len(pages[name].encode()), MOST, name)
            self.assertEqual(parser.tags["script"], 2, name)
            self.assertNotIn("img", parser.tags, name)
            self.assertIn("default-src 'none'", pages[name])
            self.assertNotRegex(pages[name], r"@import|url\(|<iframe|<object|<embed")
            for address in parser.addresses:
                if address.startswith(("data:image/svg", "https://")):
                    continue
                path, _, fragment = address.partition("#")
                target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path \
                    else name
                self.assertIn(target, parsed, f"{name}: {address}")
                if fragment:
                    self.assertIn(fragment, parsed[target].ids, f"{name}: {address}")
            search = json.loads(re.search(r'id="data">(.*?)</script>', pages[name], re.S).group(1))
            for entry in search["pages"]:
                self.assertIn(entry[2], parsed)
        return pages


class Published(Sites):
    def prepare(self):
        self.said = self.site(*PUBLISHED)


class OfThePublished(Published):
    def test_pages(self):
        pages = self.check_pages()
        reports = [json.loads(read(path)) for path in PUBLISHED]
        tests = {result["test"] for report in reports for result in report["results"]}
        for test in tests:
            self.assertIn(f"<h1>{test}</h1>", pages[f"test/{test}.html"])
        self.assertEqual(sum(name.startswith("test/") for name in pages), len(tests))
        self.assertEqual(sum(name.startswith("device/") for name in pages), len(reports))
        findings = [os.path.basename(path)[:-3] for path in
                    glob.glob(os.path.join(harness.SOURCE, "reports", "findings", "*-*.md"))]
        self.assertEqual({f"finding/{name}.html" for name in findings},
                         {name for name in pages if name.startswith("finding/")})
        self.assertIn(f"{len(pages)} pages of {len(reports)} sessions", self.said)
        for name, text in pages.items():
            self.assertNotIn("Left out", text, name)

    def test_the_map_counts_what_failed(self):
        table = re.search(r'<table class="map">.*?</table>', read(self.path("out/index.html")),
                          re.S).group()
        families = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', table)[1:]
        rows = re.findall(r"<tr><th.*?</tr>", table.partition("<tbody>")[2], re.S)
        self.assertEqual(len(rows), len(PUBLISHED))
        for path in PUBLISHED:
            report = json.loads(read(path))
            device = report["devices"][0]
            (row,) = [row for row in rows
                      if re.sub(r"<.*?>", "", row).startswith(
                          f"{device['name']}, {device['driver']['version']}")]
            failed = collections.Counter(result["family"] for result in report["results"]
                if result["expectation"] != "control" and
                (result["failed_runs"] or result["result"] in ("crash", "hang", "device-lost")))
            cells = re.findall(r"<td[^>]*>(?:<a[^>]*>)?(.*?)(?:</a>)?</td>", row)
            for family, cell in zip(families, cells, strict=True):
                self.assertEqual(int(cell.replace("\u2013", "0") or 0), failed[family], (row, family))

    def test_what_a_test_says(self):
        text = html.unescape(read(self.path("out/test/shuffle.scan-loop.html")))
        for words in ("Does a Kogge-Stone scan", "A failure:", "by <code>uniform-flow,tangled-wait",
                      "SPIR-V 1.6 Revision 6, 3.3.24", "6 of 24", "seen since", "2026-11-22",
                      "passed on 2026-11-22 (driver 22.3.6)", "never written",
                      "../finding/lavapipe-25.0.7-subgroup-barrier-waits.html"):
            self.assertIn(words, text)
        # Nothing of the machine that made it.
        self.assertNotIn(harness.BUILD, text)
        self.assertIn(">litmus run ", text)

    def test_what_a_shader_may_rely_on(self):
        text = html.unescape(self.only("out/device/nvidia*.html"))
        rely = re.search(r'<section id="rely".*?</section>', text, re.S).group()
        self.assertRegex(rely, r"beside many bounds checks</th>.*?driver bug</td>.*?>0\.77 ")
        self.assertRegex(rely, r"put in: the loop control DontUnroll<.*?helps</td>.*?>< 3\.7e-3<")
        self.assertRegex(rely, r"in a loop in which one lane has work of its own</th>.*?yes</td>")
        (path,) = [path for path in PUBLISHED if "nvidia" in path]
        ran = [result for result in json.loads(read(path))["results"]
               if result["expectation"] == "forbidden" and result["runs"]]
        failed = sum(result["failed_runs"] > 0 for result in ran)
        self.assertIn(f"{failed} of {len(ran)} forbidden configurations failed", text)

    def test_a_finding_has_its_whole_report(self):
        for path in glob.glob(os.path.join(harness.SOURCE, "reports", "findings", "*-*.md")):
            name = os.path.basename(path)[:-3]
            shown = self.words("".join(self.parse(self.only(f"out/finding/{name}.html")).text))
            report = read(path)
            for target in re.findall(r"\]\((.*?)\)", report):
                report = report.replace(f"]({target})", "]")
            # But for marks, rules of tables, and the numbers that a list draws.
            lines = [line for line in report.splitlines() if not re.match(r"\|[-| :]+$|```", line)]
            for line in lines:
                self.assertIn(self.words(re.sub(r"^(- |\d+\. |#+ )", "", line)), shown, name)

    def words(self, text):
        return re.sub(r"[\s`*|\[\]]", "", text)

    def test_how_a_report_is_set(self):
        text = html.unescape(self.only("out/finding/lavapipe-22.3.6-loop-limit.html"))
        self.assertIn("<li>SPIR-V, Control-Flow Instructions, OpBranchConditional: the", text)
        self.assertRegex(text, r"<pre>%next +=.*\n%step +=")
        self.assertIn('<td data-of="form">nested, the inner of 1,000</td>', text)
        self.assertIn('<th scope="col">failed runs of 1,000</th>', text)
        self.assertIn('<td data-of="counted, first instance"><b>65,405</b></td>', text)
        self.assertRegex(text, r'<h2 id="report-the-place-title">The place<')
        text = self.only("out/finding/lavapipe-22.3.6-memory-barrier-waits.html")
        self.assertRegex(text, r'<ol class="rules">\n<li><code>src/compiler/spirv/spirv_to_nir\.c')
        link = '<a rel="noreferrer" href="../finding/lavapipe-22.3.6-loop-limit.html">'
        self.assertEqual([name for name, body in self.content().items() if link in body],
                         ["finding/lavapipe-22.3.6-memory-barrier-waits.html"])

    def test_the_same_again(self):
        before = self.content()
        self.site(*reversed(PUBLISHED))
        self.assertEqual(self.content(), before)
        self.assertEqual(os.listdir(self.folder), ["out"])


class OfStores(Sites):
    def test_reports_and_stores_together(self):
        for session in ("1", "5"):
            self.write(f"{session}.json", json.dumps(self.report(STORE, "--session", session)))
        self.assertIn("of 2 sessions", self.site("1.json", "5.json"))
        self.check_pages()
        # A store has all its sessions, and one that is there already is the same.
        self.assertIn("of 7 sessions", self.site(STORE))
        self.assertIn("of 1 session ", self.site(f"{STORE}#2"))
        self.assertIn("of 7 sessions", self.site(STORE, "1.json"))

    def test_parts_that_began_together_are_two(self):
        writer = self.empty_store()
        for name in ("shuffle.moves", "shuffle.xor"):
            session = writer.session(started="2026-11-02T02:09:00Z")
            device = writer.device(session, 1)
            writer.result(session, device, f"{name}@workgroup=64", outcomes={0: 1000})
        writer.close()
        self.assertIn("of 2 sessions", self.site("litmus.db"))
        for name in ("moves", "xor"):
            self.assertTrue(os.path.exists(self.path(f"out/test/shuffle.{name}.html")))

    def test_since_when(self):
        writer = self.empty_store()
        for version, failed in (("1.0", 0), ("2.0", 40), ("10.0", 40), ("11.0", 0)):
            session = writer.session()
            device = writer.device(session, 1, driver_version=version)
            writer.result(session, device, "shuffle.moves@workgroup=64", failed_runs=failed,
                          failed_instances=failed, result="fail" if failed else "pass",
                          outcomes={0: 1000 - failed, 3: failed})
        writer.close()
        self.site("litmus.db")
        self.check_pages()
        text = self.only("out/test/shuffle.moves.html")
        self.assertIn("fails since 2026-11-03 (driver 2.0); passed on 2026-11-02 (driver 1.0)",
                      text)
        rows = re.findall(r"<tr><th scope=\"row\".*?</tr>", text, re.S)
        self.assertEqual([re.search(r", ([0-9.]+)</a>", row).group(1) for row in rows[:4]],
                         ["1.0", "2.0", "10.0", "11.0"])
        self.assertEqual(["2026-11-03" in row for row in rows[:4]], [False, True, False, False])

    def test_several_sessions_of_a_driver(self):
        """A failure counts until the test's code changes; the newest result stands for the rest."""
        writer = self.empty_store()
        for failed, later in ((40, 40), (0, 0)):
            session = writer.session()
            device = writer.device(session, 1)
            for name, count, sha in (("shuffle.kept", failed, "ab"),
                                     ("shuffle.revised", later, "cd" if later else "ef"),
                                     ("shuffle.quiet", 0, "ab")):
                writer.result(session, device, f"{name}@workgroup=64", failed_runs=count,
                              failed_instances=count, result="fail" if count else "pass",
                              outcomes={0: 1000 - count, 3: count}, sha256=sha * 32)
        writer.close()
        self.site("litmus.db")
        self.assertIn("1 of 1", self.only("out/test/shuffle.kept.html"))
        for name in ("revised", "quiet"):
            self.assertIn("0 of 1", self.only(f"out/test/shuffle.{name}.html"))

    def test_code_side_by_side(self):
        self.litmus("run", HAZARD.format("none"), HAZARD.format("control-each"), "-n", "10",
                    "-q", "--simt", "snooping,subgroup=8", drivers=[harness.SIMT], code=1)
        self.site("litmus.db")
        self.check_pages()
        text = self.only("out/test/shuffle.scan-loop.html")
        code = re.search(r'<section id="code".*?</section>', text, re.S).group()
        self.assertRegex(code, r"<del>-[^<]*OpControlBarrier")
        self.assertIn("never failed", code)
        self.assertRegex(text, r">litmus run [0-9a-f ]+ --simt snooping,")
        # A report of it has no listings.
        self.litmus("report", "-f", "json", "-o", "report.json", code=0)
        self.site("report.json")
        self.assertNotIn('id="code"', self.only("out/test/shuffle.scan-loop.html"))

    def test_hostile_texts(self):
        writer = self.empty_store()
        session = stores.be_hostile(writer)
        device = writer.database.execute("SELECT id FROM device").fetchone()[0]
        for name in ("../../x", "/etc/passwd", "..", "con.x", "a/../../b@workgroup=1", ".hidden.x",
                     "A.B", "a.b", "\u00e4.b", "x." + "y" * 300):
            writer.result(session, device, name, failed_runs=1, failed_instances=1, result="fail",
                          outcomes={0: 999, 3: 1})
        writer.close()
        before = set(os.listdir(self.folder))
        self.site("litmus.db")
        self.assertEqual(set(os.listdir(self.folder)), before | {"out"})
        pages = self.check_pages()
        for name in pages:
            self.assertRegex(name, r"^([a-z]+/)?[a-z0-9_-]+(\.[a-z0-9_-]+)*\.html$")
            self.assertLess(len(os.path.basename(name)), 120)
        self.assertIn("test/a.b.html", pages)
        self.assertEqual(sum(bool(re.match(r"test/(a\.b|b-|.*x-)", name)) for name in pages) > 3,
                         True)
        text = "".join("".join(self.parse(body).text) for body in pages.values())
        self.assert_all_in(text, *stores.HOSTILE[:4])
        self.assertNotRegex("".join(pages.values()), r"<script>boom|<img|<svg onload")

    def test_many_results_keep_pages_small(self):
        writer = self.empty_store()
        stores.invent(writer, 6000, devices=6)
        writer.close()
        self.site("litmus.db")
        pages = self.check_pages()
        self.assertGreater(len(pages), 90)


class TheFolder(Sites):
    REPORT, OTHER = f"{STORE}#7", f"{STORE}#1"

    def refused(self, *words, folder="out", reports=(REPORT,)):
        before = {name: read(os.path.join(at, name)) for at, _, names in os.walk(self.folder)
                  for name in names}
        self.assert_one_line(self.litmus("site", folder, *reports), 2, *words)
        after = {name: read(os.path.join(at, name)) for at, _, names in os.walk(self.folder)
                 for name in names}
        self.assertEqual(after, before)

    def test_is_replaced_as_a_whole(self):
        self.site(self.OTHER)
        first = self.names()
        self.site(self.REPORT, folder="out/")
        self.assertNotEqual(self.names(), first)
        self.check_pages()
        self.assertEqual(os.listdir(self.folder), ["out"])
        self.assertEqual(oct(os.stat(self.path("out")).st_mode & 0o777), "0o755")
        # A link is followed.
        os.symlink("out", self.path("link"))
        self.site(self.OTHER, folder="link")
        self.assertEqual(self.names(), first)
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "out"])
        self.assertTrue(os.path.islink(self.path("link")))

    def test_is_made_with_those_above(self):
        os.mkdir(self.path("empty"))
        self.site(self.REPORT, folder="empty")
        self.site(self.REPORT, folder="a/b/c")
        self.assertEqual(self.names("a/b/c"), self.names("empty"))

    def test_of_others_is_left_alone(self):
        os.mkdir(self.path("out"))
        self.write("out/thesis.txt", "years of work")
        self.refused("not ours to replace")
        self.write("out/.litmus-site", "thesis.html\n")
        self.refused("thesis.txt")
        self.write("file", "x")
        self.refused("no folder", folder="file")

    def test_with_files_of_others_is_left_alone(self):
        self.site(self.REPORT)
        self.write("out/test/CNAME", "example.org")
        self.refused("test/CNAME", "move it away")
        os.unlink(self.path("out/test/CNAME"))
        os.symlink("/etc", self.path("out/link"))
        self.refused("link", "move it away")
        os.unlink(self.path("out/link"))
        os.makedirs(self.path("out/test/deeper"))
        self.refused("test/deeper")

    def test_a_fault_leaves_what_was(self):
        self.site(self.REPORT)
        self.write("bad.json", "{")
        self.refused("bad.json", "cut off", reports=(self.REPORT, "bad.json"))
        self.refused("missing.db", reports=("missing.db",))
        self.write("empty.json", "")
        self.refused("empty.json", reports=("empty.json",))
        self.refused("missing report", reports=())
        self.assert_one_line(self.litmus("site"), 2, "missing folder")
        self.assert_one_line(self.litmus("site", "/proc/no/such", self.REPORT), 2, "/proc/no")


class InABrowser(Published, page.InABrowser):
    def open(self, name, **how):
        tab = self.browser.page(**how)
        self.addCleanup(tab.close)
        tab.open(self.path("out/" + name))
        return tab

    def test_fits_and_asks_for_nothing(self):
        device = os.path.relpath(glob.glob(self.path("out/device/nvidia*"))[0], self.path("out"))
        findings = [name for name in self.names() if name.startswith("finding/")]
        both = [(420, "light"), (420, "dark"), (1300, "light"), (1300, "dark")]
        for name in ("index.html", "test/shuffle.scan-loop.html", device, *findings):
            for width, scheme in both[::3 if name in findings[1:] else 1]:
                tab = self.open(name, width=width, scheme=scheme)
                tab.evaluate("document.querySelectorAll('section').forEach((section) => {"
                             "section.style.contentVisibility = 'visible'; })")
                self.assertEqual(tab.evaluate("document.documentElement.scrollWidth"), width, name)
                # Nor is there a table that has to be scrolled sideways.
                wide = tab.evaluate("[...document.querySelectorAll('.wide')].filter((e) => "
                                    "e.scrollWidth > e.clientWidth + 1).map((e) => e.ariaLabel)")
                self.assertEqual(wide, [], (name, width))
                self.assertEqual(tab.complaints(), [])
                # All of the navigation is in sight.
                hidden = tab.evaluate("[...document.querySelectorAll('nav > ul, nav > ul a, #find, "
                                      "#scheme')].filter((e) => e.scrollWidth > e.clientWidth && "
                                      "e.matches('ul') || e.getBoundingClientRect().right > "
                                      "innerWidth).map((e) => e.outerHTML)")
                self.assertEqual(hidden, [], (name, width))
                ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
                self.assertEqual(ground, "rgb(18, 20, 25)" if scheme == "dark" else
                                 "rgb(247, 246, 243)")

    def search(self, tab, text):
        return tab.evaluate(f"""(() => {{
            const input = document.getElementById('search');
            input.value = {text!r};
            input.dispatchEvent(new Event('input'));
            return [...document.querySelectorAll('#found a')].map((a) => a.textContent);
        }})()""")

    def test_search(self):
        tab = self.open("index.html", width=420)
        self.assertTrue(self.search(tab, "scan-loop")[0].startswith("test shuffle.scan-loop"))
        self.assertTrue(self.search(tab, "H200")[0].startswith("device NVIDIA H200, 580.159.04"))
        self.assertTrue(self.search(tab, "65,535")[0].startswith("finding lavapipe, Mesa 22.3.6"))
        self.assertIn("test shuffle.scan-loop", self.search(tab, "3f36437f")[0])  # an id
        self.assertEqual(len(self.search(tab, "a")), 12)
        self.assertEqual(self.search(tab, "no such thing"), [])
        self.assertIn("Nothing found", tab.evaluate("document.getElementById('found').textContent"))
        found = tab.evaluate("(() => { const box = document.getElementById('found')"
                             ".getBoundingClientRect(); return [box.left, box.right]; })()")
        self.assertGreaterEqual(found[0], 0)
        self.assertLessEqual(found[1], 420)
        self.search(tab, "")
        self.assertTrue(tab.evaluate("document.getElementById('found').hidden"))

    def test_search_with_the_keyboard_leads_to_a_page(self):
        tab = self.open("finding/lavapipe-22.3.6-loop-limit.html")
        tab.press("/")
        self.assertEqual(tab.evaluate("document.activeElement.id"), "search")
        for letter in "coherence":
            tab.press(letter)
        self.browser.events.clear()
        tab.press("Enter")
        tab.wait("Page.loadEventFired")
        self.assertEqual(tab.evaluate("document.querySelector('h1').textContent"),
                         "memory.coherence")
        self.assertEqual(tab.complaints(), [])

    def test_the_scheme_is_kept_and_sections_have_links(self):
        tab = self.open("index.html", scheme="light")
        tab.evaluate("document.getElementById('scheme').click()")
        tab.open(self.path("out/test/shuffle.scan-loop.html"))
        self.assertEqual(tab.evaluate("document.documentElement.dataset.scheme"), "dark")
        tab.evaluate("document.querySelector('#rules .anchor').click()")
        self.assertEqual(tab.evaluate("location.hash"), "#rules")

    def test_without_scripts(self):
        tab = self.open("index.html", scripts=False)
        hidden = tab.evaluate("document.getElementById('find').hidden")
        self.assertTrue(hidden)


harness.main(__name__)
