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

    def test_wrong(self):
        guarded = '#pragma once\n#include "base/base.h"\n'
        for said, table, files in (
                ("harness/base/base.c: includes harness/model/model.h, and base may not include "
                 "model\n", TABLE, {"base/base.c": '#include "base/base.h"\n'
                                                   '#include "model/model.h"\n'}),
                # The exception is for one file.
                ("base may not include cli", TABLE, {"base/base.c": '#include "cli/cli.h"\n'}),
                ("harness/cli does not include model", TABLE, {"cli/cli.c": ""}),
                ("a cycle: base -> model -> base", TABLE.replace("base:\n", "base: model\n", 1),
                 {"base/base.c": '#include "model/model.h"\n'}),
                ("headers include each other: harness/cli/cli.h -> harness/cli/more.h", TABLE,
                 {"cli/cli.h": guarded + '#include "cli/more.h"\n' + LONG,
                  "cli/more.h": '#pragma once\n#include "cli/cli.h"\n' + LONG}),
                ("do not compile by themselves", TABLE,
                 {"cli/cli.h": guarded + "bool cli(uint8_t *bytes);\n" + LONG})):
            with self.subTest(said):
                self.assertIn(said, self.check(table, **files))

    def test_a_small_header(self):
        small = "#pragma once\nint small(void);\n"
        one, two = '#include "small.h"\n', '#include "base/small.h"\n'
        self.assertIn("harness/base/small.h: 2 lines that 1 file includes",
                      self.check(**{"base/small.h": small, "base/small.c": one}))
        self.assertEqual(self.check(**{"base/small.h": small, "base/small.c": one,
                                       "base/more.c": two}), "")

    def test_a_file_that_is_too_long(self):
        self.assertEqual(self.check(**{"base/base.c": '#include "base/base.h"\n' + "//\n" * 799}), "")
        for name in "base/long.c", "../windows/long.h":
            self.assertIn("long." + name[-1] + ": 801 lines, and a file may have 800",
                          self.check(**{name: "#pragma once\n" + "//\n" * 800}))

    def test_a_library_that_cli_may_not_include(self):
        for name in "jansson.h", "sqlite3.h":
            self.assertEqual(self.check(**{"base/more.c": f"#include <{name}>\n"}), "")
            self.assertEqual(self.check(**{"cli/more.c": f"#include <{name}>\n"}),
                             f"harness/cli/more.c: includes {name}, and cli may not\n")


harness.main(__name__)
