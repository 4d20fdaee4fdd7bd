# SPDX-License-Identifier: Apache-2.0
"""The HTML report in a browser: what it says, what it does, and how fast it is there."""

import re
import zlib

import harness
import page
import stores

COUNT = 10000
COUNTED = 240


@harness.unsanitized
class Opened(page.InABrowser):
    def make(self, fill):
        writer = self.empty_store()
        fill(writer)
        writer.close()
        return self.page()

    def open(self, **how):
        tab = self.browser.page(**how)
        self.addCleanup(tab.close)
        tab.open(self.path("page.html"))
        return tab

    def choose(self, tab, **filters):
        """Sets filters as a user does; returns how many results the page says it shows."""
        for name, value in filters.items():
            tab.evaluate(f"document.getElementById('by-{name}').value = {value!r}")
        tab.evaluate("document.getElementById('filter').dispatchEvent(new Event('input'))")
        said = tab.evaluate("document.getElementById('shown').textContent")
        drawn = tab.evaluate("document.querySelectorAll('#table tbody tr').length")
        number = int(said.split()[0].replace(",", ""))
        self.assertEqual(drawn, min(number, 100))
        return number


class WhatItDoes(Opened):
    def prepare(self):
        self.make(lambda writer: stores.invent(writer, COUNTED))
        report = self.report()
        self.json, self.devices = report["results"], report["devices"]

    def test_opens_in_both_schemes(self):
        grounds = set()
        for scheme in ("light", "dark"):
            tab = self.open(scheme=scheme)
            grounds.add(tab.evaluate("getComputedStyle(document.body).backgroundColor"))
            tab.evaluate("document.getElementById('scheme').click()")
            grounds.add(tab.evaluate("getComputedStyle(document.body).backgroundColor"))
            self.assertEqual(tab.complaints(), [])
        self.assertEqual(len(grounds), 2)

    def counted(self, **wanted):
        return sum(all(entry[key] == value for key, value in wanted.items()) for entry in self.json)

    def test_filters(self):
        tab = self.open()
        devices = {entry["number"]: entry["id"] for entry in self.devices}
        self.assertEqual(self.choose(tab), COUNTED)
        self.assertEqual(self.choose(tab, family="scan"), self.counted(family="scan"))
        self.assertEqual(self.choose(tab, expectation="forbidden"),
                         self.counted(family="scan", expectation="forbidden"))
        self.assertEqual(self.choose(tab, family="", expectation="", result="ended-crash"),
                         self.counted(result="crash"))
        self.assertEqual(self.choose(tab, result="", device="2"), self.counted(device=devices[2]))
        self.assertEqual(self.choose(tab, device="", text="SYNC=NONE  test-3"),
                         sum("sync=none" in entry["name"] and ".test-3" in entry["name"]
                             for entry in self.json))
        self.assertEqual(self.choose(tab, text="no such"), 0)
        tab.evaluate("document.querySelector('#filter button').click()")
        tab.evaluate("new Promise((done) => setTimeout(done, 50))")
        self.assertEqual(self.choose(tab), COUNTED)
        tab.evaluate("document.getElementById('more-all').click()")
        ids = tab.evaluate("[...document.querySelectorAll('#table tbody .id')]"
                           ".map((e) => e.textContent)")
        self.assertEqual(ids, [entry["id"] for entry in self.json])
        self.assertEqual(self.choose(tab, text=self.json[7]["name"]), 1)
        self.assertEqual(self.choose(tab, text=ids[9]), 1)

    def test_counts_lead_to_their_results(self):
        tab = self.open()
        for link in tab.evaluate("[...document.querySelectorAll('.families td a')]"
                                 ".map((link) => link.textContent)")[:12]:
            self.assertGreater(int(link), 0)
        said = tab.evaluate("""[...document.querySelectorAll('.families td a')].map((link) => {
            link.click();
            return [link.textContent, document.getElementById('shown').textContent.split(' ')[0]];
        })""")
        self.assertGreater(len(said), 30)
        for count, shown in said:
            self.assertEqual(count, shown)

    def column(self, tab, number):
        return tab.evaluate("[...document.querySelectorAll('#table tbody tr')].map((row) => "
                            f"Number(row.cells[{number}].textContent.replaceAll(',', '')))")

    def test_sorts(self):
        tab = self.open()
        press = "document.querySelector('[data-sort=failed]').click()"
        state = "document.querySelector('[data-sort=failed]').parentElement.ariaSort"
        self.assertEqual(tab.evaluate(state), "none")
        tab.evaluate(press)
        self.assertEqual(tab.evaluate(state), "descending")
        expected = sorted((entry["failed_runs"] for entry in self.json), reverse=True)
        self.assertEqual(self.column(tab, 5), expected[:100])
        tab.evaluate(press)
        self.assertEqual(tab.evaluate(state), "ascending")
        self.assertEqual(self.column(tab, 5), expected[::-1][:100])

    def test_a_row_unfolds(self):
        tab = self.open()
        tab.evaluate("document.querySelector('#table tbody button').click()")
        # Not innerText: sections outside the window are not laid out, and then it can be empty.
        text = tab.evaluate("document.querySelector('#table .detail').textContent")
        self.assertIn(self.json[0]["name"], text)
        self.assertRegex(text, f" run {self.json[0]['id']} -d [0-9a-f-]+ "
                               f"--seed {self.json[0]['seed']} -n 1000")
        self.assertIn(self.json[0]["spirv_sha256"], text)

    def focus(self, tab, condition, most=600):
        """Presses Tab until the focus is on what was asked for."""
        for _ in range(most):
            tab.press("Tab")
            if tab.evaluate(f"((e) => {condition})(document.activeElement)"):
                return
        self.fail(f"not reached with {most} presses of Tab: {condition}")

    def test_keyboard_alone(self):
        tab = self.open()
        tab.press("Tab")
        self.assertEqual(tab.evaluate("document.activeElement.className"), "jump")
        tab.press("Enter")
        self.focus(tab, "e.matches('.failure > summary')")
        before = tab.evaluate("document.activeElement.parentElement.open")
        tab.press("Enter")
        self.assertEqual(tab.evaluate("document.activeElement.parentElement.open"), not before)
        outline = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        self.assertEqual(outline, "solid")
        tab.evaluate("document.querySelector('.families tbody tr:last-child a').focus()")
        self.focus(tab, "e.id === 'by-text'")
        for letter in "scan":
            tab.press(letter)
        self.assertEqual(self.choose(tab), self.counted(family="scan"))
        self.focus(tab, "e.dataset.sort === 'runs'")
        tab.press("Enter")
        self.assertEqual(tab.evaluate("document.activeElement.parentElement.ariaSort"),
                         "descending")

    def test_everything_has_a_name(self):
        tab = self.open()
        nameless = tab.evaluate("""[...document.querySelectorAll('button, input, select, a')]
            .filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length))
            .map((e) => e.outerHTML)""")
        self.assertEqual(nameless, [])
        tab.evaluate("document.getElementById('results').scrollIntoView()")
        tab.send("Accessibility.enable")
        nodes = tab.send("Accessibility.getFullAXTree")["nodes"]
        roles = {node.get("role", {}).get("value") for node in nodes}
        self.assertLessEqual({"main", "navigation", "search", "table", "columnheader"}, roles)

    def test_without_scripts(self):
        tab = self.open(scripts=False)
        rows = tab.evaluate("document.querySelectorAll('noscript tbody tr').length")
        self.assertEqual(rows, COUNTED)
        self.assertFalse(tab.evaluate("document.getElementById('filter').checkVisibility()"))
        self.assertEqual(tab.complaints(), [])

    def test_prints(self):
        self.make(lambda writer: stores.invent(writer, 30))
        tab = self.open()
        content = tab.pdf()
        self.assertTrue(content.startswith(b"%PDF"))
        self.assertGreater(len(re.findall(rb"/Type\s*/Page\b", content)), 3)
        shown = 0
        for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.S):
            try:
                shown += len(re.findall(rb"T[jJ]\b", zlib.decompress(stream)))
            except zlib.error:
                pass
        self.assertGreater(shown, 200)
        tab.media("light", "print")
        self.assertFalse(tab.evaluate("document.querySelector('nav').checkVisibility()"))
        self.assertFalse(tab.evaluate("document.getElementById('filter').checkVisibility()"))

    def test_nothing_else_runs(self):
        content = self.read("page.html")
        self.write("page.html", content.replace("</main>", "<script>window.evil = 1</script>"
                                                "<b onclick='window.evil = 2'>b</b></main>"))
        tab = self.open()
        tab.evaluate("document.querySelector('main > b').click()")
        self.assertEqual(tab.evaluate("typeof window.evil"), "undefined")
        self.assertIn(str(COUNTED), tab.evaluate("document.getElementById('shown').textContent"))


