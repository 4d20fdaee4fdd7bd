# SPDX-License-Identifier: Apache-2.0
"""tools/includes, on small trees that break each of its rules."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import harness
from harness import SOURCE

TABLE = """# A comment.
harness
    base:
    model:  base
    cli:    base model
register
    harness/base/table.c: cli
"""
LONG = "// Line.\n" * 20
FILES = {
    "base/base.h": "#pragma once\n#include <stddef.h>\nsize_t base(void);\n" + LONG,
    "base/base.c": '#include "base/base.h"\n',
    "base/table.c": '#include "cli/cli.h"\n',
    "model/model.h": '#pragma once\n#include "base/base.h"\n' + LONG,
    "cli/cli.h": '#pragma once\n#include "base/base.h"\n' + LONG,
    "cli/cli.c": '#include "cli.h"\n#include "model/model.h"\n',
}


class Includes(unittest.TestCase):
    def check(self, table=TABLE, **files):
        root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, root)
        files = {name.replace("__", "/").replace("_h", ".h").replace("_c", ".c"): text
                 for name, text in files.items()}
        for name, text in {**FILES, **files}.items():
            path = os.path.join(root, "harness", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        os.mkdir(os.path.join(root, "tools"))
        with open(os.path.join(root, "tools", "includes.table"), "w", encoding="utf-8") as file:
            file.write(table)
        result = subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "includes"),
                                 "--root", root], capture_output=True, text=True, check=False)
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.returncode, 1 if result.stdout else 0)
        return result.stdout

    def test_right(self):
        self.assertEqual(self.check(), "")

    def test_an_edge_that_is_not_in_the_table(self):
        self.assertEqual(self.check(base__base_c='#include "base/base.h"\n#include "model/model.h"\n'),
                         "harness/base/base.c: includes harness/model/model.h, and base may not "
                         "include model\n")

    def test_the_exception_is_for_one_file(self):
        self.assertIn("base may not include cli", self.check(base__base_c='#include "cli/cli.h"\n'))

    def test_a_line_that_nothing_uses(self):
        self.assertIn("harness/cli does not include model", self.check(cli__cli_c=""))

    def test_a_cycle_of_folders(self):
        self.assertIn("a cycle: base -> model -> base",
                      self.check(TABLE.replace("base:\n", "base: model\n", 1),
                                 base__base_c='#include "model/model.h"\n'))

    def test_a_cycle_of_headers(self):
        self.assertIn("headers include each other: harness/cli/cli.h -> harness/cli/more.h",
                      self.check(cli__cli_h='#pragma once\n#include "base/base.h"\n'
                                 '#include "cli/more.h"\n' + LONG,
                                 cli__more_h='#pragma once\n#include "cli/cli.h"\n' + LONG))

    def test_a_small_header(self):
        small = "#pragma once\nint small(void);\n"
        one, two = '#include "small.h"\n', '#include "base/small.h"\n'
        self.assertIn("harness/base/small.h: 2 lines that 1 file includes",
                      self.check(base__small_h=small, base__small_c=one))
        self.assertEqual(self.check(base__small_h=small, base__small_c=one, base__more_c=two), "")

    def test_a_file_that_is_too_long(self):
        self.assertEqual(self.check(base__base_c='#include "base/base.h"\n' + "//\n" * 799), "")
        for name in "base/long.c", "../windows/long.h":
            self.assertIn("long." + name[-1] + ": 801 lines, and a file may have 800",
                          self.check(**{name: "#pragma once\n" + "//\n" * 800}))

    def test_a_library_that_cli_may_not_include(self):
        for name in "jansson.h", "sqlite3.h":
            self.assertEqual(self.check(base__more_c=f"#include <{name}>\n"), "")
            self.assertEqual(self.check(cli__more_c=f"#include <{name}>\n"),
                             f"harness/cli/more.c: includes {name}, and cli may not\n")

    def test_a_header_that_needs_another(self):
        self.assertIn("do not compile by themselves",
                      self.check(cli__cli_h='#pragma once\n#include "base/base.h"\n'
                                 "bool cli(uint8_t *bytes);\n" + LONG))


harness.main(__name__)
