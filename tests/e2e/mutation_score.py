#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Properties of the mutation-score table: of the published numbers, and of fresh ones."""

import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys

import harness

TOOL = os.path.join(harness.SOURCE, "tools", "mutation-score")
NUMBERS = os.path.join(harness.SOURCE, "docs", "mutation-score.md")


class MutationScore(harness.Case):
    def tool(self, *arguments):
        done = subprocess.run([sys.executable, TOOL, "--program", harness.PROGRAM, *arguments],
                              cwd=self.folder, capture_output=True, text=True, check=False,
                              env=self.environment())
        self.assertEqual(done.returncode, 0, done)

    def load(self):
        """The tool's own tables."""
        loader = importlib.machinery.SourceFileLoader("mutation_score_tool", TOOL)
        tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
        loader.exec_module(tool)
        return tool

    def test_operators_are_the_simulators(self):
        """The tool and the page of the model know every operator."""
        tool = self.load()
        run = self.litmus("devices", "--simt", "miscompiling,nothing=1")
        known = run.err.strip().split(", ")
        self.assertEqual(tuple(known[known.index("instructions") + 1:]), tool.OPERATORS, run)
        page = os.path.join(harness.SOURCE, "docs", "models", "miscompiling.md")
        self.assertEqual(tuple(re.findall(r"(?m)^\| `([a-z-]+)` \|", harness.read(page))),
                         tool.OPERATORS)

    def test_published_numbers(self):
        """They have the properties, and the page is theirs."""
        self.tool("--check", "--out", NUMBERS)
        tool = self.load()
        self.assertEqual(harness.read(NUMBERS), tool.document(tool.load(NUMBERS[:-2] + "json")))

    def measure(self, models, *patterns, sizes="32"):
        table = self.path("table.md")
        self.tool("--runs", "1", "--seeds", "1", "--sizes", sizes, "--models", models, "--out",
                  table, *patterns)
        self.tool("--check", "--out", table)

    # What the sanitizers watch takes no part in this: neither tool nor driver are instrumented.
    @harness.never_sanitized
    def test_right_model(self):
        """Nothing forbidden fails under the legal adversary."""
        self.measure("tangled", "barrier.memory*", "lookback.scan/encoding=flag-payload*=30011,*",
                     "reconvergence.*/reconvergence=maximal*",
                     "shuffle.scan-loop/*form=ssa*descriptor*")

    @harness.never_sanitized
    def test_hazards(self):
        """Tests fail under the models that have their hazard."""
        self.measure("snooping,lagging,peeling,rendezvous,torn", "barrier.memory*",
                     "loop.desync/sync=none,exchange=up*store=each,pressure=none@*=128,"
                     "elected=last*weight=16",
                     "memory.atomicity/op=add,sides=workgroup*@*256,contenders=32,rounds=4*",
                     "reconvergence.break-ballot*", "reconvergence.loop-peeling*",
                     "shuffle.scan-loop/*form=ssa*descriptor*")

    @harness.never_sanitized
    def test_operators(self):
        """Tests of what compilers do fail under the operators, and none without any."""
        self.measure("none,load-order,load-late,store-late,member,dead,hoist,reuse,counter,"
                     "predicate,forward,barrier,atomic,zero", "cases.dawn-42240969",
                     "cases.llpc-426", "cases.llpc-77dbc90", "cases.vello-10-nv-crash-1",
                     "cases.wgpu-7319", "divergence.loop-exit", "memory.coherence", "memory.coherence-own",
                     "memory.load-buffering", "reconvergence.straight-line", sizes="8")


harness.main(__name__)
