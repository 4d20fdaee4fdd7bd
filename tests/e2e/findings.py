#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Findings of reports/findings/: their bundles can be made, of the tests as they are."""

import fnmatch
import glob
import hashlib
import json
import os
import re
import subprocess
import tarfile

import harness

FINDINGS = os.path.join(harness.SOURCE, "reports", "findings")
# Those of the distribution if there are any: archives must do with old ones.
HEADERS = ("" if os.path.exists("/usr/include/vulkan/vulkan.h") else
           os.environ.get("LITMUS_VULKAN_CFLAGS", ""))
PATHS = re.compile(rb"(?<![\w.~/-])/(home|root|tmp|work|mnt|opt|srv|build|var/tmp|Users)/|"
                   rb"\b[A-Z]:\\?Users|build-check/")


def read(*path, mode="r"):
    return harness.read(os.path.join(FINDINGS, *path), mode)


def tickets():
    """Their names, without .md."""
    return sorted(os.path.basename(path)[:-3] for path in glob.glob(FINDINGS + "/*.md")
                  if os.path.basename(path) not in ("README.md", "filing.md"))


class Findings(harness.Case):
    def test_signatures(self):
        """Each finding recognises the configuration of its bundle, and no other finding does."""
        signatures = {name: [dict(line.split(None, 1) for line in paragraph.split("\n"))
                             for paragraph in read(name, "signature").strip().split("\n\n")]
                      for name in tickets()}
        for name in tickets():
            facts = json.loads(read(name, "facts.json"))["configuration"]["name"]
            test, values = facts.split("/" if "/" in facts else "@", 1)
            pairs = dict(pair.split("=") for pair in re.split("[,@]", values))
            driver = " ".join(name.split("-")[:2]).replace("lavapipe", "llvmpipe")
            driver = driver.replace("nvidia h200", "NVIDIA 580.159.04")
            found = [other for other, paragraphs in signatures.items()
                     if any(self.matches(paragraph, test, pairs, driver) for paragraph in paragraphs)]
            self.assertEqual(found, [name], (facts, driver))

    def matches(self, paragraph, test, pairs, driver):
        self.assertLessEqual(set(paragraph), {"test", "outcome", "values", "driver", "cause",
                                                "fails"})
        wanted = [term.split("=") for term in paragraph.get("values", "").split()]
        return (fnmatch.fnmatchcase(test, paragraph.get("test", ""))
                and fnmatch.fnmatchcase(driver, paragraph.get("driver", "*"))
                and all(fnmatch.fnmatchcase(pairs.get(key, ""), glob) for key, glob in wanted))

    def test_no_paths(self):
        """No file of a finding names a folder of the machine that it was made on."""
        self.assertTrue(PATHS.search(b"    /work/a/litmus run"))
        self.assertFalse(PATHS.search(b"https://a.example/home/ and /usr/share/vulkan"))
        for folder, _, files in os.walk(FINDINGS):
            for file in files:
                self.assertIsNone(PATHS.search(read(folder, file, mode="rb")),
                                  os.path.join(folder, file))

    def check_ticket(self, name, made):
        """It has all that its author chose, and leads to no file of this tree."""
        ticket, said = made["ticket.md"].decode(), read(name, "ticket.txt")
        self.assertNotRegex(ticket, r"\]\((?!https?://)|\.\./")
        title, = re.findall(r"^title (.*(?:\n .*)*)", said, re.M)
        self.assertEqual(ticket.split("\n")[0], "# " + " ".join(title.split()))
        page = read(name + ".md").split("\n\n")[1]
        self.assertEqual(" ".join(ticket.split("\n\n")[1].split()), " ".join(page.split()))
        self.assertLessEqual(set(re.findall(r"^(\w+) ", said, re.M)),
                             {"title", "expected", "actual", "instructions", "code", "cause", "spec",
                              "workaround", "module"})
        self.check_code(ticket, said, made.get("code.txt", b"").decode())
        if made["test.spvasm"].startswith(b"; SPIR-V"):  # else no spirv-dis knows the module
            self.check_spirv(ticket, said, made["test.spvasm"].decode().split("\n"))
        modules = re.findall("^module ", said, re.M)
        self.assertEqual(len(fnmatch.filter(made, "other-?.spv")), len(modules))
        for i in range(len(modules)):
            self.assertRegex(ticket, rf"\bother-{i + 1}\.(spv|comp)\b")
        self.assertEqual("fix.patch" in made, "fix.patch" in ticket)
        self.assertIn(" ".join(page.split()), " ".join(made["report.md"].decode().split()))
        self.assertNotRegex(made["report.md"].decode(), r"\]\((?!https?://)|\*\*(Bundle|Filing):")
        for file, content in made.items():
            self.assertIsNone(PATHS.search(content), file)

    def check_readme(self, name, made):
        """It lists each file and what runs it, and agrees with the ticket."""
        readme = " ".join(made["README.md"].decode().split())
        for file in sorted(set(made) - {"README.md"}):
            self.assertRegex(readme, rf"\| {re.escape(file)} \| [\d,]* \| [^|]{{8,}} \|")
        self.assertNotRegex(readme, r"Not measured|none was kept|\b(docs|reports)/")
        for words in "VK_DRIVER_FILES=", "NOT THE MEASURED DRIVER", "0xc0dedead", "| 1 | a run was wrong":
            self.assertIn(words, readme)
        ticket = " ".join(made["ticket.md"].decode().split())
        for words in "VK_DRIVER_FILES=", "NOT THE MEASURED DRIVER", "1 a run wrong or a crash":
            self.assertIn(words, ticket)
        self.assertNotIn("Measured:** crash", ticket)
        if "subgroup=" in self.facts(name)["configuration"]["name"]:
            self.assertIn("a device with subgroups of", ticket)
        if "0xc0dedead" in read(name, "ticket.txt"):
            self.assertIn("where nothing was written", ticket)

    def check_sources(self, made):
        """Each module has its sum; `make` knows each source, and leaves the measured modules alone."""
        sums = made["test.spv.sha256"].decode().splitlines()
        self.assertEqual(sorted(sums), sorted(f"{hashlib.sha256(made[file]).hexdigest()}  {file}"
                                              for file in made if file.endswith(".spv")))
        makefile = made["Makefile"].decode()
        for target, end in ("assemble", ".spvasm"), ("compile", ".comp"):
            wanted = sorted(f"new-{file.removesuffix(end)}.spv" for file in made
                            if file.endswith(end) and file != "annotated.spvasm")
            found = re.findall(rf"^{target}:(.*)", makefile, re.M)
            self.assertEqual([sorted(line.split()) for line in found], [wanted] if wanted else [])
            self.assertEqual(f"make {target} " in made["README.md"].decode(), bool(wanted))
        self.assertIn("--preserve-numeric-ids", makefile)
        self.assertNotRegex(makefile, r"-o (test|other-\d)\.spv")

    def check_code(self, ticket, said, listing):
        """What was chosen is there, with what is marked, here and in the listing, and each branch's
        target."""
        shown = re.findall(r"^    ([ >]) ?([0-9a-f]{4}|[ 0-9]{4})  (\S.*)",
                           ticket.partition("**Machine code**")[2], re.M)
        for line in re.findall("^code (.*)", said, re.M):
            self.assertEqual([number.strip() + "!" * (mark == ">") for mark, number, _ in shown],
                             re.sub(r"(\d+)-(\d+)", lambda m: " ".join(
                                 map(str, range(int(m[1]), int(m[2]) + 1))), line).split())
            self.assertIn("!", line)
            marks = [line for line in listing.split("\n\n", 2)[2].split("\n") if line[:1] in tuple(">!")]
            wrong = [words for mark, _, words in shown if mark == ">"]
            self.assertTrue(len(marks) == len(wrong) and all(map(str.__contains__, marks, wrong)), marks)
        for _, _, words in shown:
            for target in re.findall(r"^(?:@\S+ )?(?:BRA|BSSY|CALL)\S*.* 0x([0-9a-f]+)$", words):
                self.assertIn(target.zfill(4), [number for _, number, _ in shown], words)

    def check_spirv(self, ticket, said, page):
        """What was chosen is there, by its line in the file, and its block's label and merge."""
        before = int(re.search(r"file line: number \+ (\d+)", " ".join(ticket.split()))[1])
        shown = {int(number): words for number, words in re.findall(
            r"^    [ >]([ \d]{4})  ((?:%\w+ = )?Op\w.*)", ticket, re.M)}
        self.assertLessEqual(len(shown), 20)
        self.assertIn(f"**SPIR-V** ({len(shown)} of the ", ticket)
        for number, words in shown.items():
            self.assertTrue(page[number + before - 1].strip().startswith(words), words)
            first = number
            while not re.search("OpLabel|OpFunction ", page[first + before - 1]):
                first -= 1
            last = first + 1
            while not re.search("OpLabel|OpFunctionEnd", page[last + before - 1]):
                last += 1
            merge = [i + j for i in range(first, last) for j in (0, 1)
                     if re.search("Op(Loop|Selection)Merge", page[i + before - 1])]
            self.assertLessEqual({first, *merge}, set(shown), words)
        for line in re.findall("^instructions (.*)", said, re.M):
            for first, last in re.findall(r"(\d+)(?:-(\d+))?", line):
                self.assertLessEqual(set(range(int(first), int(last or first) + 1)), set(shown))

    def test_pack(self):
        """The same bytes twice; what is unpacked needs nothing of this tree, and says where it cannot
        decide."""
        names = ["lavapipe-25.0.7-inner-loop", "nvidia-h200-580.159.04-bit-test-predicate"]
        for folder in "one", "two":
            subprocess.run([os.path.join(harness.SOURCE, "tools", "findings"), "pack", "--litmus",
                            harness.PROGRAM, "-o", self.path(folder), *names], check=True,
                           env=self.environment(drivers=[]), stdout=subprocess.DEVNULL)
        for file in os.listdir(self.path("one")):
            self.assertEqual(self.bytes_of(self.path("one"), file),
                             self.bytes_of(self.path("two"), file), file)
        lines = self.bytes_of(self.path("one"), "SHA256SUMS").decode().splitlines()
        self.assertEqual([line.split("  ")[1] for line in lines], [name + ".tar.xz" for name in names])
        for line in lines:
            digest, file = line.split("  ")
            archive = os.path.join(self.path("one"), file)
            self.assertEqual(hashlib.sha256(self.bytes_of(archive)).hexdigest(), digest)
            with tarfile.open(archive) as tar:
                tar.extractall(self.path("unpacked"))
            folder = os.path.join(self.path("unpacked"), file.removesuffix(".tar.xz"))
            self.assertTrue(os.path.exists(os.path.join(folder, "test.amber")))
            run = subprocess.run(["sh", "run"], cwd=folder, capture_output=True, text=True,
                                 env=self.environment(drivers=[harness.HOLLOW], CPPFLAGS=HEADERS,
                                                      LDLIBS=f"{harness.loader()} -lm"))
            self.assertEqual(run.returncode, 125, run)
            self.assertEqual(run.stdout.splitlines()[-1], "exit code 125: unknown")

    def test_other_modules(self):
        """The modules to compare with have the same data: the simulator finds all of them right."""
        chosen = [name for name in tickets() if re.search("^module ", read(name, "ticket.txt"), re.M)]
        self.assertGreaterEqual(len(chosen), 8)
        for name in [harness.drawn("modules").choice(chosen)] if harness.SAMPLE else chosen:
            files = self.make(name, name + "-modules")
            size = self.facts(name)["configuration"]["name"].rsplit("subgroup=")[-1]
            for module in sorted(file for file in files if re.fullmatch(r"other-\d\.spv", file)):
                run = subprocess.run(["sh", "run", "-n", "1", "-m", module], text=True,
                                     cwd=self.path(name + "-modules"), capture_output=True,
                                     env=self.environment(drivers=[harness.SIMT], CPPFLAGS=HEADERS,
                                                          LITMUS_SIMT=f"model=tangled,subgroup={size}",
                                                          LDLIBS=f"{harness.loader()} -lm"))
                self.assertEqual((run.returncode, run.stdout.splitlines()[-1]),
                                 (0, "exit code 0: right"), (name, module, run))

    def make(self, name, folder):
        """The bundle of a finding, in a folder: a reduced kernel's is made of that."""
        facts = os.path.join(FINDINGS, name, "facts.json")
        kernel = re.match(r"kernel\.(.*?)[/@]", self.facts(name)["configuration"]["name"])
        words = ["repro", "--facts", facts, "-o", self.path(folder)]
        if kernel:
            words[:0] = ["kernel", os.path.join(FINDINGS, name, "kernel", kernel[1] + ".amber")]
        self.litmus(*words, drivers=[], code=0)
        return {file: self.bytes_of(self.path(folder), file) for file in os.listdir(self.path(folder))}

    @staticmethod
    def bytes_of(*path):
        return harness.read(os.path.join(*path), "rb")

    @staticmethod
    def facts(name):
        return json.loads(read(name, "facts.json"))

    def test_bundles(self):
        """Each finding's bundle is made of its facts, which stay as they are, like the shader, the
        code and the evidence."""
        folders = sorted(os.path.basename(path[:-1]) for path in glob.glob(FINDINGS + "/*/")
                         if path != os.path.join(FINDINGS, "filing", ""))
        self.assertEqual(folders, tickets())
        for name in folders:
            with self.subTest(name):
                made, facts = self.make(name, name), self.facts(name)
                self.assertEqual(hashlib.sha256(made["test.spv"]).hexdigest(),
                                 facts["configuration"]["sha256"])
                again = json.loads(made["facts.json"])
                again["configuration"].pop("check", None)  # of a kernel, by this simulator
                self.assertEqual(again, facts)
                kept = set(os.listdir(os.path.join(FINDINGS, name))) & set(made) - {"facts.json"}
                for file in kept:
                    self.assertEqual(made[file], read(name, file, mode="rb"), file)
                self.assertTrue("source.txt" in made or kept & {"annotated.spvasm", "test.comp"}, kept)
                self.assertEqual(b"a GPU in software" in made["README.md"],
                                 facts["device"]["name"].endswith(", emulated"))
                self.check_ticket(name, made)
                self.check_readme(name, made)
                self.check_sources(made)
                # All else is made.
                self.assertEqual(kept & {"README.md", "ticket.md", "test.spvasm", "Makefile", "repro.c", "run", "test.spv",
                                         "input.bin", "expected.bin", "fresh.bin"}, set())

    def test_the_same_bytes_and_no_warning(self):
        chosen = tickets()
        if harness.SAMPLE:
            chosen = [harness.drawn("findings").choice(chosen)]
        for name in chosen:
            with self.subTest(name):
                self.assertEqual(self.make(name, name), self.make(name, name + "-again"))
                built = subprocess.run(["cc", *HEADERS.split(), "-std=c11", "-O1", "-Wall", "-Wextra",
                                        "-Werror", "-c", "repro.c", "-o", "repro.o"],
                                       cwd=self.path(name), capture_output=True, text=True)
                self.assertEqual((built.returncode, built.stderr), (0, ""))


if __name__ == "__main__":
    harness.main()
