# SPDX-License-Identifier: Apache-2.0
"""What the build makes: one small file that runs elsewhere, and errors that name the source."""

import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import harness

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EMBED = os.path.join(os.environ["LITMUS_BUILD"], "tools", "embed")
# What makes modules in the place of libraries.
PROGRAMS = ["--as", os.environ["LITMUS_SPIRV_AS"], "--glslang", os.environ["LITMUS_GLSLANG"],
            "--val", os.path.join(os.path.dirname(os.environ["LITMUS_SPIRV_AS"]), "spirv-val")]


def embed(folder, *options):
    return subprocess.run([EMBED, *options, "--output", os.path.join(folder, "catalogue"),
                           "--depfile", os.path.join(folder, "catalogue.d"),
                           os.path.join(folder, "spirv")],
                          capture_output=True, text=True, timeout=600, check=False)


def made(folder):
    files = {}
    for name in ("catalogue.c", "catalogue_data.c", "catalogue.bin"):
        files[name] = harness.read(os.path.join(folder, name), "rb")
    return files

HEAD = """; litmus  loop.broken
; asks    does the build say where a mistake is?
; fails   it does not
; origin  here
; spec    none: none
; axis    sync  none | control
; sweep   workgroup 0  64
; expect  control : of the build itself
; oracle  loop.desync
"""

