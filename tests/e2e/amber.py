# SPDX-License-Identifier: Apache-2.0
"""Reads an Amber script as Amber's parser does (docs/amber_script.md of Amber, and what its parser
takes where that says less), as far as `litmus repro` writes it: anything else is an error. Plays
scripts where an `amber` is found."""

import os
import re
import shutil
import subprocess
import unittest

import harness

FEATURES = {
    "shaderFloat64", "shaderInt16", "shaderInt64", "Float16Int8Features.shaderFloat16",
    "Float16Int8Features.shaderInt8", "VulkanMemoryModelFeatures.vulkanMemoryModel",
    "VulkanMemoryModelFeatures.vulkanMemoryModelDeviceScope",
    "SubgroupSizeControl.subgroupSizeControl", "SubgroupSizeControl.computeFullSubgroups",
    "SubgroupSupportedOperations.basic", "SubgroupSupportedOperations.vote",
    "SubgroupSupportedOperations.arithmetic", "SubgroupSupportedOperations.ballot",
    "SubgroupSupportedOperations.shuffle", "SubgroupSupportedOperations.shuffleRelative",
    "SubgroupSupportedOperations.clustered", "SubgroupSupportedOperations.quad",
    "ShaderSubgroupExtendedTypesFeatures.shaderSubgroupExtendedTypes",
    "ZeroInitializeWorkgroupMemoryFeatures.shaderZeroInitializeWorkgroupMemory",
}

PLAYER = shutil.which("amber")


