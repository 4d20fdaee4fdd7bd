# SPDX-License-Identifier: Apache-2.0
"""litmus kernel: what kernels as they are shipped have and are given. shipped.py --write makes
docs/kernel.md's table of capabilities anew."""

import json
import os
import re
import shutil
import struct
import sys
import unittest

import harness

PAGE = os.path.join(harness.SOURCE, "docs", "kernel.md")
TABLE = os.path.join(harness.SOURCE, "simt", "module", "capabilities.inc")
FEATURES = os.path.join(harness.SOURCE, "harness", "model", "features.c")
HEAD = "| capability | what a device has to offer |\n| --- | --- |\n"

MODULE = harness.kernel("capable.spvasm")
MATRIX = harness.kernel("matrix.comp")
PUSHED = harness.kernel("pushed.comp")
ADDRESSED = harness.kernel("addressed.comp")
TURNS = harness.kernel("turns.comp")
needs_glslang = unittest.skipUnless(
    shutil.which("glslang") or shutil.which("glslangValidator"), "needs glslang")


def capabilities():
    """[(capability, feature)] of the table, the feature by its name, "" for none."""
    names = dict(re.findall(r'\[CAT_FEATURE_(\w+)\] =\s+"([^"]+)"', harness.read(FEATURES)))
    rows = re.findall(r"^CAPABILITY\((\w+), (\w+)\)", harness.read(TABLE), re.M)
    return [(name, "" if feature == "NOTHING" else names[feature]) for name, feature in rows]


def made(text):
    """The page with the table as the program has it."""
    begin = text.index(HEAD) + len(HEAD)
    end = text.index("\n\n", begin) + 1
    by_feature = {}
    for name, feature in capabilities():
        by_feature.setdefault(feature, []).append(name)
    rows = "".join(f"| {', '.join(f'`{name}`' for name in names)} | "
                   f"{f'`{feature}`' if feature else 'nothing more than Vulkan 1.1'} |\n"
                   for feature, names in by_feature.items())
    return text[:begin] + rows + text[end:]


def page():
    return harness.read(PAGE)


def grammar():
    """{capability: [extension]}, of those that need one."""
    for folder in (os.path.join(harness.SOURCE, ".sdk"), "/usr"):
        path = os.path.join(folder, "include/spirv/unified1/spirv.core.grammar.json")
        if os.path.exists(path):
            kinds = json.loads(harness.read(path))["operand_kinds"]
            return {each["enumerant"]: each.get("extensions", [])
                    for kind in kinds if kind["kind"] == "Capability"
                    for each in kind["enumerants"]}
    return {}