BODY = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%signature = OpTypeFunction %void
%uint = OpTypeInt 32 0
; a comment: OpNothing "quoted ; text"
%one = OpConstant %uint 1
%main = OpFunction %void None %signature
%entry = OpLabel
#ifdef SYNC_CONTROL
#include "../common/step.h"
#endif
OpReturn
OpFunctionEnd
"""


class Errors(unittest.TestCase):
    """By the libraries, where there are some."""

    options = []

    def embed(self, step, head=HEAD, body=BODY, name="loop/broken.spvasm", twin=None, kernels=""):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        files = {name: head + body, "common/step.h": "; The step.\n\n" + step + "\n",
                 "kernels": kernels}
        if twin is not None:
            files[name.replace(".spvasm", ".comp")] = twin
        for path, text in files.items():
            path = os.path.join(folder, "spirv", path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        self.folder = folder
        return self.again()

    def again(self):
        return embed(self.folder, *self.options)

    def made(self):
        return made(self.folder)

    def test_a_right_one_is_built(self):
        result = self.embed("%sum = OpIAdd %uint %one %one")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_what_is_left_out(self):
        """Variants whose code has a word that the assembler does not know, whatever comments say."""
        self.options = [*self.options, "--without", "OpNothing,OpIAdd"]
        result = self.embed("%sum = OpIAdd %uint %one %one", HEAD.replace("it does", "OpIAdd does"))
        self.assertEqual((result.returncode, result.stderr),
                         (0, "loop/broken.spvasm: 1 modules left out: this spirv-as does not know "
                             "OpNothing,OpIAdd\n"))

    def test_what_is_not_validated(self):
        """Variants whose code has a number that the validator does not know: the other faults of
        such a variant are not found, but those of the other variants are."""
        self.options = [*self.options, "--unvalidated", "!5116"]
        wrong = "%sum = OpIAdd %uint %one %main"
        known = BODY.replace("OpMemoryModel", "#ifdef SYNC_CONTROL\nOpCapability !5116\n#endif\n"
                                              "OpMemoryModel")
        result = self.embed(wrong, body=known)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        result = self.embed(wrong, body=known.replace("OpCapability !5116", "; !5116"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("common/step.h:3: error: [sync=control]", result.stderr)

    TWIN_HEAD = HEAD.replace("; sweep ", "; axis    form  ssa | glslang\n; sweep ")

    def test_a_twin_is_built(self):
        result = self.embed("%sum = OpIAdd %uint %one %one", self.TWIN_HEAD,
                            twin="#version 460\nvoid main() { barrier(); }\n")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_what_it_depends_on(self):
        """All files, and the folders, in which a new one is noticed."""
        self.embed("%sum = OpIAdd %uint %one %one", self.TWIN_HEAD,
                   twin="#version 460\nvoid main() { barrier(); }\n")
        depends = harness.read(os.path.join(self.folder, "catalogue.d")).replace("\\\n", "").split()
        for name in ("", "/kernels", "/loop", "/loop/broken.spvasm", "/loop/broken.comp",
                     "/common/step.h"):
            self.assertIn(os.path.join(self.folder, "spirv") + name, depends)

    def test_the_cache_changes_nothing(self):
        """A second run takes all from the cache, one with a damaged cache makes it anew."""
        self.embed("%sum = OpIAdd %uint %one %one", self.TWIN_HEAD,
                   twin="#version 460\nvoid main() { barrier(); }\n")
        first = self.made()
        cache = os.path.join(self.folder, "catalogue.cache")
        for size in (None, os.path.getsize(cache) - 7, 0):
            if size is not None:
                os.truncate(cache, size)
            result = self.again()
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(self.made(), first)

    def test_a_change_is_noticed(self):
        self.embed("%sum = OpIAdd %uint %one %one")
        first = self.made()
        with open(os.path.join(self.folder, "spirv/common/step.h"), "w", encoding="utf-8") as file:
            file.write("%sum = OpISub %uint %one %one\n")
        self.assertEqual(self.again().returncode, 0)
        self.assertNotEqual(self.made()["catalogue_data.c"], first["catalogue_data.c"])

    def test_kernels(self):
        result = self.embed("%sum = OpIAdd %uint %one %one", head="", name="bench/made.spvasm",
                            kernels="# Some.\nbench/made SYNC=none,control \\\nN#/M#=1/2,3/4\n")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        text = self.made()["catalogue.c"].decode()
        names = re.findall(r'\{"(bench/[^"]*)"', text)
        self.assertEqual(names, [f"bench/made/sync={sync}/{numbers}" for sync in ("none", "control")
                                 for numbers in ("n=1/m=2", "n=3/m=4")])

    def test_mistakes_in_the_list_of_kernels(self):
        for line in ("bench/made SYNC", "bench/made A/B=1", "bench/made A=1/2", "bench/made A=,1"):
            self.refused(self.embed("", head="", name="bench/made.spvasm", kernels="\n" + line),
                         "kernels:2: error:")
        self.refused(self.embed("", kernels="bench/none A=1"), "no kernel in bench/none.spvasm")
        self.refused(self.embed("", head="", name="bench/made.spvasm"),
                     "bench/made.spvasm:1: error: it has no head")

    def test_a_mistake_in_a_twin(self):
        result = self.embed("", self.TWIN_HEAD,
                            twin="#version 460\nvoid main() {\n  nothing();\n}\n")
        self.refused(result, "loop/broken.comp", "sync=none,form=glslang", ":3:", "nothing")

    def test_a_twin_that_is_not_there(self):
        self.refused(self.embed("", self.TWIN_HEAD), "loop/broken.comp", "form=glslang")

    def refused(self, result, place, *words):
        self.assertEqual(result.returncode, 1, result)
        self.assertIn(place, result.stderr)
        self.assertNotIn("text.spvasm", result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_the_assembler_in_an_included_file(self):
        self.refused(self.embed("%sum = OpIAddd %uint %one %one"),
                     "common/step.h:3: error: [sync=control]", "OpIAddd")

    def test_the_validator_in_an_included_file(self):
        self.refused(self.embed("%sum = OpIAdd %uint %one %void"),
                     "common/step.h:3: error: [sync=control]", "cannot be a type")

    def test_the_validator_in_the_file_itself(self):
        line = (HEAD + BODY).split("\n").index("%one = OpConstant %uint 1") + 1
        self.refused(self.embed("", body=BODY.replace("OpConstant %uint", "OpConstant %void")),
                     f"loop/broken.spvasm:{line}: error:")

    def test_the_preprocessor(self):
        self.refused(self.embed("", body=BODY.replace("step.h", "stride.h")),
                     "loop/broken.spvasm:22", "stride.h")

    def test_the_head(self):
        self.refused(self.embed("", head=HEAD.replace("; asks", "; aks")),
                     "loop/broken.spvasm:2: unknown keyword 'aks'")

    def test_the_wrong_place(self):
        self.refused(self.embed("", name="loop/other.spvasm"),
                     "belongs in spirv/loop/broken.spvasm")

    def test_an_unknown_capability(self):
        self.refused(self.embed("", body="OpCapability Geometry\n" + BODY),
                     "capability Geometry is not supported")


class ErrorsByPrograms(Errors):
    options = PROGRAMS


@harness.unsanitized
class Makers(unittest.TestCase):
    """Libraries and programs make the same modules."""

    def compare(self, chosen):
        with tempfile.TemporaryDirectory(prefix="litmus-e2e-") as folder:
            os.mkdir(os.path.join(folder, "spirv"))
            shutil.copytree(os.path.join(SOURCE, "spirv"), os.path.join(folder, "spirv"),
                            ignore=lambda place, names: [
                                name for name in names if name.endswith(".spvasm")
                                and os.path.join(os.path.basename(place), name) not in chosen],
                            dirs_exist_ok=True)
            with open(os.path.join(SOURCE, "spirv/kernels"), encoding="utf-8") as file:
                kernels = re.findall(r"^(?:[^#\n].*\\\n)*[^#\n].*\n", file.read(), re.M)
            with open(os.path.join(folder, "spirv/kernels"), "w", encoding="utf-8") as file:
                file.writelines(row for row in kernels if row.split()[0] + ".spvasm" in chosen)
            result = []
            for options in ([], PROGRAMS):
                done = embed(folder, "--unvalidated", "!5116", *options) 
                self.assertEqual((done.returncode, done.stderr), (0, ""), chosen)
                result.append(made(folder))
                os.unlink(os.path.join(folder, "catalogue.cache"))
            self.assertEqual(result[0], result[1], chosen)

    @staticmethod
    def sources(*endings):
        """Those beside which there is a file of each other ending."""
        found = []
        for place, _, names in os.walk(os.path.join(SOURCE, "spirv")):
            found += [os.path.join(os.path.basename(place), name) for name in sorted(names)
                      if name.endswith(".spvasm")
                      and all(name.replace(".spvasm", ending) in names for ending in endings)]
        return sorted(found)

    def small(self, *endings):
        """Tests of few modules: a process makes one of them in some hundredths of a second."""
        found = []
        for source in self.sources(*endings):
            with open(os.path.join(SOURCE, "spirv", source), encoding="utf-8") as file:
                values = re.findall(r"^; (?:axis .*|sizes .*|litmus.*)$", file.read(), re.M)
            count = math.prod(value.count("|") + 1 for value in values)
            found += [source] if values and count <= 64 else []
        return found

    def test_sample(self):
        chosen = harness.drawn("makers").sample(self.small(), 3)
        self.compare(chosen + harness.drawn("twins").sample(self.small(".comp"), 1))

    @harness.full
    def test_all(self):
        self.compare(self.sources())


def statement(path, start):
    """A statement of a meson.build of this project, which a smaller one is made of."""
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return re.search(re.escape(start) + r".*?\)\n(?![ \t])", file.read(), re.DOTALL).group()


@harness.unsanitized
class Launcher(unittest.TestCase):
    """The launcher in a project that is built in a second, in a folder with an odd name."""

    ODD = "a b$c'd\"e#f*g(h)&i%j~k[l]{m}`n?\u00e4"
    TOOLS = ("spirv-as", "spirv-val", "glslangValidator")
    PROGRAM = '#include <stdio.h>\nint main(void)\n{\n    return puts("%s") < 0;\n}\n'

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="litmus-e2e-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.made = os.path.join(cls.folder, cls.ODD)
        for path in ("litmus", "meson_options.txt", "tools/assembles", "tools/ticket-data",
                     "docs/mutation-score.json", "reports/findings/README.md"):
            os.makedirs(os.path.dirname(os.path.join(cls.made, path)), exist_ok=True)
            shutil.copy(os.path.join(SOURCE, path), os.path.join(cls.made, path))
        for tool in cls.TOOLS:
            cls.program(cls.made, ".sdk/bin/" + tool, "#!/bin/sh\n")
        cls.write(cls.made, "harness/main.c", cls.PROGRAM % "first")
        cls.write(cls.made, "meson.build", "project('small', 'c')\n" + statement(
            "meson.build", "configure_file(output: 'source'") + "sdk = '.sdk'\n" + "".join(
                statement("meson.build", f"{name} = find_program(")
                for name in ("spirv_as", "spirv_val", "glslang")) + statement(
                    "meson.build", "if run_command(find_program('tools/assembles'), 'plain'") +
                  "endif\nsubdir('harness')\n")
        cls.write(cls.made, "harness/meson.build",
                  "core_files = []\n" + statement(
                      "harness/meson.build", "core_files += custom_target('ticket-data'") +
                  "custom_target('data', input: core_files, output: 'data', build_by_default: true,"
                  " command: ['cp', '@INPUT@', '@OUTPUT@'])\nexecutable('litmus', 'main.c')\n")
        cls.first = cls.launch(cls.made)

    @staticmethod
    def write(root, path, content):
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)

    @classmethod
    def program(cls, root, path, content):
        cls.write(root, path, content)
        os.chmod(os.path.join(root, path), 0o755)

    @staticmethod
    def launch(root, *arguments, path=os.environ["PATH"]):
        result = subprocess.run([os.path.join(root, "litmus"), *arguments], capture_output=True,
                                errors="backslashreplace", timeout=600 * harness.SLOW,
                                check=False, cwd="/", env={"PATH": path})
        return result.returncode, result.stdout, result.stderr

    def copy(self, name):
        """A copy with its build folder, as cp -a makes it."""
        root = os.path.join(tempfile.mkdtemp(dir=self.folder), name)
        shutil.copytree(self.made, root)
        return root

    def built(self, root, why, says="first\n"):
        """Is built for this reason, once."""
        self.assertEqual(self.launch(root), (0, says, f"litmus: building ({why}) ...\n"))
        self.assertEqual(self.launch(root), (0, says, ""))

    def test_any_path(self):
        self.assertEqual(self.first, (0, "first\n", "litmus: building (first use) ...\n"))
        self.assertEqual(self.launch(self.made), (0, "first\n", ""))

    def test_a_copy(self):
        """It builds what is beside it and nothing else."""
        root = self.copy(self.ODD)
        self.write(root, "harness/main.c", self.PROGRAM % "copied")
        self.built(root, "the build folder is of another place", "copied\n")
        self.assertEqual(self.launch(self.made), (0, "first\n", ""))

    def test_moved(self):
        """The old place is gone."""
        root = self.copy("before")
        self.built(root, "the build folder is of another place")
        os.rename(root, root + "-after")
        self.built(root + "-after", "the build folder is of another place")

    def test_what_a_power_cut_leaves(self):
        for content in (b"", bytes(20000)):
            with open(os.path.join(self.made, "build/harness/litmus"), "wb") as file:
                file.write(content)
            self.assertEqual(self.launch(self.made, "complete", "re"), (0, "", ""))
            self.built(self.made, "the program was damaged")

    def tools(self, *without):
        """A folder of all programs but some, which is to be PATH."""
        folder = tempfile.mkdtemp(dir=self.folder)
        for name in os.listdir("/usr/bin"):
            if name not in without:
                os.symlink(os.path.join("/usr/bin", name), os.path.join(folder, name))
        return folder

    def test_what_is_built_needs_no_build_tools(self):
        root, path = self.copy("alone"), self.tools("ninja", "cc", "gcc", "meson")
        self.launch(root)
        self.assertEqual(self.launch(root, path=path), (0, "first\n", ""))
        self.write(root, "harness/main.c", self.PROGRAM % "changed")
        code, out, err = self.launch(root, path=path)
        self.assertEqual((code, out), (2, ""))
        self.assertRegex(err, r"\Alitmus: cc is missing: run, as root, '.*/tools/setup'\n\Z")

    def test_full_disk(self):
        root, path = self.copy("full"), self.tools("cc")
        self.write(root, "harness/main.c", self.PROGRAM % "changed")
        self.program(path, "cc", "#!/bin/sh\ncase \"$*\" in *main.c*)\n"
                               "    echo 'x.s: No space left on device' >&2; exit 1 ;;\nesac\n"
                               f"exec {shutil.which('cc')} \"$@\"\n")
        code, out, err = self.launch(root, path=path)
        self.assertEqual((code, out), (2, ""))
        self.assertRegex(err, r"\nlitmus: no space is left for building in .*/full/build\n\Z")
        self.assertEqual(err.count("\n"), 2)
        self.built(root, "sources changed", "changed\n")

    KILLS = ("launcher.log", "meson-private", "meson-info", "build.ninja", ".ninja_log",
             "harness/data", "harness/litmus.p", "harness/litmus.p/main.c.o", "harness/litmus",
             "launcher.built.new")

    def test_killed(self):
        """With all that it started, as soon as some file is there."""
        for name in harness.drawn("kills").sample(self.KILLS, 2 if harness.SAMPLE else 10):
            root = self.copy("killed")
            shutil.rmtree(os.path.join(root, "build"))
            path = os.path.join(root, "build", name)
            with self.subTest(name=name), subprocess.Popen(
                    [os.path.join(root, "litmus")], start_new_session=True,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                how = os.WEXITED | os.WNOHANG | os.WNOWAIT
                while not os.path.exists(path) and not os.waitid(os.P_PID, process.pid, how):
                    time.sleep(0.001)
                self.assertTrue(os.path.exists(path))
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                code, out, err = self.launch(root)
                self.assertEqual((code, out), (0, "first\n"))
                self.assertRegex(err, r"\A(litmus: building \(.*\) \.\.\.\n)?\Z")
                self.assertEqual(self.launch(root), (0, "first\n", ""))

    def test_no_flock(self):
        self.assertEqual(self.launch(self.made, path=self.tools("flock")),
                         (2, "", "litmus: flock is missing: install it, of util-linux\n"))

    def test_no_tools_for_shaders(self):
        root = self.copy("without")
        for tool in self.TOOLS:
            path = os.path.join(root, ".sdk/bin", tool)
            os.rename(path, path + ".away")
            self.assertEqual(self.launch(root), (
                2, "", f"litmus: {path} is missing: run, as root, '{root}/tools/setup'\n"))
            os.rename(path + ".away", path)
        self.built(root, "the build folder is of another place")

    def test_tools_for_shaders_that_are_too_old(self):
        root = self.copy("old")
        self.program(root, ".sdk/bin/spirv-val", "#!/bin/sh\necho unknown option >&2; exit 1\n")
        self.assertEqual(self.launch(root), (
            2, "", "litmus: building (the build folder is of another place) ...\n"
            f"litmus: {root}/.sdk/bin/spirv-as or spirv-val beside it does not run or is too old:"
            " run tools/setup\n"))
        self.program(root, ".sdk/bin/spirv-val", "#!/bin/sh\n")
        self.built(root, "first use")

    def test_where_nothing_can_be_built(self):
        names = ["a\\b", "a|b", "a:b", "a;b", "a\nb", b"\xff".decode(errors="surrogateescape")]
        for name in names:
            root = os.path.join(self.folder, name)
            os.mkdir(root)
            shutil.copy(os.path.join(SOURCE, "litmus"), root)
            code, out, err = self.launch(root)
            self.assertEqual((code, out), (2, ""), name)
            self.assertIn("litmus: cannot be built in ", err)


@harness.unsanitized
class Libraries(unittest.TestCase):
    """Those that make modules, in a project that looks for them and does nothing else."""

    def looks(self, *archives):
        """Whether they are taken, where these stand in the place of SPIRV-Tools' own."""
        with open(os.path.join(SOURCE, "tools/meson.build"), encoding="utf-8") as file:
            search = file.read().split("# Tables of SPIR-V's")[0]
        with tempfile.TemporaryDirectory(prefix="litmus-e2e-") as folder:
            Launcher.write(folder, "meson.build",
                           "project('small', 'c')\nsdk = '.sdk'\nfs = import('fs')\n"
                           "native_cc = meson.get_compiler('c', native: true)\n"
                           "vulkan_include = include_directories('.sdk/include')\n" + search +
                           "message('taken: @0@'.format(has_libraries))\n")
            shutil.copytree(os.path.join(SOURCE, ".sdk/lib"), os.path.join(folder, ".sdk/lib"),
                            ignore=lambda place, names: archives and ["libSPIRV-Tools.a"])
            os.symlink(os.path.join(SOURCE, ".sdk/include"), os.path.join(folder, ".sdk/include"))
            for archive in archives:
                Launcher.write(folder, ".sdk/lib/libSPIRV-Tools.a", archive)
            done = subprocess.run(["meson", "setup", os.path.join(folder, "build"), folder], check=False,
                                  capture_output=True, text=True, timeout=600 * harness.SLOW)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return re.search("taken: (.*)", done.stdout)[1]

    @unittest.skipUnless(os.path.exists(os.path.join(SOURCE, ".sdk/lib/libSPIRV-Tools.a")),
                         "the build does not use .sdk/")
    def test_an_archive_that_does_not_link(self):
        self.assertEqual(self.looks(), "true")
        # Empty, as what lacks a function of a younger version; damaged.
        for archive in ("!<arch>\n", "!<arch>\nis cut off"):
            self.assertEqual(self.looks(archive), "false")