def play(script, environment):
    """Amber's exit code and what it printed; -d: without the validation layers."""
    done = subprocess.run([PLAYER, "-d", "-t", "spv1.3", "-v", "1.3", os.path.basename(script)],
                          cwd=os.path.dirname(script), env=environment, text=True, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


class Wrong(Exception):
    """What Amber would not take, with the line."""


class Script:
    """The parts of a script, in the order in which it declares them. A token is its text; the end
    of a line is "\\n", that of the script is ""."""

    def __init__(self, text, folder):
        self.folder, self.text, self.at, self.line = folder, text, 0, 1
        self.features, self.extensions = set(), set()
        self.shaders, self.buffers, self.pipelines = {}, {}, {}
        self.runs, self.expects = [], []
        read = {"DEVICE_FEATURE": self.feature, "DEVICE_EXTENSION": self.extension,
                "SHADER": self.shader, "BUFFER": self.buffer, "PIPELINE": self.pipeline,
                "RUN": self.run, "EXPECT": self.expect}
        if not text.startswith("#!amber\n"):
            self.fail("the first line is not #!amber")
        while (token := self.token()) != "":
            if token != "\n":
                read.get(token, lambda: self.fail(f"no statement: {token}"))()

    def fail(self, why):
        raise Wrong(f"line {self.line}: {why}")

    # Tokens

    def token(self):
        while self.text[self.at:self.at + 1] in tuple(" \t\r\f"):
            self.at += 1
        if self.text.startswith("#", self.at):
            self.at = (self.text + "\n").find("\n", self.at)
        end = self.at + self.text.startswith("\n", self.at)
        self.line += end - self.at
        if end == self.at:
            while self.text[end:end + 1] not in ("", *" \r\n(),"):
                end += 1
        token, self.at = self.text[self.at:end], end
        return token

    def peek(self):
        before = self.at, self.line
        token = self.token()
        self.at, self.line = before
        return token

    def word(self, *allowed):
        token = self.token()
        if not token[:1].isalpha() and not token[:1] == "_" or allowed and token not in allowed:
            self.fail(f"{token!r} where {' or '.join(allowed) or 'a name'} has to be")
        return token

    def number(self, hexadecimal=False, most=2**32 - 1):
        """Hexadecimal ones are taken in few places; elsewhere Amber refuses them or reads 0."""
        token = self.token()
        if hexadecimal and token[:2] == "0x":
            value = int(token, 16)
        elif token.isdecimal():
            value = int(token)
        else:
            self.fail(f"{token!r} where a {'' if hexadecimal else 'decimal '}number has to be")
        if value > most:
            self.fail(f"{token} is out of range")
        return value

    def end(self):
        token = self.token()
        if token not in ("", "\n"):
            self.fail(f"{token!r} behind the end of the statement")

    def values(self):
        """Numbers to the end of the line."""
        values = []
        while self.peek() not in ("", "\n"):
            values.append(self.number(hexadecimal=True))
        self.end()
        return values

    def known(self, names):
        name = self.word()
        if name not in names:
            self.fail(f"{name} was not declared")
        return name

    def new(self, names):
        name = self.word()
        if name in names:
            self.fail(f"{name} is declared twice")
        return name

    # Statements

    def feature(self):
        self.features.add(self.word(*FEATURES))
        self.end()

    def extension(self):
        self.extensions.add(self.word())
        self.end()

    def file(self):
        path = os.path.join(self.folder, self.word())
        if not os.path.exists(path):
            self.fail(f"there is no {path}")
        return harness.read(path, "rb")

    def shader(self):
        self.word("compute")
        name, form = self.new(self.shaders), self.word("SPIRV-ASM", "SPIRV-BIN")
        if form == "SPIRV-ASM":
            self.word("TARGET_ENV")
            self.word("spv1.3", "spv1.5")
        if form == "SPIRV-BIN" or self.peek() == "FILE":
            self.word("FILE")
            self.shaders[name] = self.file()
            self.end()
            return
        self.end()
        # The text ends at the first END, wherever that stands.
        end = self.text.find("END", self.at)
        if end <= self.at:
            self.fail("the shader has no text, or no end")
        self.shaders[name] = self.text[self.at:end].encode()
        self.line += self.text.count("\n", self.at, end)
        self.at = end
        self.word("END")
        self.end()

    def buffer(self):
        name = self.new(self.buffers)
        self.word("DATA_TYPE")
        self.word("uint32")
        if self.word("DATA", "SIZE") == "DATA":
            values = []
            while self.peek() != "END":
                if self.peek() == "\n":
                    self.token()
                else:
                    values.append(self.number(hexadecimal=True))
            self.word("END")
        else:
            size = self.number()
            if self.word("FILL", "FILE") == "FILL":
                values = [self.number()] * size
            else:
                self.word("BINARY")
                content = self.file()
                values = [int.from_bytes(content[i:i + 4], "little")
                          for i in range(0, len(content), 4)]
                if len(content) != 4 * size:
                    self.fail("the file has another size")
        self.end()
        if not values:
            self.fail("an empty buffer")
        self.buffers[name] = values

    def pipeline(self):
        self.word("compute")
        name = self.new(self.pipelines)
        self.end()
        made = {"constants": {}, "bindings": {}, "push": None, "size": None, "full": False}
        while (token := self.token()) != "END":
            if token == "ATTACH":
                self.attach(made)
            elif token == "SUBGROUP":
                self.subgroup(made)
            elif token == "BIND":
                self.bind(made)
            elif token != "\n":
                self.fail(f"{token!r} in a pipeline")
        self.end()
        self.pipelines[name] = made

    def attach(self, made):
        self.known(self.shaders)
        while self.peek() == "SPECIALIZE":
            self.token()
            constant = self.number()
            self.word("AS")
            self.word("uint32")
            made["constants"][constant] = self.number()
        self.end()

    def subgroup(self, made):
        self.known(self.shaders)
        while (token := self.token()) != "END":
            if token == "FULLY_POPULATED":
                made["full"] = self.word("on", "off") == "on"
                self.needs("SubgroupSizeControl.computeFullSubgroups")
            elif token == "REQUIRED_SIZE":
                made["size"] = self.number()
                self.needs("SubgroupSizeControl.subgroupSizeControl")
            elif token != "\n":
                self.fail(f"{token!r} in SUBGROUP")
        self.end()

    def needs(self, feature):
        if feature not in self.features:
            self.fail(f"without DEVICE_FEATURE {feature}")

    def bind(self, made):
        self.word("BUFFER")
        buffer = self.known(self.buffers)
        self.word("AS")
        if self.word("storage", "push_constant") == "storage":
            self.word("DESCRIPTOR_SET")
            if self.number() != 0:
                self.fail("another descriptor set than 0")
            self.word("BINDING")
            made["bindings"][self.number()] = buffer
        else:
            made["push"] = buffer
        self.end()

    def run(self):
        self.runs.append((self.known(self.pipelines), [self.number() for _ in range(3)]))
        self.end()

    def expect(self):
        buffer = self.known(self.buffers)
        if self.word("EQ_BUFFER", "IDX") == "EQ_BUFFER":
            other = self.known(self.buffers)
            if len(self.buffers[buffer]) != len(self.buffers[other]):
                self.fail("buffers of other sizes")
            self.expects.append((buffer, "EQ_BUFFER", other))
            self.end()
            return
        byte = self.number(most=2**26)  # Amber keeps it as a float; these are exact
        comparison, values = self.word("EQ", "NE"), self.values()
        if byte % 4 or not values or byte // 4 + len(values) > len(self.buffers[buffer]):
            self.fail("no words of the buffer")
        self.expects += [(buffer, comparison, byte // 4 + i, value)
                         for i, value in enumerate(values)]


FAILS = ("reconvergence.switch-exit/reconvergence=maximal,target=loop,branch=block,entry=workgroup"
         "@workgroup=64")
# What Amber's parser refuses, or reads as something else without a word.
MUTANTS = (("#!amber", "# amber"), (" FILL 3235831469", " FILL 0xc0dedead"),
           (" SIZE ", " SIZE 0x"), ("AS uint32 64", "AS uint32 0x40"), ("IDX 0 ", "IDX 0x0 "),
           (" 1 1\n# If", " 0x1 1\n# If"), (" IDX 0 EQ 0\n", " IDX 2 EQ 0\n"),
           (" IDX 0 EQ 0\n", " IDX 0 EQ\n"), (" EQ ", " IS "), ("\nEND\n\nBUFFER", "\n\nBUFFER"),
           ("DESCRIPTOR_SET 0", "DESCRIPTOR_SET 0x0"), ("ATTACH test", "ATTACH tests"),
           ("SubgroupSizeControl.computeFullSubgroups", "shaderInt16"),
           ("OpReturn", "; the END\nOpReturn"), ("AS push_constant", "AS push_constants"))


class Scripts(harness.Case):
    """The scripts that `litmus repro --amber` writes."""

    def script(self, name, *arguments):
        """The script's text, or None where the bundle has none."""
        path = self.path("bundle/test.amber")
        self.litmus("repro", name, *arguments, "--amber", "-o", self.path("bundle"), code=0)
        if not os.path.exists(path):
            return None
        return harness.read(path)

    def play(self, settings):
        """Whether the expectations hold, by Amber; any other error of Amber is a failure here."""
        code, out = play(self.path("bundle/test.amber"),
                         self.environment(drivers=[harness.SIMT], LITMUS_SIMT=f"model={settings}"))
        self.assertRegex(out, "Verifier failed|different values" if code else "1 pass, 0 fail")
        return code == 0

    def test_what_amber_refuses(self):
        text = self.script(FAILS, "--simt", "lockstep,subgroup=8")
        folder = self.path("bundle")
        script = Script(text, folder)
        self.assertEqual(len(script.runs), 1)
        # The last structure by name has one feature: two would be a ring in vkCreateDevice.
        last = sorted(feature.split(".")[0] for feature in script.features if "." in feature)[-2:]
        self.assertEqual(last[1], "ZeroInitializeWorkgroupMemoryFeatures")
        self.assertNotEqual(*last)
        for old, new in MUTANTS:
            with self.subTest(new=new):
                self.assertIn(old, text)
                with self.assertRaises(Wrong):
                    Script(text.replace(old, new, 1), folder)

    @unittest.skipUnless(shutil.which("spirv-as"), "needs spirv-as")
    def test_read_back(self):
        """`litmus kernel` reads the scripts, and they pass and fail there as the tests do."""
        name = ("shuffle.scan-loop/sync=none,reconvergence=default,form=variables,op=add,mode=inclusive,"
                "access=descriptor,pressure=none@workgroup=64,subgroup=8")
        for model, code in ("lockstep", 0), ("tangled", 0), ("snooping", 1):
            with self.subTest(model=model):
                settings = f"{model},subgroup=8"
                self.assertIsNotNone(self.script(name, "--simt", settings))
                result = self.litmus("kernel", self.path("bundle/test.amber"), "--simt", settings,
                                     "-n", "3", "--db", "kernel.db", code=code)
                shutil.rmtree(self.path("bundle"))

    def test_what_always_fails(self):
        """Each failure that was recorded contradicts the script."""
        settings = "peeling,subgroup=8,seed=7"
        self.litmus("run", FAILS + "*", "--simt", settings, "-n", "5", "-q", "--db", "store.db")
        entry, = self.report("store.db")["results"]
        self.assertEqual(entry["failed_runs"], 5, entry)
        script = Script(self.script(FAILS, "--db", "store.db"), self.path("bundle"))
        unit = int(re.search(r"WORDS_PER_UNIT +UINT64_C\((\d+)\)", self.read("bundle/repro.c"))[1])
        self.assertGreater(len(entry["failures"]), 0)
        for failure in entry["failures"]:
            said = {(how, value) for _, how, word, value in script.expects
                    if word == failure["instance"] * unit + failure["word"]}
            self.assertTrue(any((value == failure["got"]) == (how == "NE")
                                for how, value in said), (failure, said))
        if PLAYER:
            self.assertFalse(self.play(settings))
            self.assertTrue(self.play("lockstep,subgroup=8"))

    def read_every(self, step, played):
        """Parses each script of so many; plays each of so many of them."""
        names = [name for name in self.litmus("list", "--names").out.split()
                 if not name.startswith("generated.")]      # drawn when they are run
        self.assertGreater(len(names), 400)
        for number, name in enumerate(names[::step]):
            with self.subTest(name=name):
                settings = f"lockstep,subgroup={32 if name.startswith('matrix.') else 8}"
                text = self.script(name, "--simt", settings)
                if not text:
                    self.assertRegex(name, "(access|place)=address|through=(memory|push)|"
                                           "^shuffle.descriptors/|^cases.offload-test-suite-584/")
                else:
                    self.assertGreater(len(Script(text, self.path("bundle")).runs), 0)
                    if PLAYER and number % played == 0:
                        self.play(settings)
            shutil.rmtree(self.path("bundle"), ignore_errors=True)

    @unittest.skipUnless(harness.SAMPLE, "all are read")
    def test_some_scripts(self):
        self.read_every(40, 2)

    test_every_script = harness.full(harness.case("read_every", 1, 20))


harness.main(__name__)
