# SPDX-License-Identifier: Apache-2.0
"""Reads an Amber script by the language's documentation (docs/amber_script.md of Amber), as far as
`litmus repro` writes it. Anything else is an error: a checker for scripts, no player of them."""

import os

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
}


class Wrong(Exception):
    """What Amber would not take, with the line."""


class Script:
    """The parts of a script, in the order in which it declares them."""

    def __init__(self, text, folder):
        self.folder = folder
        self.lines = text.split("\n")
        self.at = 0
        self.features, self.extensions = set(), set()
        self.shaders, self.buffers, self.pipelines = {}, {}, {}
        self.runs, self.expects = [], []
        if self.lines[0] != "#!amber":
            raise Wrong("the first line is not #!amber")
        while self.at < len(self.lines):
            self.statement()

    def fail(self, why):
        raise Wrong(f"line {self.at}: {why}: {self.lines[self.at - 1][:80]}")

    def words(self):
        """The next line's words, without its comment."""
        line = self.lines[self.at]
        self.at += 1
        return line.split("#")[0].split()

    def statement(self):
        words = self.words()
        if not words:
            return
        read = {"DEVICE_FEATURE": self.feature, "DEVICE_EXTENSION": self.extension,
                "SHADER": self.shader, "BUFFER": self.buffer, "PIPELINE": self.pipeline,
                "RUN": self.run, "EXPECT": self.expect}.get(words[0])
        if not read:
            self.fail("no statement")
        read(words[1:])

    def number(self, word, most=2**32 - 1):
        value = int(word, 16 if word.startswith("0x") else 10)
        if not 0 <= value <= most:
            self.fail("number out of range")
        return value

    def new(self, names, name):
        if name in names:
            self.fail("declared twice")
        return name

    def feature(self, words):
        if len(words) != 1 or words[0] not in FEATURES:
            self.fail("unknown feature")
        self.features.add(words[0])

    def extension(self, words):
        if len(words) != 1 or not words[0].startswith("VK_"):
            self.fail("unknown extension")
        self.extensions.add(words[0])

    def file(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            self.fail("no such file")
        with open(path, "rb") as file:
            return file.read()

    def shader(self, words):
        if len(words) < 3 or words[0] != "compute":
            self.fail("no compute shader")
        name, form, rest = self.new(self.shaders, words[1]), words[2], words[3:]
        if form == "SPIRV-ASM":
            if rest[:2] != ["TARGET_ENV", "spv1.3"]:
                self.fail("the version of SPIR-V is not said")
            rest = rest[2:]
        elif form != "SPIRV-BIN" or not rest:
            self.fail("unknown form")
        if rest:
            if len(rest) != 2 or rest[0] != "FILE":
                self.fail("no file")
            self.shaders[name] = self.file(rest[1])
            return
        # Amber ends the text at the first END, wherever that stands.
        text = "\n".join(self.lines[self.at:])
        end = text.find("END")
        if end < 0 or (end and text[end - 1] != "\n") or text[end + 3:end + 4] != "\n":
            self.fail("the shader's text has END in it")
        self.shaders[name] = text[:end].encode()
        self.at += text[:end].count("\n") + 1

    def buffer(self, words):
        if len(words) < 4 or words[1:3] != ["DATA_TYPE", "uint32"]:
            self.fail("no buffer of words")
        name, rest = self.new(self.buffers, words[0]), words[3:]
        if rest == ["DATA"]:
            values = []
            while True:
                row = self.words()
                if row == ["END"]:
                    break
                if not row:
                    self.fail("an empty row")
                values += [self.number(word) for word in row]
        elif rest[0] == "SIZE" and rest[2] == "FILL" and len(rest) == 4:
            values = [self.number(rest[3])] * self.number(rest[1])
        elif rest[0] == "SIZE" and rest[2:4] == ["FILE", "BINARY"] and len(rest) == 5:
            content = self.file(rest[4])
            if len(content) != 4 * self.number(rest[1]):
                self.fail("the file has another size")
            values = [int.from_bytes(content[i:i + 4], "little")
                      for i in range(0, len(content), 4)]
        else:
            self.fail("no initializer")
        if not values:
            self.fail("an empty buffer")
        self.buffers[name] = values

    def pipeline(self, words):
        if len(words) != 2 or words[0] != "compute":
            self.fail("no compute pipeline")
        made = {"constants": {}, "bindings": {}, "push": None, "size": None, "full": False}
        while True:
            row = self.words()
            if row == ["END"]:
                break
            if row[0] == "ATTACH" and row[1] in self.shaders:
                rest = row[2:]
                while rest:
                    if rest[0] != "SPECIALIZE" or rest[2:4] != ["AS", "uint32"]:
                        self.fail("no specialization")
                    made["constants"][self.number(rest[1])] = self.number(rest[4])
                    rest = rest[5:]
            elif row[0] == "SUBGROUP" and row[1] in self.shaders:
                self.subgroup(made)
            elif row[:2] == ["BIND", "BUFFER"] and row[2] in self.buffers:
                if row[3:] == ["AS", "push_constant"]:
                    made["push"] = row[2]
                elif row[3:6] == ["AS", "storage", "DESCRIPTOR_SET"] and row[7] == "BINDING":
                    made["bindings"][self.number(row[8])] = row[2]
                else:
                    self.fail("no binding")
            else:
                self.fail("not known in a pipeline")
        self.pipelines[self.new(self.pipelines, words[1])] = made

    def subgroup(self, made):
        while True:
            row = self.words()
            if row == ["END"]:
                return
            if row == ["FULLY_POPULATED", "on"]:
                made["full"] = "SubgroupSizeControl.computeFullSubgroups"
                needed = made["full"]
            elif row[0] == "REQUIRED_SIZE":
                made["size"] = self.number(row[1])
                needed = "SubgroupSizeControl.subgroupSizeControl"
            else:
                self.fail("not known of subgroups")
            if needed not in self.features:
                self.fail("the feature is missing")

    def run(self, words):
        if len(words) != 4 or words[0] not in self.pipelines:
            self.fail("no run")
        self.runs.append((words[0], [self.number(word) for word in words[1:]]))

    def expect(self, words):
        if words[0] not in self.buffers:
            self.fail("no such buffer")
        if words[1] == "EQ_BUFFER":
            if len(self.buffers[words[0]]) != len(self.buffers[words[2]]):
                self.fail("buffers of other sizes")
            self.expects.append((words[0], "EQ_BUFFER", words[2]))
            return
        if words[1] != "IDX" or words[3] not in ("EQ", "NE") or len(words) != 5:
            self.fail("no comparison")
        at = self.number(words[2])
        if at % 4 or at // 4 >= len(self.buffers[words[0]]):
            self.fail("outside of the buffer")
        self.expects.append((words[0], words[3], at // 4, self.number(words[4])))