@harness.unsanitized
@unittest.skipUnless(os.path.exists("/usr/bin/dpkg-deb"), "is about Debian's packages")
class SetUp(unittest.TestCase):
    """tools/setup of Debian 12, with an archive of one small package."""

    # Counts what changes files, and dies with all of its group at one of these.
    STEP = """#!/bin/sh
read -r count <"$STATE/count"
echo $((count + 1)) >"$STATE/count"
[ "$count" != "$DIES_AT" ] || if [ "$ALONE" ]; then kill -9 $$; else kill -9 0; fi
"""
    APT = STEP + """
case " $* " in
*' indextargets '*) echo 'bookworm http://localhost/' ;;
*' update '*) exit "$NETWORK" ;;
*' install '*)
    [ ! -e "$STATE/half" ] || exit 100
    : >"$STATE/half"
    mv "$STATE/half" "$STATE/installed" ;;
*' download '*)
    for name; do
        case $name in *[=/]* | -* | download) ;; *) cp "$STATE/any.deb" "$name.deb" ;; esac
    done ;;
esac
"""
    # Packages are there once apt-get has installed them, not by half.
    DPKG = f'#!/bin/sh\n[ "$1" = --configure ] || exec echo amd64\n{STEP}rm -f "$STATE/half"\n'
    QUERY = ('#!/bin/sh\nshift 3\n[ ! -e "$STATE/installed" ] ||'
             ' printf "installed %s:all\\n" "$@"\n')
    LIBRARIES = ("SPIRV-Tools", "SPIRV-Tools-opt", "glslang", "glslang-default-resource-limits")

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="litmus-e2e-")
        self.addCleanup(shutil.rmtree, self.folder)
        for name, content in (("count", "0\n"), ("installed", "")):
            Launcher.write(self.folder, name, content)
        names = ["mkdir", "mv", "rm", "ln", "chmod", "chown", "find", "dpkg-deb"]
        programs = {name: f'{self.STEP}exec {shutil.which(name)} "$@"\n' for name in names}
        programs.update({"apt-get": self.APT, "dpkg": self.DPKG, "dpkg-query": self.QUERY,
                         "id": "#!/bin/sh\necho 0\n"})
        for name, content in programs.items():
            Launcher.program(self.folder, "bin/" + name, content)
        files = {"DEBIAN/control": "Package: any\nVersion: 1\nArchitecture: all\n"
                                   "Maintainer: none <none@localhost>\nDescription: any\n",
                 "usr/lib/any/ld-linux.so.2": "#!/bin/sh\n", "usr/include/any.h": "",
                 "usr/lib/any/libvulkan_lvp.so": "x" * 100000,
                 "usr/lib/any/libvulkan_radeon.so": "", "usr/lib/any/libvulkan_intel.so": "",
                 "usr/lib/any/libamdgpu_noop_drm_shim.so": "",
                 "usr/share/vulkan/icd.d/lvp_icd.json": '{"library_path": "x"}\n',
                 "usr/share/vulkan/icd.d/radeon_icd.x86_64.json": '{"library_path": "x"}\n'}
        files.update({f"usr/lib/any/lib{name}.a": "" for name in self.LIBRARIES})
        for path, content in files.items():
            Launcher.write(self.folder, "any/" + path, content)
        os.chmod(os.path.join(self.folder, "any/usr/lib/any/ld-linux.so.2"), 0o755)
        subprocess.run(["dpkg-deb", "-b", "any", "any.deb"], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)
        self.root = os.path.join(self.folder, "checkout")
        os.makedirs(os.path.join(self.root, "tools"))
        with open(os.path.join(SOURCE, "tools/setup"), encoding="utf-8") as file:
            Launcher.write(self.root, "tools/setup", re.sub(r"^    id=\$\(.*", "    id='debian 12'",
                                                            file.read(), flags=re.M))

    def run_it(self, *arguments, dies_at="", alone="", network="0", limit=resource.RLIM_INFINITY):
        def prepare():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return subprocess.run(
            ["sh", os.path.join(self.root, "tools/setup"), *arguments], capture_output=True, text=True,
            start_new_session=True, timeout=600 * harness.SLOW, check=False, preexec_fn=prepare,
            env={"PATH": os.path.join(self.folder, "bin") + ":" + os.environ["PATH"],
                 "STATE": self.folder, "DIES_AT": str(dies_at), "ALONE": alone, "NETWORK": network})

    def begin(self):
        """With what an older recipe made."""
        for name in os.listdir(self.root):
            if name.startswith(".sdk"):
                shutil.rmtree(os.path.join(self.root, name))
        Launcher.write(self.root, ".sdk/stamp", "tools 1\nmesa 1\n")
        Launcher.write(self.folder, "count", "0\n")

    def ends_well(self):
        done = self.run_it()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # Nothing is left to do for one that was cut off behind its last step.
        self.assertRegex(done.stdout, r"setup: Debian 12: (ready|everything is there, nothing to do)\n\Z")
        self.assertEqual(sorted(os.listdir(self.root)), [".sdk", "tools"])
        self.assertRegex(self.run_it().stdout, "everything is there, nothing to do\n$")

    def fails(self, line, **how):
        self.begin()
        done = self.run_it(**how)
        self.assertEqual((done.returncode, done.stderr.split("\n")[-2:]), (1, [line, ""]))
        self.assertEqual(sorted(os.listdir(self.root)), [".sdk", "tools"])
        self.ends_well()

    def test_what_two_groups_need(self):
        """Wine, where tests are run of what is built for Windows."""
        os.unlink(os.path.join(self.folder, "installed"))
        for arguments in (["--tests", "--windows"], ["--windows", "--arm64", "--tests"]):
            self.assertIn(" wine64 ", self.run_it(*arguments, "--dry-run").stdout)
        for argument in ("--tests", "--windows"):
            self.assertNotIn(" wine64 ", self.run_it(argument, "--dry-run").stdout)

    def test_drivers(self):
        """A second lavapipe, and RADV with the drm shim, where litmus expects them."""
        self.begin()
        self.ends_well()
        sdk = os.path.join(self.root, ".sdk")
        for name in ("lvp", "radeon"):
            manifest = os.path.join(sdk, f"share/vulkan/icd.d/{name}_icd.json")
            library = json.loads(harness.read(manifest))["library_path"]
            self.assertTrue(os.path.exists(os.path.join(os.path.dirname(manifest), library)), library)
        self.assertEqual(sorted(os.listdir(os.path.join(sdk, "mesa"))),
                         ["libamdgpu_noop_drm_shim.so", "usr"])
        self.assertFalse(os.path.exists(os.path.join(sdk, "mesa/usr/lib/any/libvulkan_intel.so")))

    test_no_network = harness.case("fails", "setup: no shader tools could be fetched",
                                   network="100")
    test_full_disk = harness.case("fails", "setup: no shader tools could be fetched", limit=50000)

    def test_killed(self):
        """Before any of the programs that it starts."""
        self.begin()
        self.ends_well()
        count = int(harness.read(os.path.join(self.folder, "count")))
        self.assertGreater(count, 30)
        # The last ones, around the exchange, each time.
        steps = range(count - 5, count) if harness.SAMPLE else ()
        drawn = harness.drawn("set-up").sample(range(count), 3 if harness.SAMPLE else count)
        for step in sorted({*steps, *drawn}):
            self.begin()
            with self.subTest(step=step):
                self.assertEqual(self.run_it(dies_at=step).returncode, -signal.SIGKILL)
                self.ends_well()

    def test_killed_while_packages_are_installed(self):
        """With dpkg or apt-get, or one of these alone, as the kernel does it."""
        self.run_it()
        steps = [(step, alone) for step in range(4) for alone in ("", "alone")]
        for step, alone in harness.drawn("packages").sample(steps, 3 if harness.SAMPLE else len(steps)):
            for name in ("installed", "half"):
                if os.path.exists(os.path.join(self.folder, name)):
                    os.unlink(os.path.join(self.folder, name))
            Launcher.write(self.folder, "count", "0\n")
            with self.subTest(step=step, alone=alone):
                done = self.run_it(dies_at=step, alone=alone)
                if not alone:
                    self.assertEqual(done.returncode, -signal.SIGKILL)
                else:
                    self.assertEqual((done.returncode, done.stderr.split("\n")[-2:]), (
                        1, ["setup: the packages could not be installed", ""]))
                self.ends_well()

    def test_remains_where_nothing_is_to_do(self):
        self.run_it()
        for name in (".sdk.tmp", ".sdk.old"):
            Launcher.write(self.root, name + "/any", "")
        self.ends_well()


