#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the CPU side costs may not grow. Counts instructions under callgrind, and compares each cost
with that of a reference from the same run; and looks at shares of CPU time. limits.json beside this
file has what is compared and how much it may be. No limit is in seconds.

    guard.py --build build-check          judges
    guard.py --build build-check --set    writes the ratios of this run to limits.json

A cost is per item: what the second N items took, (cost(2 N) - cost(N)) / N. It fails if it is more
than its ratio to the reference and the margin, and if the second N items cost more than the first.
"""

import argparse
import glob
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LIMITS = os.path.join(HERE, "limits.json")


class Wrong(Exception):
    """Something that ends the program with one line."""


def load_bench():
    """tools/bench, which knows how to tell a supervisor's CPU time from its workers'."""
    path = os.path.join(ROOT, "tools", "bench")
    loader = importlib.machinery.SourceFileLoader("bench", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
    loader.exec_module(module)
    return module


# ---- instructions

def callgrind(folder, name, *command, more=()):
    """Runs a command under callgrind; gives the names of the files that it wrote."""
    # The C library has other functions for other processors, and fills what is allocated and freed
    # if it is asked to, as meson does for tests.
    environment = {**os.environ, "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW"}
    environment.pop("MALLOC_PERTURB_", None)
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/{name}", *more, *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=environment, check=False)
    if done.returncode != 0:
        raise Wrong(f"{' '.join(command)}: exit {done.returncode}: {done.stdout[-600:]}")
    return glob.glob(f"{folder}/{name}.*") or [f"{folder}/{name}"]


def total(path):
    """(what a dump is of, its instructions)"""
    with open(path) as file:
        text = file.read()
    label = re.search(r"^desc: Trigger: Client Request: (\S+) (\d+)$", text, re.M)
    return label and (label.group(1), int(label.group(2))), int(
        re.search(r"^totals: (\d+)$", text, re.M).group(1))


def count_work(build, folder):
    """Of each piece of work its items N, cost(N) and cost(2 N)."""
    os.mkdir(f"{folder}/scratch")
    found = {}
    for path in callgrind(folder, "work", f"{build}/tests/perf/perf-cost", f"{folder}/scratch",
                          more=["--instr-atstart=no"]):
        label, instructions = total(path)
        if label:
            found.setdefault(label[0], {})[label[1]] = instructions
    counts = {}
    for name, costs in found.items():
        (few, first), (twice, both) = sorted(costs.items())
        assert twice == 2 * few, name
        counts[name] = {"n": few, "first": first, "both": both, "each": (both - first) / few,
                        "growth": (both - first) / first}
    return counts


def count_programs(build, folder, rows):
    """Instructions of whole commands, of which files are in the build folder; of one that does
    nothing as ''."""
    counts = {"": total(callgrind(folder, "nothing", f"{build}/tests/perf/perf-cost")[0])[1]}
    for i, row in enumerate(rows):
        program, *words = row["command"].split()
        words = [f"{build}/{word}" if os.path.exists(f"{build}/{word}") else word
                 for word in words]
        path = callgrind(folder, f"program{i}", f"{build}/{program}", *words)[0]
        counts[row["command"]] = total(path)[1]
    return counts


# ---- shares

def at_path(value, path):
    """The number at "rows.0.share" of a JSON text; with * the least one."""
    head, _, rest = path.partition(".")
    if not path:
        return float(value)
    if head == "*":
        return min(at_path(item, rest) for item in value)
    return at_path(value[int(head)] if isinstance(value, list) else value[head], rest)


def take_share(build, row, bench):
    """A share that the program says itself, or the supervisor's part of all CPU time."""
    program = f"{build}/harness/litmus"
    driver = bench.lavapipes()[0]
    environment = bench.environment_of(driver)
    if "json" in row:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/said.json"
            done = subprocess.run([program, *row["arguments"], "--json", path], env=environment,
                                  text=True, check=False, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
            if done.returncode != 0:
                raise Wrong(f"{row['name']}: exit {done.returncode}: {done.stderr[-300:]}")
            with open(path) as file:
                said = json.load(file)
        return sum(at_path(said, part) for part in row["json"])
    taken = bench.measure([program, *row["arguments"]], environment)
    return taken["supervisor_cpu"] / (taken["supervisor_cpu"] + taken["workers_cpu"])


# ---- verdicts

class Verdicts:
    def __init__(self):
        self.failed = 0

    def say(self, good, what, *words):
        self.failed += not good
        print(f"{'ok  ' if good else 'FAIL'}  {what}: {', '.join(words)}")


def ratio_of(row, works):
    if "program" in row:
        return row["program"] / row["reference"]
    return works[row["work"]]["each"] / works[row["of"]]["each"]


def is_within(ratio, row, limits):
    return ratio <= row["ratio"] * (1 + row.get("margin", limits["margin"]))


def judge_costs(limits, works, verdicts):
    rows = {row["work"]: row for row in limits["costs"]}
    for row in limits["costs"]:
        ratio, growth = ratio_of(row, works), works[row["work"]]["growth"]
        verdicts.say(is_within(ratio, row, limits) and growth <= limits["growth"], row["work"],
                     f"{works[row['work']]['each']:,.0f} instructions each",
                     f"{ratio:.3f} of {row['of']} (set at {row['ratio']:.3f})",
                     f"the second half {growth:.2f} times the first")
    # Work that is wasteful on purpose: a guard that lets it pass guards nothing.
    for waste in limits["waste"]:
        row = rows[waste["like"]]
        ratio = works[waste["work"]]["each"] / works[row["of"]]["each"]
        growth = works[waste["work"]]["growth"]
        good = growth > limits["growth"] if waste["by"] == "growth" else not is_within(
            ratio, row, limits)
        verdicts.say(good, waste["work"], f"has to be caught by its {waste['by']}",
                     f"{ratio:.3f} of {row['of']}", f"{growth:.2f} times the first half")


def judge_programs(limits, works, programs, verdicts):
    for row in limits["programs"]:
        name = row["command"]
        reference = programs[""] if row["of"] == "nothing" else works[row["of"]]["each"]
        ratio = programs[name] / reference
        verdicts.say(is_within(ratio, row, limits), name, f"{programs[name]:,} instructions",
                     f"{ratio:.3f} of {row['of']} (set at {row['ratio']:.3f})")


def judge_shares(limits, build, verdicts):
    bench = load_bench()
    if not bench.lavapipes():
        print("skip  shares of CPU time: no lavapipe is installed")
        return
    for row in limits["shares"]:
        share = take_share(build, row, bench)
        good = share <= row.get("most", 1) and share >= row.get("least", 0)
        bound = f"at most {row['most']}" if "most" in row else f"at least {row['least']}"
        verdicts.say(good, row["name"], f"{share:.4f}", bound)


def set_limits(limits, works, programs):
    for row in limits["costs"]:
        row["ratio"] = round(ratio_of(row, works), 4)
    for row in limits["programs"]:
        reference = programs[""] if row["of"] == "nothing" else works[row["of"]]["each"]
        row["ratio"] = round(programs[row["command"]] / reference, 4)
    with open(LIMITS, "w") as file:
        json.dump(limits, file, indent=1)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), metavar="FOLDER",
                        help="the build folder (default: build)")
    parser.add_argument("--set", action="store_true",
                        help="write the ratios that are seen to limits.json, judge nothing")
    options = parser.parse_args()
    with open(LIMITS) as file:
        limits = json.load(file)
    # The sample of tools/check counts instructions alone.
    if os.environ.get("LITMUS_SAMPLE"):
        limits["shares"] = []
    verdicts = Verdicts()
    try:
        with tempfile.TemporaryDirectory(prefix="litmus-guard-") as folder:
            works = count_work(options.build, folder)
            programs = count_programs(options.build, folder, limits["programs"])
        if options.set:
            set_limits(limits, works, programs)
            return 0
        judge_costs(limits, works, verdicts)
        judge_programs(limits, works, programs, verdicts)
        judge_shares(limits, options.build, verdicts)
    except (Wrong, OSError, KeyError, ValueError) as error:
        print(f"guard: {error!r}" if isinstance(error, KeyError) else f"guard: {error}",
              file=sys.stderr)
        return 1
    if verdicts.failed:
        print(f"{verdicts.failed} failed. Where a cost is meant to be higher: "
              "tests/perf/guard.py --build FOLDER --set, and say why in the commit.")
    return verdicts.failed > 0


if __name__ == "__main__":
    sys.exit(main())