class Hostile(Opened):
    def test_nothing_runs_and_nothing_is_lost(self):
        self.make(stores.be_hostile)
        tab = self.open()
        tab.evaluate("document.getElementById('more-all').click()")
        tab.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
        tab.evaluate("document.querySelectorAll('#table tbody button').forEach((e) => e.click())")
        self.assertEqual(tab.complaints(), [])
        strangers = "document.querySelectorAll('img, iframe, svg[onload]').length"
        self.assertEqual(tab.evaluate(strangers), 0)
        self.assertEqual(tab.evaluate("document.scripts.length"), 2)
        report = self.report()
        text = tab.evaluate("document.body.textContent")
        for value in (report["tool"]["command"], report["tool"]["system"],
                      report["devices"][0]["name"], report["devices"][0]["driver"]["info"],
                      *(entry[part] for entry in report["results"] for part in ("name", "reason"))):
            self.assertIn(value, text)


class WithCode(Opened):
    """Listings and differences: folded, reached by the keyboard, and never wider than the page."""

    def prepare(self):
        case = page.OfCode.SCAN
        run = self.litmus("run", case.format("none"), case.format("control-each"), "-n", "10", "-q",
                          "--simt", "snooping,subgroup=8", drivers=[harness.SIMT])
        self.assertIn(run.code, (0, 1), run)
        self.page()

    def test_leads_from_a_failure_to_its_code(self):
        tab = self.open()
        link = "document.querySelector('.failure a[href^=\"#code-\"]')"
        target = f"document.getElementById({link}.hash.slice(1))"
        self.assertFalse(tab.evaluate(f"{target}.open"))
        tab.evaluate(f"{link}.closest('details').open = true")
        tab.evaluate(f"{link}.focus()")
        tab.press("Enter")
        tab.evaluate("new Promise((done) => setTimeout(done, 100))")
        self.assertTrue(tab.evaluate(f"{target}.open"))
        # From there the listing unfolds and scrolls, by keys alone.
        tab.evaluate(f"{target}.querySelector(':scope > details > summary').focus()")
        tab.press("Enter")
        tab.press("Tab")
        self.assertTrue(tab.evaluate("document.activeElement.matches('.listing > pre')"))
        self.assertEqual(tab.evaluate("document.activeElement.ariaLabel"), "Code")
        self.assertEqual(tab.complaints(), [])

    def test_fits_a_telephone(self):
        tab = self.open(width=400)
        tab.evaluate(UNFOLD)
        self.assertLessEqual(tab.evaluate("document.documentElement.scrollWidth"), 400)
        scrolls = tab.evaluate("[...document.querySelectorAll('#code .wide, #code pre')]"
                               ".filter((e) => e.scrollWidth > e.clientWidth).length")
        self.assertGreater(scrolls, 0)

    def test_colours_differ_in_both_schemes(self):
        for scheme in ("light", "dark"):
            tab = self.open(scheme=scheme)
            tab.evaluate("document.querySelectorAll('#code details').forEach((e) => "
                         "{ e.open = true; })")
            grounds = [tab.evaluate(f"getComputedStyle(document.querySelector('{where}'))"
                                    ".backgroundColor")
                       for where in (".listing del", ".listing ins", ".listing mark", ".listing pre")]
            self.assertEqual(len(set(grounds[:2])), 2, grounds)
            self.assertNotEqual(grounds[2], grounds[3])
            self.assertEqual(tab.complaints(), [])