@harness.never_sanitized
class Product(unittest.TestCase):
    def test_needs_only_libc_and_libm(self):
        dynamic = subprocess.run(["readelf", "-d", harness.PROGRAM], capture_output=True, text=True,
                                 check=True).stdout
        needed = {line.split("[")[1].rstrip("]") for line in dynamic.split("\n")
                  if "NEEDED" in line}
        self.assertLessEqual(needed, {"libc.so.6", "libm.so.6"})

    def test_is_small(self):
        self.assertLess(os.path.getsize(harness.PROGRAM), 13 << 20)

    def test_copied_alone_it_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copy(harness.PROGRAM, folder)
            listed = subprocess.run([copy, "list"], cwd=folder, capture_output=True, text=True,
                                    env={"PATH": "/usr/bin:/bin"}, check=True)
            self.assertIn("shuffle.scan-loop", listed.stdout)

    def test_finds_the_tools_of_the_checkout(self):
        """However it is started, before those of PATH, which may be too old; but the user's SDK wins."""
        if not os.path.exists(os.path.join(SOURCE, ".sdk/bin/glslang")):
            self.skipTest("the build does not use .sdk/")
        with tempfile.TemporaryDirectory() as folder:
            for tool in ("glslang", "glslangValidator"):
                Launcher.program(folder, "bin/" + tool, "#!/bin/sh\necho too old >&2; exit 1\n")
            with open(os.path.join(folder, "one.comp"), "w", encoding="utf-8") as file:
                file.write("#version 460\nlayout(set = 0, binding = 0) buffer B { uint x[]; };\n"
                           "void main() { x[0] = 1; }\n")
            for more, code in ({}, 0), ({"VULKAN_SDK": folder}, 2):
                done = subprocess.run([harness.PROGRAM, "kernel", "one.comp", "--simt", "lockstep",
                                       "--groups", "1", "--buffer", "0.0=1K", "--expect", "agree"],
                                      cwd=folder, capture_output=True, text=True, check=False,
                                      env={"PATH": folder + "/bin:/usr/bin:/bin", "HOME": folder, **more})
                self.assertEqual("too old" in done.stderr, code == 2, done)
                self.assertEqual(done.returncode, code, done)


harness.main(__name__)
