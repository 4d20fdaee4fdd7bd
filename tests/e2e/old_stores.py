# SPDX-License-Identifier: Apache-2.0
"""Stores that programs of older formats wrote (tests/stores), and files that are none."""

import json
import os
import shutil
import sqlite3

import harness
from harness import Case

STORES = os.path.join(harness.SOURCE, "tests", "stores")
FORMATS = (1, 2, 3, 4, 5, 6, 7, 8)
NOW = 9


def says(golden, now, path=""):
    """What `now` lacks of `golden`, or says otherwise; it may say more."""
    if isinstance(golden, dict) and isinstance(now, dict):
        for key, value in golden.items():
            # The words of the exit code's reason are not part of the format.
            if (path, key) in (("", "schema"), ("/summary/exit", "reason")):
                continue
            if key not in now:
                yield f"{path}/{key} is gone"
            else:
                yield from says(value, now[key], f"{path}/{key}")
    elif isinstance(golden, list) and isinstance(now, list) and len(golden) == len(now):
        for index, (left, right) in enumerate(zip(golden, now)):
            yield from says(left, right, f"{path}/{index}")
    elif golden != now:
        yield f"{path}: {golden} was said, and now {now}"


def identities(report):
    """What format 7 gave longer identities to: devices, and code."""
    found = [device["id"] for device in report["devices"]]
    return found + [result["code"]["digest"] for result in report["results"]
                    if result.get("code") and result["code"].get("digest")]


class OldStores(Case):
    def take(self, version):
        name = f"format-{version}.db"
        shutil.copyfile(os.path.join(STORES, name), self.path(name))
        return name

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def check_golden(self, version, store):
        for session in (1, 2, 3) if version == 4 else (1, 2):
            with open(os.path.join(STORES, f"format-{version}-{session}.json")) as file:
                text = file.read()
            now = self.report(store, "--session", str(session))
            before, after = identities(json.loads(text)), identities(now)
            self.assertEqual([len(name) for name in before + after],
                             [16 if version < 7 else 32] * len(before) + [32] * len(before))
            for old, new in zip(before, after):
                text = text.replace(old, new)
            golden = json.loads(text)
            self.assertEqual(list(says(golden, now)), [])

    def test_golden_files_say_something(self):
        with open(os.path.join(STORES, "format-2-1.json")) as file:
            golden = json.load(file)
        changed = json.loads(json.dumps(golden))
        changed["results"][0]["failed_runs"] += 1
        self.assertEqual(len(list(says(golden, changed))), 1)
        del changed["results"][1]["outcomes"]
        self.assertEqual(len(list(says(golden, changed))), 2)

    def test_read_as_they_are(self):
        for version in FORMATS:
            store = self.take(version)
            before = self.content(store)
            os.chmod(self.path(store), 0o444)
            self.check_golden(version, store)
            for arguments in ((), ("--sessions",), ("--json",), ("shuffle",), ("*",)):
                result = self.litmus("history", *arguments, "--db", store)
                self.assertEqual(result.code, 0, result)
            self.assertIn("22.3.6", self.litmus("history", "shuffle.*", "--db", store).out)
            self.assertEqual(self.content(store), before)
        self.assertEqual(sorted(os.listdir(self.folder)), [f"format-{version}.db" for version in FORMATS])

    def test_brought_up_to_date_by_a_writer(self):
        for version in FORMATS:
            store = self.take(version)
            run = self.litmus("run", harness.ONE, "-n", "1", "--db", store)
            self.assertEqual(run.code, 0, run)
            self.assertEqual(self.rows("PRAGMA user_version", store), [(NOW,)])
            self.check_golden(version, store)
            # A device has the identity that it has today, whenever it was measured.
            self.assertEqual(self.rows("SELECT count(DISTINCT id) - count(DISTINCT hex(device_uuid) || name"
                                       " || driver_info) FROM device", store), [(0,)])

    def test_the_same_session_in_whatever_form(self):
        for version in FORMATS:
            store = self.take(version)
            result = self.litmus("merge", "-o", "all.db", store)
            self.assertEqual(result.code, 0, result)
            self.check_golden(version, "all.db")
            self.assertEqual(self.rows("PRAGMA user_version", "all.db"), [(NOW,)])
            # Once brought up to date it has the identity that it was given here.
            self.assertEqual(self.litmus("run", harness.ONE, "-n", "1", "--db", store).code, 0)
            result = self.litmus("merge", "-o", "all.db", store)
            sessions = self.rows("SELECT count(*) FROM session", store)[0][0]
            self.assertIn(f"{sessions} sessions read, 1 new", result.out)
            os.remove(self.path("all.db"))


