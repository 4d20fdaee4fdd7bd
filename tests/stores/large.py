#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills a store with many sessions, to see how long questions about it take: docs/store.md.

usage: large.py STORE SESSIONS RESULTS

STORE is one of the present format (`litmus merge -o STORE tests/stores/format-2.db` makes it). Each
session has one of 20 drivers (5 devices, 4 versions each) and RESULTS results, each with an outcome, and
one in fifty with a failure. The same numbers give the same store. It has no checksums, as format 5:
`litmus store check --repair` and any run that writes to it makes them.
"""

import os
import sqlite3
import sys

TESTS = 88

NAMES = f"""
WITH RECURSIVE c (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i + 1 < :results)
INSERT INTO temp.name SELECT i, printf('family%d.test-%d/sync=workgroup-in-loop,reconvergence=default,'
  || 'form=variables,op=add,mode=%d@workgroup=64,iterations=16,subgroup=32', i % {TESTS} % 7,
  i % {TESTS}, i / {TESTS}) FROM c"""

SESSION = """
INSERT INTO session (version, command, started, system, seed, runs, finished, options, uuid)
VALUES ('0.1.0', 'litmus run --all', strftime('%Y-%m-%dT%H:%M:%SZ', '2020-01-01', '+' || (:s * 7) || ' hours'), 'Linux',
  printf('0x%x', :s), 1000, 1, '{}', printf('%016x', :s + 1))"""

DEVICE = """
INSERT INTO device VALUES (:id, 1, :device, 'device', 'Example GPU ' || (:driver / 4), 'example',
  'Example 1.' || (:driver % 4), '1.' || (:driver % 4), zeroblob(16), zeroblob(16), 1, 1, 1, 4194304, 1,
  0, 'discrete', 32, 32, 32, 1, 1024, 65535, 32768, 1073741824, '0xfff', '1.3.239')"""

RESULTS = """
INSERT INTO result (session, device, name, result, reason, expectation, sha256, headline, seed,
  checked_as, runs, failed_runs, no_progress_runs, first_run_failed, instances, failed_instances, seconds)
SELECT :id, :device, name, iif(i % 50 = 0, 'fail', 'pass'), '', 'forbidden',
  printf('%064x', i * 7919 + :driver % 4 / 2), 'headline', printf('0x%x', :s), 'equal', 1000,
  iif(i % 50 = 0, (i + :s) % 5 + 1, 0), 0, 0, 8000, iif(i % 50 = 0, (i + :s) % 5 + 1, 0), 0.25
FROM temp.name ORDER BY i"""

DETAILS = """
INSERT INTO outcome SELECT id, 0, instances - failed_instances FROM result WHERE session = :id;
INSERT INTO outcome SELECT id, 1, failed_instances FROM result WHERE session = :id AND failed_runs;
INSERT INTO failure SELECT id, 0, 7, 3, 12, 'lane 3, iteration 9', 1, 5, 6 FROM result
  WHERE session = :id AND failed_runs;
INSERT INTO part SELECT id, 0, 0, runs, failed_runs, 0 FROM result WHERE session = :id"""


def device_id(driver):
    """As dev_facts_id has it: FNV-1a of what tells drivers apart."""
    words = b"\0" * 32 + b"\1\0\0\0"
    for text in (f"Example GPU {driver // 4}", f"Example 1.{driver % 4}", f"1.{driver % 4}"):
        words += text.encode() + b"\0"
    value = 0xcbf29ce484222325
    for byte in words:
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f"{value:016x}"


def main():
    path, sessions, results = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    db = sqlite3.connect(path)
    if db.execute("PRAGMA user_version").fetchone()[0] > 5:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "unseal.sql")) as file:
            db.executescript(file.read())
    db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000;"
                     "CREATE TEMP TABLE name (i INTEGER PRIMARY KEY, name TEXT)")
    db.execute(NAMES, {"results": results})
    for number in range(sessions):
        # Drivers follow one another, as dates go.
        driver = number % 5 * 4 + number * 4 // sessions
        row = {"s": number, "driver": driver, "device": device_id(driver), "results": results}
        row["id"] = db.execute(SESSION, row).lastrowid
        db.execute(DEVICE, row)
        db.execute(RESULTS, row)
        for statement in DETAILS.split(";"):
            db.execute(statement, row)
    db.commit()
    db.close()


if __name__ == "__main__":
    main()
