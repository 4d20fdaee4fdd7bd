# SPDX-License-Identifier: Apache-2.0
"""Stores that no machine measured: invented results, hostile texts."""

import random
import sqlite3

import harness

FAMILIES = ("barrier", "broadcast", "lookback", "loop", "memory", "progress", "reconvergence",
            "scan", "shuffle", "sync-matrix")
EXPECTATIONS = ("forbidden", "forbidden", "contested", "assumed", "control")

# What would end an element or an attribute, or run, or is only unusual.
HOSTILE = ("</script><script>boom()</script>", "<img src=x onerror=boom()>",
           "\"'><svg onload=boom()>", "]]>--><!--", "&lt;b&gt; &amp;", "${boom()}`",
           "javascript:boom()", "\u00e4 \u4e2d \U0001f600",
           "\u0645\u0631 (abc)", "a" * 300)


class Writer:
    """Adds sessions to a store that the program has made, by its own tables."""

    def __init__(self, path):
        self.path = path
        self.database = sqlite3.connect(path)
        self.database.execute("PRAGMA foreign_keys = ON")
        self.columns = {}
        for table in ("session", "device", "result"):
            rows = self.database.execute(f"PRAGMA table_info({table})").fetchall()
            self.columns[table] = [row[1] for row in rows]

    def close(self):
        self.database.commit()
        self.database.close()
        harness.edit(self.path, "")

    def insert(self, table, **values):
        names = [name for name in values if name in self.columns[table]]
        marks = ",".join("?" * len(names))
        cursor = self.database.execute(
            f"INSERT INTO {table} ({','.join(names)}) VALUES ({marks})",
            [values[name] for name in names])
        return cursor.lastrowid

    def session(self, **values):
        number = self.database.execute("SELECT coalesce(max(id), 0) + 1 FROM session").fetchone()[0]
        row = {"id": number, "version": "1.0.0", "command": "litmus --all", "system": "Linux",
               "started": f"2026-11-{number % 28 + 1:02}T02:09:00Z", "seed": "0x5eed",
               "runs": 1000, "finished": 1, "options": "{}", "uuid": f"{number:016x}",
               "shard": "", "shard_index": 0, "shard_count": 0}
        self.insert("session", **{**row, **values})
        return number

    def device(self, session, number, **values):
        row = {"session": session, "number": number, "checker": "device", "name": f"GPU {number}",
               "driver_name": "example", "driver_info": "", "driver_version": "1.2.3",
               "device_uuid": bytes([number] * 16), "driver_uuid": bytes(16), "driver_id": 1,
               "vendor": 0x10de, "product": 1, "api": 1 << 22 | 3 << 12, "driver_raw": 1, "cpu": 0,
               "type": "discrete", "subgroup": 32, "subgroup_min": 32, "subgroup_max": 32,
               "subgroup_control": 1, "max_workgroup": 1024, "max_workgroups": 65535,
               "max_subgroups": 0, "max_shared": 32768, "max_storage_buffer": 1 << 30,
               "features": "0x7", "loader": "1.3.239", **values}
        row["id"] = str(number)
        self.insert("device", **row)
        return row["id"]

    def result(self, session, device, name, outcomes=None, choices=(), **values):
        row = {"session": session, "device": device, "name": name, "result": "pass", "reason": "",
               "expectation": "forbidden", "sha256": "ab" * 32, "headline": "", "seed": "0x5eed",
               "checked_as": "equal", "runs": 1000, "failed_runs": 0, "no_progress_runs": 0,
               "first_run_failed": 0, "instances": 1000, "failed_instances": 0, "seconds": 0.25,
               "stress": "", "rule": "", "first": 0, **values}
        number = self.insert("result", **row)
        for outcome, count in (outcomes or {0: row["instances"]}).items():
            if count:
                self.database.execute("INSERT INTO outcome VALUES (?, ?, ?)",
                                      (number, outcome, count))
        for place, (choice, fails) in enumerate(choices):
            self.database.execute("INSERT INTO choice VALUES (?, ?, ?, ?)",
                                  (number, place, choice, fails))
        return number

    def failure(self, result, number, where, run=1, outcome=3, got=1, want=2):
        self.database.execute("INSERT INTO failure VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                              (result, number, run, number, 4 * number, where, outcome, got, want))


def invent(writer, count, devices=3, seed=1):
    """A session of invented results on several devices: most pass, some fail, skip or crash."""
    draw = random.Random(seed)
    session = writer.session()
    names = [writer.device(session, number) for number in range(1, devices + 1)]
    for i in range(count):
        sync, form = ("none", "memory", "control")[i % 3], ("loop", "unrolled")[i % 2]
        name = (f"{FAMILIES[i % 10]}.test-{i // 10 % 9}/sync={sync},form={form}"
                f"@workgroup={64 << i % 5},elements={i // devices},subgroup=32")
        failed = draw.choice([0] * 12 + [1, 3, 40, 990, 1000])
        ended = "fail" if failed else draw.choice(["pass"] * 12 + ["skip", "crash"])
        ran = ended in ("pass", "fail")
        result = writer.result(
            session, names[i % devices], name,
            {0: 16 * (1000 - failed), 3: 16 * failed} if ran else {}, result=ended,
            reason="" if ran else "shaderInt64", expectation=EXPECTATIONS[i // 7 % 5],
            sha256=f"{i // 4:064x}", runs=1000 * ran, failed_runs=failed, instances=16000 * ran,
            failed_instances=16 * failed)
        for number in range(3 if failed else 0):
            writer.failure(result, number, f"lane {number}, iteration 9")
    return session


def over_drivers(writer):
    """Sessions under three drivers: results move, stay, appear, or ran under stress."""
    for version, failed, lacking in (("1.0", 0, 1), ("2.0", 40, 0), ("3.0", 0, 0)):
        session = writer.session()
        device = writer.device(session, 1, driver_version=version)
        other = writer.device(session, 2, name="Another", driver_version="9")
        writer.result(session, device, "shuffle.moves@workgroup=64", failed_runs=failed,
                      result="fail" if failed else "pass")
        writer.result(session, device, "shuffle.stays@workgroup=64")
        writer.result(session, device, "shuffle.appears@workgroup=64",
                      result="skip" if lacking else "pass", runs=0 if lacking else 1000,
                      instances=0 if lacking else 1000)
        writer.result(session, device, "shuffle.tuned@workgroup=64", failed_runs=failed,
                      result="fail" if failed else "pass", stress="" if lacking else version)
        writer.result(session, other, "shuffle.moves@workgroup=64")


def be_hostile(writer):
    """A session in which every text that a store may hold is one of HOSTILE."""
    evil = HOSTILE
    session = writer.session(command=evil[0], system=evil[1], version=evil[2])
    for number in (1, 2):
        device = writer.device(session, number, name=evil[number], driver_name=evil[3],
                               driver_info=evil[4], driver_version=evil[5 + number][:60],
                               loader=evil[5], checker=evil[0], type=evil[1][:20])
        for i, text in enumerate(evil):
            name = f"shuffle.{text}/sync={text}@workgroup={i}"
            result = writer.result(
                session, device, name, {0: 10, 2: 5, 3: 1}, [(text[:20], 0), (text[:19], 1)],
                checked_as="choice", result="fail" if i % 2 else "crash", reason=text,
                expectation="forbidden", headline=text, stress=text, rule=text,
                runs=2, failed_runs=1, instances=16, failed_instances=5)
            writer.failure(result, 0, text[:90])
    return session