# Runs in the page: everything is unfolded and laid out, whether it is in the window or not.
UNFOLD = """document.querySelectorAll('details').forEach((e) => { e.open = true; });
    document.querySelectorAll('section').forEach((e) => { e.style.contentVisibility = 'visible'; });
    [...document.querySelectorAll('#table tbody button')].slice(0, 5).forEach((e) => e.click())"""

# Boxes whose content is wider than they are. Listings may scroll.
CUT = """[...document.querySelectorAll('body *')]
    .filter((e) => !e.closest('svg, pre, nav ul') && e.checkVisibility() &&
                   getComputedStyle(e).display !== 'inline' && e.scrollWidth > e.clientWidth + 1)
    .map((e) => `${e.tagName}.${e.className} ${e.scrollWidth} > ${e.clientWidth}: ` +
                e.textContent.slice(0, 80))"""

# What is drawn outside of its picture, with the strokes.
OUTSIDE = page.script("outside.js")

# The contrast of each text with what is behind it, and of each mark, by the definition of WCAG 2.
CONTRAST = page.script("contrast.js")


class Looks(Opened):
    """Nothing is cut off, added up or pale, on a telephone as on a desk, by day as by night."""

    RUNS, UNITS = 1024000, 262144000

    def prepare(self):
        self.make(self.fill)

    def fill(self, writer):
        """Two devices with numbers that are told from each other and from their sums."""
        session = writer.session(runs=self.RUNS)
        for number, total, failed in ((1, 307, 43), (2, 401, 59)):
            device = writer.device(session, number, name=f"Example GPU with a long name {number}",
                                   driver_version=f"{number}.25.0-a-long-version-of-a-driver")
            for i in range(total):
                family = ("shuffle", "memory")[i % 2]
                fails = i < 2 * failed and family == "memory"
                result = writer.result(
                    session, device, f"{family}.test-{i % 6}/sync={'control' if fails else 'none'}"
                    f"@workgroup=64,elements={1000 + i},subgroup=32",
                    {0: self.UNITS - 8781 * fails, 3: 8781 * fails},
                    result="fail" if fails else "pass", runs=self.RUNS, failed_runs=877 * fails,
                    instances=self.UNITS, failed_instances=8781 * fails, headline="shuffle hazard")
                if fails:
                    writer.failure(result, 0, "lane 31, iteration 9")

    def unfolded(self, **how):
        tab = self.open(**how)
        tab.evaluate(UNFOLD)
        self.assertEqual(tab.complaints(), [])
        return tab

    def test_nothing_is_cut(self):
        for fill in (self.fill, lambda writer: stores.invent(writer, COUNTED), stores.be_hostile,
                     stores.over_drivers):
            self.make(fill)
            for width in (420, 1300):
                tab = self.unfolded(width=width)
                self.assertEqual(tab.evaluate(CUT), [], width)
                self.assertEqual(tab.evaluate(OUTSIDE), [], width)

    def test_contrast(self):
        self.make(lambda writer: stores.invent(writer, COUNTED))
        for scheme in ("light", "dark"):
            seen, pale = self.unfolded(scheme=scheme).evaluate(CONTRAST)
            self.assertGreater(seen, 1000)
            self.assertEqual(pale, [], scheme)

    def test_families_unfold_where_something_failed(self):
        tab = self.open()
        states = tab.evaluate("""Object.fromEntries([...document.querySelectorAll('.family')].map(
            (e) => [e.querySelector('.test').textContent, e.open]))""")
        self.assertEqual(states, {"memory": True, "shuffle": False})
        tab.evaluate("document.querySelector('.heats tbody tr:last-child th a').click()")
        tab.evaluate("new Promise((done) => setTimeout(done, 100))")
        self.assertTrue(tab.evaluate("document.querySelectorAll('.family')[1].open"))

    def test_heat_map(self):
        tab = self.open()
        cells = tab.evaluate("""[...document.querySelectorAll('.heats tbody tr')].map(
            (row) => [...row.cells].map((cell) => cell.textContent))""")
        self.assertEqual([row[0] for row in cells], ["memory", "shuffle"])
        self.assertEqual([len(row) for row in cells], [3, 3])
        for (_, *row), words in zip(cells, (("43 of 153 failed", "59 of 200 failed"),
                                            ("never in 154", "never in 201"))):
            for cell, word in zip(row, words):
                self.assertIn(word, cell)
        grounds = tab.evaluate("""[...document.querySelectorAll('.heat')].map(
            (e) => getComputedStyle(e).backgroundColor)""")
        self.assertEqual(grounds[0], grounds[1])
        self.assertNotEqual(grounds[0], grounds[2])

    def test_rare_outcomes_are_seen(self):
        for width in (420, 1300):
            rows = self.open(width=width).evaluate("""
                [...document.querySelector('.histogram').tBodies[0].rows].map((row) =>
                    [row.textContent, row.querySelector('rect').getBoundingClientRect().width])
            """)
            self.assertIn("8,781", rows[1][0])
            self.assertIn("262,135,219", rows[0][0])
            self.assertGreater(rows[1][1], 20)
            self.assertGreater(rows[0][1], rows[1][1])

    def test_devices_are_never_pooled(self):
        tab = self.open()
        text = tab.evaluate("""(() => {
            document.querySelectorAll('script, #shown, #more').forEach((e) => e.remove());
            return document.body.textContent;
        })()""")
        numbers = {int(word.replace(",", "")) for word in
                   re.findall(r"(?<![\w.-])[0-9][0-9,]*(?![\w-])", text)}
        for one, two in ((43, 59), (307, 401), (153, 200), (154, 201), (307 - 43, 401 - 59)):
            self.assertLessEqual({one, two}, numbers)
            self.assertNotIn(one + two, numbers)


class Fast(Opened):
    def test_ten_thousand_results(self):
        content = self.make(lambda writer: stores.invent(writer, COUNT))
        tab = self.open()
        print(f"{COUNT:,} results, {len(content) / 1e6:.1f} MB: ready after {tab.cpu():.2f} s")
        self.assertLess(tab.cpu(), 3 * harness.SLOW)
        before = tab.cpu()
        self.assertEqual(self.choose(tab, family="scan"), COUNT // 10)
        self.assertLess(tab.cpu() - before, harness.SLOW)
        self.assertEqual(tab.complaints(), [])


harness.main(__name__)