@unittest.skipUnless(shutil.which("spirv-as"), "needs spirv-as")
@harness.posix
@harness.unsanitized
class Table(harness.Case):
    def module(self, names, model="GLSL450"):
        extensions = {extension for name in names for extension in grammar().get(name, [])
                      if not extension.startswith("SPV_NV_cooperative")}
        extensions.add("SPV_KHR_storage_buffer_storage_class")
        return MODULE.format(
            capabilities="\n".join(f"OpCapability {name}" for name in names), model=model,
            extensions="\n".join(f'OpExtension "{name}"' for name in sorted(extensions)))

    def test_page(self):
        self.assertEqual(page(), made(page()), "run tests/e2e/shipped.py --write")

    def test_each_is_executed(self):
        """All at once: the simulator's device offers what each needs."""
        names = [name for name, _ in capabilities()]
        self.write("all.spvasm", self.module(names, "Vulkan"))
        self.write("zero.words", "0")
        result = self.litmus("kernel", "all.spvasm", "--groups", "1", "--buffer", "0.0=4",
                             "--expect", "0.0=zero.words", "--simt", "lockstep", "-n", "2",
                             "--db", "none")
        self.skip_if_old(result)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.out, r"kernel +1 +0 +0")

    def skip_if_old(self, result):
        if "Invalid capability" in result.err:
            self.skipTest("SPIRV-Tools are older than a capability")

    @harness.sanitized
    def test_others_are_named(self):
        for name in "StorageImageReadWithoutFormat", "RoundingModeRTZ", "Geometry":
            with self.subTest(name=name):
                self.write("other.spvasm", self.module(["Shader", name]))
                result = self.litmus("kernel", "other.spvasm", "--groups", "1", "--expect", "agree")
                self.assert_one_line(result, 2, f"other.spvasm: capability {name} is not supported")

    def test_old_validator(self):
        """One that is older than an extension does not make a module wrong."""
        self.write("one.spvasm", self.module(["Shader"]))
        os.mkdir(self.path("bin"))
        for unknown, code in (("capability operand: 6022", 0), ("execution mode operand: 6023", 0),
                              ("execution mode operand: 6999", 2), ("opcode: 6023", 2)):
            with self.subTest(unknown=unknown):
                os.chmod(self.write("bin/spirv-val", f"#!/bin/sh\necho 'error: line 4: Invalid {unknown}' >&2\nexit 1\n"), 0o755)
                result = self.litmus("kernel", "one.spvasm", "--groups", "1", "--buffer", "0.0=4",
                                     "--check", VULKAN_SDK=self.folder, code=code)
                if code:
                    self.assert_one_line(result, 2, f"one.spvasm is not valid: spirv-val: exit status 1: error: line 4: Invalid {unknown}")

    @needs_glslang
    def test_matrices(self):
        """By the module's own shape, as it is specialized, against what the device lists."""
        self.write("matrix.comp", MATRIX)
        options = ("--groups", "1", "--buffer", "0.0=floats:1K", "--buffer", "0.1=4K", "--subgroup", "32")
        result = self.litmus("kernel", "matrix.comp", *options, "--expect", "agree", "--simt",
                             "lockstep", "-n", "2", "--db", "none")
        self.skip_if_old(result)
        self.assertEqual(result.code, 0, result)
        result = self.litmus("kernel", "matrix.comp", *options, "--spec", "0=24", "--check")
        self.assert_one_line(result, 2, "cooperative matrices of 24x16x16, float16 by float16 and "
                             "float32 to float32, are none of the")
        self.write("matrix.comp", MATRIX.replace("coopMatMulAdd(x, y, z)", "z"))
        result = self.litmus("kernel", "matrix.comp", *options, "--spec", "0=24", "--check")
        self.assert_one_line(result, 2, "a cooperative matrix of 24x16, float32, is in none of the")