class Refused(Case):
    """One line, exit 2, and every file as it was."""

    def check(self, name, *words):
        with open(self.path(name), "rb") as file:
            before = file.read()
        good = os.path.join(STORES, "format-2.db")
        for arguments in (("report", "--db", name), ("history", "--db", name),
                          ("history", "*", "--db", name), ("merge", "-o", "out.db", good, name)):
            self.assert_one_line(self.litmus(*arguments), 2, name, *words)
        self.assertEqual(sorted(os.listdir(self.folder)), [name])
        with open(self.path(name), "rb") as file:
            self.assertEqual(file.read(), before)
        os.remove(self.path(name))

    def check_output(self, name, *words):
        with open(self.path(name), "rb") as file:
            before = file.read()
        good = os.path.join(STORES, "format-2.db")
        self.assert_one_line(self.litmus("merge", "-o", name, good), 2, name, *words)
        with open(self.path(name), "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(sorted(os.listdir(self.folder)), [name])

    def old(self, version):
        with open(os.path.join(STORES, f"format-{version}.db"), "rb") as file:
            return file.read()

    def execute(self, name, sql):
        database = sqlite3.connect(self.path(name))
        database.executescript(sql)
        database.close()

    def test_truncated(self):
        for version in FORMATS:
            content = self.old(version)
            self.write("short.db", content[:len(content) // 2 // 4096 * 4096])
            self.check_output("short.db", "damaged")
            self.check("short.db", "damaged")

    def test_empty(self):
        self.write("empty.db", "")
        self.check("empty.db", "empty")

    def test_text(self):
        self.write("notes.db", "not a store\n" * 1000)
        self.check_output("notes.db", "not a litmus store")
        self.check("notes.db", "not a litmus store")

    def test_of_another_program(self):
        self.execute("other.db", "CREATE TABLE session (id INTEGER); PRAGMA user_version = 1")
        self.check_output("other.db", "another program")
        self.check("other.db", "another program")

    def test_newer(self):
        self.write("newer.db", self.old(2))
        self.execute("newer.db", "PRAGMA user_version = 1000")
        self.check_output("newer.db", "newer litmus")
        self.check("newer.db", "newer litmus", "1000")

    def test_a_report(self):
        self.write("report.json", json.dumps({"schema": "litmus-report/2"}) + " " * 600)
        self.assert_one_line(self.litmus("merge", "report.json"), 2, "report.json", "JSON report")

    def test_hostile(self):
        """What this program would not have written, in tables that let it in."""
        for sql in ("UPDATE result SET failed_runs = runs + 1 WHERE runs > 0",
                    "UPDATE result SET runs = -1",
                    "UPDATE result SET seed = 'x'",
                    "UPDATE result SET result = 'fine'",
                    "UPDATE result SET sha256 = 'short'",
                    "UPDATE result SET device = 'nobody'",
                    "UPDATE session SET seed = 12",
                    "UPDATE device SET driver_uuid = x'00'"):
            self.write("hostile.db", self.old(2))
            self.execute("hostile.db", "PRAGMA foreign_keys = 0; PRAGMA ignore_check_constraints = 1;"
                         + sql)
            with self.subTest(sql=sql):
                for arguments in (("merge", "-o", "out.db", "hostile.db"),
                                  ("history", "*", "--db", "hostile.db")):
                    self.assert_one_line(self.litmus(*arguments), 2, "hostile.db", "damaged")
                self.assertEqual(os.listdir(self.folder), ["hostile.db"])


if __name__ == "__main__":
    harness.main()
