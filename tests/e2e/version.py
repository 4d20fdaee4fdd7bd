# SPDX-License-Identifier: Apache-2.0
"""What --version says, and where it has it from."""

import json
import os
import re
import shutil
import subprocess

import harness

REVISION = os.path.join(harness.SOURCE, "tools", "revision")


class Version(harness.Case):
    def revision(self, folder, *arguments):
        done = subprocess.run([os.path.join(folder, "tools", "revision"), *arguments], check=True,
                              capture_output=True, text=True, cwd="/")
        self.assertEqual(done.stderr, "")
        return done.stdout.strip()

    def test_what_it_says(self):
        out = self.litmus("--version").out
        self.assertRegex(out, r"^litmus \d+\.\d+\.\d+\n"
                         r"commit ([0-9a-f]{12}(-dirty)?|unknown)\n"
                         r"catalogue [0-9a-f]{32}\n"
                         r"build \w+(, [a-z+]+)?, (gcc|clang) [0-9.]+, (static|shared) libraries\n$")
        self.assertEqual(self.litmus("version").out, out)

    def git(self, folder, *arguments):
        return subprocess.run(["git", "-C", folder, "-c", "user.name=n", "-c", "user.email=e@x",
                               *arguments], check=True, capture_output=True).stdout

    def test_the_commit(self):
        """Of a checkout, changed or not; of an archive of it; without git."""
        root = self.path("a checkout")
        os.makedirs(os.path.join(root, "tools"))
        shutil.copy(REVISION, os.path.join(root, "tools"))
        shutil.copy(os.path.join(harness.SOURCE, ".gitattributes"), root)
        self.assertEqual(self.revision(root), "unknown")
        self.git(root, "init", "-q")
        self.git(root, "add", ".")
        self.git(root, "commit", "-q", "-m", "one")
        commit = self.git(root, "rev-parse", "HEAD").decode().strip()
        self.assertEqual(self.revision(root), commit[:12])
        archive = self.git(root, "archive", "--prefix=made/", "HEAD")
        subprocess.run(["tar", "-x", "-C", self.folder], input=archive, check=True)
        self.assertEqual(self.revision(self.path("made")), commit[:12])
        # In somebody else's checkout it is not theirs.
        shutil.copytree(self.path("made"), os.path.join(root, "vendored"))
        self.write("a checkout/vendored/tools/revision", harness.read(REVISION))
        self.assertEqual(self.revision(os.path.join(root, "vendored")), "unknown")
        with open(os.path.join(root, ".gitattributes"), "a", encoding="utf-8") as file:
            file.write("\n")
        self.assertEqual(self.revision(root), commit[:12] + "-dirty")
        made = self.path("made.c")
        self.revision(root, made, "", "release, gcc")
        before = os.stat(made).st_mtime_ns
        self.revision(root, made, "", "release, gcc")
        self.assertEqual(os.stat(made).st_mtime_ns, before)
        self.revision(root, made, "given", "debug")
        self.assertEqual(re.findall(r'"([^"]*)";', harness.read(made)), ["given", "debug"])

    def test_the_build_asks_again(self):
        """After a commit and after a change, and not otherwise; in a folder with an odd name."""
        root = self.path("a b$c'd\"e#f*g(h)&i%j~k[l]{m}`n?\u00e4")
        with open(os.path.join(harness.SOURCE, "harness", "meson.build"), encoding="utf-8") as file:
            lines = re.search(r"(?ms)^git = .*?(?=^core_dep = )", file.read())[0]
        files = {"tools/revision": None, "harness/base/build.h": None, "meson_options.txt": None,
                 "meson.build": "project('small', 'c')\nfs = import('fs')\n"
                 "build_options = ['some', 'words']\ninclude = include_directories('harness')\n"
                 "subdir('harness')\n",
                 "harness/meson.build": f"core = static_library('core', 'core.c')\n{lines}"
                 "executable('small', 'main.c', link_with: revision)\n",
                 "harness/core.c": "int one(void);\nint one(void) { return 1; }\n",
                 "harness/main.c": '#include <stdio.h>\n#include "base/build.h"\nint main(void)\n'
                 '{\n    return printf("%s, %s", build_commit, build_options) < 0;\n}\n'}
        for name, content in files.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if content is None:
                shutil.copy(os.path.join(harness.SOURCE, name), path)
            else:
                self.write(path, content)

        def commit(*how):
            self.git(root, "commit", "-q", "-m", "x", *how)
            return self.git(root, "rev-parse", "--short=12", "HEAD").decode().strip()

        def says():
            subprocess.run(["ninja", "-C", "made"], cwd=root, check=True, capture_output=True)
            again = subprocess.run(["ninja", "-n", "-C", "made"], cwd=root, check=True,
                                   capture_output=True, text=True).stdout
            self.assertIn("no work to do", again)
            return subprocess.run([os.path.join(root, "made/harness/small")], check=True,
                                  capture_output=True, text=True).stdout
        self.git(self.folder, "init", "-q", root)
        self.git(root, "add", ".")
        first = commit()
        subprocess.run(["meson", "setup", "made"], cwd=root, check=True, capture_output=True)
        self.assertEqual(says(), f"{first}, some, words")
        second = commit("--allow-empty")
        self.assertNotEqual(first, second)
        self.assertEqual(says(), f"{second}, some, words")
        with open(os.path.join(root, "harness/core.c"), "a", encoding="utf-8") as file:
            file.write("\n// changed\n")
        self.assertEqual(says(), f"{second}-dirty, some, words")
        self.git(root, "add", ".")
        third = commit()
        self.assertEqual(says(), f"{third}, some, words")

    def test_the_catalogue(self):
        """Another head or module is another hash: that of a list with fewer tests differs not."""
        hashes = {json.loads(self.litmus("list", "--json", pattern).out)["catalogue"]
                  for pattern in ("scan.levels", "loop.form")}
        self.assertEqual(len(hashes), 1)


harness.main(__name__)