@needs_glslang
@harness.posix
@harness.unsanitized
class Given(harness.Case):
    def agrees(self, name, *options, code=0):
        result = self.litmus("kernel", name, *options, "--simt", "lockstep", "-n", "2", "--db", "none",
                             code=code)
        return result

    GIVEN = ("--groups", "1", "--buffer", "0.0=128", "--spec", "3=3")

    @harness.sanitized
    def test_no_values(self):
        self.write("one.comp", PUSHED.replace("MORE", ""))
        options = ("one.comp", *self.GIVEN, "--check")
        for given, words in (("u32:1.5", "'1.5' is not an integer of 32 bits"),
                             ("u32:4294967296", "not an integer of 32 bits"),
                             ("f32:x", "'x' is not a number"), ("hex:012", "pairs of hex"),
                             ("u32:1,", "'' is not an integer"), ("address:0", "as in address:0.2"),
                             ("u32:1,2", "8 bytes, where the module has 4"),
                             ("nothing", "'nothing' is not a number: u32:..., f32:..., hex:..., "),
                             ("00000700", "'00000700' is not a number"), ("deadbeef", "or file:FILE"),
                             ("file:x", "x: No such file")):
            with self.subTest(given=given):
                self.assert_one_line(self.litmus("kernel", *options, "--push", given), 2, words)
        result = self.litmus("kernel", *options, "--push", "u32:1", "--spec", "3=0x500000000")
        self.assert_one_line(result, 2, "'3=0x500000000': the constant is an integer of 32 bits, as in 3=u32:64")

    def test_spelled(self):
        """Each spelling of the same words."""
        self.write("two.comp", PUSHED.replace("MORE", "uint more;"))
        with open(self.path("kept.bin"), "wb") as file:
            file.write(struct.pack("<II", 7, 9))
        right = ("--expect", "0.0=formula:word*3+7")
        for given in ("u32:7,9", "u32:7,u32:0x9", "7,9", "0x7,0x9", "hex:0700000009000000",
                      "file:kept.bin", "u32:7,f32:1.5", "7,1.5", "hex:07000000,u32:-1"):
            with self.subTest(given=given):
                self.agrees("two.comp", *self.GIVEN, *right, "--push", given)
        self.agrees("two.comp", *self.GIVEN, *right, "--push", "u32:8,9", code=1)
        options = ("two.comp", *self.GIVEN, "--push", "7,9")
        right = [word * 3 + 7 for word in range(32)]
        with open(self.path("right.bin"), "wb") as file:
            file.write(struct.pack("<32I", *right))
        words = "u32:" + ",".join(map(str, right))
        for given in ("file:right.bin", "right.bin", words, "hex:" + struct.pack("<32I", *right).hex()):
            with self.subTest(given=given):
                self.agrees(*options, "--expect", "0.0=" + given)
        self.agrees(*options, "--expect", f"0.0={words[:-1]}1", code=1)
        for given, said in (("u32:7", "1 words, where the buffer has 32"), ("f32:x", "is not a number"),
                            ("address:0.0" + 15 * ",address:0.0", "addresses differ between devices")):
            result = self.litmus("kernel", *options, "--expect", "0.0=" + given)
            self.assert_one_line(result, 2, "--expect '", said)

    def test_addresses(self):
        """In push constants and in a buffer, of buffers that no module declares."""
        self.write("at.comp", ADDRESSED)
        options = ("at.comp", "--groups", "2", "--push", "address:0.2,u32:5,f32:2.5",
                   "--buffer", "0.0=u32:11,0,address:1.3", "--buffer", "1.3=iota:256")
        result = self.agrees(*options, "--buffer", "0.2=256", "--expect", "0.2=formula@1.3:word+18")
        self.assertRegex(result.out, r"kernel +1 +0 +0")
        self.agrees(*options, "--buffer", "0.2=256", "--expect", "0.2=formula@1.3:word+17", code=1)
        self.agrees(*options, "--buffer", "0.2=256", "--expect", "agree")
        result = self.litmus("kernel", *options, "--expect", "agree")
        self.assert_one_line(result, 2, "nothing says how long buffer 0.2 is")
        self.write("two.comp", PUSHED.replace("MORE", "uvec2 more;"))
        result = self.litmus("kernel", "two.comp", *self.GIVEN, "--push", "7,0,address:0.9", "--check")
        self.assert_one_line(result, 2, "nothing says how long buffer 0.9 is")
        for command, words in (("repro", "no reproducers of kernels that are given addresses"),
                               ("reduce", "takes addresses of buffers is not reduced")):
            result = self.litmus("kernel", *options, "--buffer", "0.2=256", "--expect", "agree",
                                 command, "--simt", "lockstep", code=2)
            self.assertIn(words, result.err)

    @harness.about_lavapipe
    def test_addresses_on_lavapipe(self):
        self.write("at.comp", ADDRESSED)
        self.litmus("kernel", "at.comp", "--groups", "2", "--push", "address:0.2,u32:5,f32:2.5",
                    "--buffer", "0.0=u32:11,0,address:1.3", "--buffer", "1.3=iota:256",
                    "--buffer", "0.2=256", "--expect", "0.2=formula@1.3:word+18", "-n", "50",
                    code=0)

    ARRAYS = harness.kernel("arrays.comp")
    ARRAYED = ("--groups", "1", "--buffer", "0.1=256", "--expect", "0.1[0]=formula@0.0[2]:2*input[word]",
               "--expect", "0.1[1]=formula:word%3==1?7:word")

    def arrayed(self, size="", **options):
        """The buffers of an array, all of them or each by itself, where it has a size and where not."""
        self.write("arrays.comp", self.ARRAYS.replace("SIZE", size))
        return self.agrees("arrays.comp", *self.ARRAYED, "--buffer", "0.0[2]=iota:256", "--buffer", "0.0=iota:256",
                           "--buffer", "0.0[1]=sevens.words", **options)

    def test_arrays(self):
        self.write("sevens.words", "7 " * 64)
        for size in "3", "":
            with self.subTest(size=size):
                self.assertRegex(self.arrayed(size).out, r"kernel +1 +0 +0")
                self.write("sevens.words", "7 8 9 6 " + "7 " * 60)
                self.assertIn("buffer 0.1[1], word 1: wrong, got 0x00000008, want 0x00000007", self.arrayed(size, code=1).out)
                self.write("sevens.words", "7 " * 64)
        self.write("arrays.comp", self.ARRAYS.replace("SIZE", "3"))
        if "LITMUS_VULKAN_CFLAGS" in os.environ:
            self.litmus("kernel", "arrays.comp", *self.ARRAYED, "--buffer", "0.0=iota:256", "--buffer",
                        "0.0[1]=sevens.words", "--simt", "lockstep", "-n", "4")
            self.assertEqual(self.litmus("repro", "kernel.arrays", "-o", "bundle").code, 0)
            self.run_bundle("bundle", 0)

    def test_wrong_arrays(self):
        self.write("open.comp", self.ARRAYS.replace("SIZE", ""))
        self.write("three.comp", self.ARRAYS.replace("SIZE", "3"))
        self.write("nested.comp", self.ARRAYS.replace("SIZE", "3][1").replace("a[0].d", "a[0][0].d").replace(
            "a[2].d", "a[2][0].d").replace("3u)]", "3u)][0]"))
        for name, options, words in (
                ("three", ("0.0[3]=4",), "--buffer '0.0[3]=4': the module has no such buffer, but 0.0[0], 0.0[1], 0.0[2], 0.1[0], 0.1[1]"),
                ("three", ("0.0[1]=256",), "nothing says what buffer 0.0[0] (a) holds"),
                ("open", ("0.0[2]=256",), "nothing says what buffer 0.0[0] (a) holds"),
                ("open", ("0.0=256", "0.0[40]=256"), "more than 32 buffers"),
                ("three", ("0.0[x]=4",), "expected SET.BINDING="), ("three", ("0.0[1=4",), "expected SET.BINDING="),
                # (Or spirv-val is installed, which refuses it.)
                ("nested", (), "nested.comp")):
            with self.subTest(options=options):
                buffers = [word for each in options for word in ("--buffer", each)]
                result = self.litmus("kernel", name + ".comp", *self.ARRAYED[:4], *buffers, "--check")
                self.assert_one_line(result, 2, words)
        # Behind an element's end, and at one that was not given.
        for size, said in (64, r"buffer 0\.0\[1\] \+ 64"), (256, r"an address without a buffer \+ 8"):
            buffers = ("0.0=iota:256", f"0.0[1]=iota:{size}") + (("0.0[2]=zero:256",) if size == 64 else ())
            buffers = [word for each in buffers for word in ("--buffer", each)]
            result = self.litmus("kernel", "open.comp", "--groups", "1", "--buffer", "0.1=256", *buffers, "--check")
            self.assertRegex(result.out, rf"(?m)^out of bounds: 4 bytes at {said}, \d+ times, first\n.*open\.comp:10")

    def test_arrays_of_scripts(self):
        script = """#!amber
SHADER compute both GLSL
%sEND
BUFFER one DATA_TYPE uint32 SIZE 64 SERIES_FROM 0 INC_BY 1
BUFFER two DATA_TYPE uint32 SIZE 64 FILL 7
BUFFER three DATA_TYPE uint32 SIZE 64 FILL 5
BUFFER sums DATA_TYPE uint32 SIZE 64 FILL 0
BUFFER picked DATA_TYPE uint32 SIZE 64 FILL 0
PIPELINE compute pipe
  ATTACH both
  BIND BUFFER_ARRAY one two three AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER_ARRAY sums picked AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN pipe 1 1 1
EXPECT sums IDX 0 EQ 5 6 7
EXPECT picked IDX 0 EQ 0 7 5 3 7
"""
        for size in "", "3":
            self.write("own.amber", script % self.ARRAYS.replace("SIZE", size))
            self.agrees("own.amber")
            self.write("own.amber", script.replace("EQ 0 7 5 3 7", "EQ 0 7 5 3 8") % self.ARRAYS.replace("SIZE", size))
            self.agrees("own.amber", code=1)
        self.write("own.amber", script.replace("one two three", "one two") % self.ARRAYS.replace("SIZE", "3"))
        result = self.litmus("kernel", "own.amber", "--check")
        self.assert_one_line(result, 2, "pipeline pipe binds nothing at 0.0[2], which its shader has")
        self.write("own.amber", script.replace("_ARRAY one", " one", 1) % self.ARRAYS.replace("SIZE", "3"))
        self.assert_one_line(self.litmus("kernel", "own.amber", "--check"), 2, "own.amber:22: expected AS")

    def test_folders(self):
        """A bundle has the names of files, and not where they lay; a module is the same everywhere."""
        for folder in "my own", "other":
            os.makedirs(self.path(folder))
            at = self.write(folder + "/one.comp", PUSHED.replace("MORE", ""))
            self.write(folder + "/right.words", " ".join(str(3 * i + 7) for i in range(32)))
            options = (at, "--module", f"two={at}", "--then", "two@1:0x7", "--groups", "1", "--push", "0x7", "--spec", "3=3",
                       "--spec", "two@3=3", "--buffer", "0.0=128", "--expect", f"0.0={self.path(folder)}/right.words")
            self.litmus("kernel", *options, "--simt", "lockstep", "-n", "2")
            result = self.litmus("kernel", *options, "repro", "-o", "bundle-" + folder, code=0)
            for name in os.listdir(self.path("bundle-" + folder)):
                with open(self.path(f"bundle-{folder}/{name}"), "rb") as file:
                    self.assertNotIn(os.path.dirname(at).encode(), file.read(), name)
            text = self.read(f"bundle-{folder}/README.md")
            self.assertRegex(text, r"\n    litmus kernel '?one\.comp'? --module '?two=one\.comp'? --then two@1:0x7 .*"
                             r" --expect '?0\.0=right\.words'? run ")
            self.assertIn("that result is declared to be required", " ".join(text.split()))
        self.assertEqual(self.rows("SELECT count(DISTINCT sha256) FROM result"), [(1,)])

    def test_nans(self):
        """NaNs of another payload are NaNs, in buffers of floats alone."""
        for kind, convert, code in ("float", "uintBitsToFloat", 0), ("uint", "uint", 2):
            self.write("turns.comp", TURNS.replace("TYPE", kind).replace("CONVERT", convert))
            result = self.litmus("kernel", "turns.comp", "--groups", "1", "--buffer", "0.0=zero:4",
                                 "--buffer", "0.1=256", "--subgroup", "8", "--expect", "agree",
                                 "--simt", "tangled", "-n", "20", "--db", "none", code=code)

    WIDE = harness.kernel("wide.comp")

    def test_wide_constants(self):
        """Values of the constants' own types, of 64 bits too; hexadecimal digits are the bits of a float."""
        self.write("wide.comp", self.WIDE.replace("doubleBitsToUint64", "packUint2x32(unpackDouble2x32") .replace("(real)", "(real))"))
        options = "wide.comp", "--groups", "1"
        for given, words in (
                ((), (1, 1, 0x3ff0000000000000, 0x3f800000, 0, 1)),
                (("4=5000000000", "5=-5000000000", "6=-2", "7=1.5", "8=1", "9=-1"),
                 (5000000000, 2**64 - 5000000000, 0xc000000000000000, 0x3fc00000, 1, 0xffffffff)),
                (("4=0xffffffffffffffff", "5=i64:-1", "6=f64:0.5", "7=f32:2", "9=u32:7"),
                 (2**64 - 1, 2**64 - 1, 0x3fe0000000000000, 0x40000000, 0, 7)),
                (("4=7", "4=u64:9", "6=0x3ff8000000000000", "7=0x40400000"),
                 (9, 1, 0x3ff8000000000000, 0x40400000, 0, 1))):
            with self.subTest(given=given):
                with open(self.path("right.bin"), "wb") as file:
                    file.write(struct.pack("<QQQIII", *words) + bytes(4))
                specs = [word for each in given for word in ("--spec", each)]
                self.agrees(*options, *specs, "--buffer", "0.0=zero:40", "--expect", "0.0=right.bin")
        for given, words in (("4=0x10000000000000000", "an integer of 64 bits, as in 4=u64:64"), ("4=1.5", "an integer of 64"),
                             ("4=u32:1", "an integer of 64"), ("5=f64:1", "an integer of 64 bits, as in 5=i64:64"),
                             ("6=one", "a float of 64 bits"), ("7=1e39", "a float of 32 bits, as in 7=f32:64"),
                             ("9=0x100000000", "an integer of 32"), ("9=", "an integer of 32"), ("9=-2147483649", "an integer of 32"),
                             ("3=1", "the module has no specialization constant 3")):
            with self.subTest(given=given):
                self.assert_one_line(self.litmus("kernel", *options, "--spec", given, "--check"), 2, words)
        if "LITMUS_VULKAN_CFLAGS" in os.environ:
            self.litmus("kernel", *options, *specs, "--buffer", "0.0=zero:40", "--expect", "0.0=right.bin", "--simt", "lockstep",
                        "-n", "4")
            self.assertEqual(self.litmus("repro", "kernel.wide", "-o", "bundle").code, 0)
            self.run_bundle("bundle", 0)

    def test_narrow_constants(self):
        self.write("narrow.comp", self.WIDE.replace("const uint narrow = 1u", "const uint16_t narrow = uint16_t(1)").replace(
            "= narrow", "= uint(narrow)").replace("doubleBitsToUint64(real)", "1ul"))
        result = self.litmus("kernel", "narrow.comp", "--groups", "1", "--spec", "9=5", "--check")
        self.assert_one_line(result, 2, "specialization constant 9 has 16 bits")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        text = made(page())
        with open(PAGE, "w", encoding="utf-8") as out:
            out.write(text)
    else:
        harness.main()
