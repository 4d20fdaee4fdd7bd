#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""litmus show --format litmus and dat3m: memory tests for other tools."""

import collections
import glob
import json
import os
import re
import subprocess

import harness

CORPUS = sorted(glob.glob(os.path.join(harness.SOURCE, "corpus", "*.litmus")))
SPIRV_AS = os.environ.get("LITMUS_SPIRV_AS", "spirv-as")
SPIRV_VAL = SPIRV_AS.replace("spirv-as", "spirv-val")
# A thread of the workgroup does not have its barrier: Dat3M has it wait for ever.
BEYOND = ["WRC+cbar+wg"]

LOOP = harness.kernel("loop.litmus")
# All that a .litmus has.
ALL = harness.kernel("all.litmus")
# What Dat3M's grammar of the dialect takes, in its order.
SCOPE, CLASS, PLACE = r"\.(sg|wg|qf|dv)", r"\.sc[0-3]", r" [a-z]\w*, -?\w+"
SEMANTICS = rf"{SCOPE}(%s)(\.semsc[0-3])+"
ORDERS = "|".join(word + SEMANTICS % "%s" + moves for word, moves in (
    (r"\.acq", r"(\.semvis)?"), (r"\.rel", r"(\.semav)?"),
    (r"\.acq_rel", r"(\.semav)?(\.semvis)?")))
INSTRUCTION = re.compile("|".join((
    rf"st(\.nonpriv|\.av{SCOPE})?{CLASS}{PLACE}", rf"ld(\.nonpriv|\.vis{SCOPE})?{CLASS}{PLACE}",
    rf"(ld|st|rmw)\.atom({SCOPE}{CLASS}|{ORDERS.replace('%s', CLASS)})"
    rf"(\.(add|sub|mul|div|and|or|xor))?{PLACE}(, -?\w+)?",
    rf"membar({ORDERS.replace('(%s)', '')})", rf"cbar({SCOPE}|{ORDERS.replace('(%s)', '')}) \d+",
    r"(add|sub|mul|div|and|or|xor) r\d+, -?\w+, -?\w+", r"LC\d+:", r"goto LC\d+",
    r"b(eq|ne|ge|le|gt|lt) -?\w+, -?\w+, LC\d+", "avdevice", "visdevice")))
TEST = harness.kernel("passing.test")


def name_of(path):
    return os.path.basename(path)[:-len(".litmus")]


def rows_of(text):
    """A .litmus: for each thread its place and its instructions."""
    head, *rows = [[cell.strip() for cell in line.rstrip(" ;").split("|")]
                   for line in text.splitlines() if line.endswith(" ;") and "|" in line]
    threads = [re.match(r"P(\d+)@sg (\d+), wg (\d+), qf 0$", cell).groups() for cell in head]
    return [(thread, [row[i] for row in rows if i < len(row) and row[i]])
            for i, thread in enumerate(threads)]


class Module:
    """The events of a module, thread by thread, as a .litmus has them."""

    SCOPES = {1: "dv", 2: "wg", 3: "sg", 5: "qf"}
    RMW = {"IAdd": ".add", "ISub": ".sub", "And": ".and", "Or": ".or", "Xor": ".xor",
           "Exchange": ""}

    def __init__(self, text):
        self.constants = {}
        self.classes = {}
        self.threads = collections.defaultdict(list)
        self.places = {}
        inside, code = None, False
        for line in text.splitlines():
            words = line.replace(" = ", " ").split()
            if not words or words[0] == ";":
                continue
            if "OpConstant" in words:
                self.constants[words[0]] = int(words[3])
            elif "OpVariable" in words:
                self.classes[words[0]] = {"StorageBuffer": "sc0", "Workgroup": "sc1"}.get(words[3])
            elif re.match(r"%is_P\d+$", words[0]):
                self.places[words[0][5:]] = self.constants[words[-1]]
            elif "OpLabel" in words:
                part = re.match(r"%P(\d+)_(part|begin|block|end)_?\d*$", words[0])
                inside = part[1] if part else None
            elif words[0] == "OpControlBarrier":
                for thread in self.places:
                    self.threads[thread].append("cbar" + self.semantics(words[3], words[2]))
            elif inside:
                self.threads[inside] += self.event(words, inside)

    def semantics(self, bits, scope):
        bits = self.constants[bits]
        order = {2: ".acq", 4: ".rel", 8: ".acq_rel"}.get(bits & 14, "")
        return (order + "." + self.SCOPES[self.constants[scope]]
                + (".semsc0" if bits & 0x40 else "") + (".semsc1" if bits & 0x100 else "")
                + (".semav" if bits & 0x2000 else "") + (".semvis" if bits & 0x4000 else ""))

    def value(self, word):
        register = re.match(r"%P\d+_(r\d+)_\d+$", word)
        return register[1] if register else str(self.constants[word])

    def event(self, words, thread):
        op = next(word for word in words if word.startswith("Op"))
        result, rest = (words[0], words[3:]) if words[0] != op else (None, words[1:])
        if op == "OpMemoryBarrier":
            return ["membar" + self.semantics(rest[1], rest[0])]
        at = re.match(r"%P" + thread + r"_at_(\w+)$", rest[0]) if rest else None
        if not at:
            return []
        target = result and re.match(r"%P\d+_(r\d+)_", result)[1] + ", "
        where = "." + self.classes["%location_" + at[1]]
        if op in ("OpLoad", "OpStore"):
            access = rest[1 + (op == "OpStore"):]
            kinds = access[0].split("|") if access else []
            moves = (".av" * ("MakePointerAvailable" in kinds)
                     + ".vis" * ("MakePointerVisible" in kinds))
            how = moves + "." + self.SCOPES[self.constants[access[1]]] if moves else \
                ".nonpriv" * ("NonPrivatePointer" in kinds)
            return [f"ld{how}{where} {target}{at[1]}" if op == "OpLoad" else
                    f"st{how}{where} {at[1]}, {self.value(rest[1])}"]
        order = self.semantics(rest[2], rest[1])
        parts = re.match(r"((?:\.acq|\.rel|\.acq_rel)?\.\w\w)(.*)", order)
        how = ".atom" + parts[1] + where + parts[2]
        if op == "OpAtomicLoad":
            return [f"ld{how} {target}{at[1]}"]
        if op == "OpAtomicStore":
            return [f"st{how} {at[1]}, {self.value(rest[3])}"]
        return [f"rmw{how}{self.RMW[op[len('OpAtomic'):]]} {target}{at[1]}, {self.value(rest[3])}"]


class Shown(harness.Case):
    def show(self, form, name):
        result = self.litmus("show", "--format", form, name, drivers=[])
        self.assert_clean(result)
        self.assertEqual(result.code, 0, result)
        return result.out

    def assert_valid(self, text):
        path, made = self.write("a.spvasm", text), self.path("a.spv")
        for command in ([SPIRV_AS, "--target-env", "spv1.5", path, "-o", made],
                        [SPIRV_VAL, "--target-env", "vulkan1.2", made]):
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, (done.stderr, text))


class Files(Shown):
    def test_round_trip(self):
        """What is written of a file is decided as the file is."""
        written = []
        for path in CORPUS:
            text = self.show("litmus", path)
            for row in [row for _, rows in rows_of(text) for row in rows]:
                self.assertRegex(row, rf"^(?:{INSTRUCTION.pattern})$")
            written.append(self.write(os.path.basename(path), text))
        given = self.litmus("model", *CORPUS).out.replace(os.path.dirname(CORPUS[0]) + "/", "")
        made = self.litmus("model", *written).out.replace(os.path.dirname(written[0]) + "/", "")
        self.assertRegex(given, r"MP\+rlx\+dv: 2 threads")
        self.assertEqual(made, given)

    def test_all_of_a_file(self):
        """Nothing is lost, and what was written is written again as it is."""
        text = self.show("litmus", self.write("all.litmus", ALL))
        self.assertEqual(self.show("litmus", self.write("again.litmus", text)), text)
        self.assertIn("VULKAN all @ once\nKernel=volatile\n"
                      "{ x=5; y=-2; z aliases x; P0:r2=-7; P1:r0=3; }\n{ ssw 0 1; }\n", text)
        self.assertTrue(text.endswith(ALL[ALL.index("filter"):]), text)
        self.assertIn("locations [P0:r1]", text)

    def test_from_alloy(self):
        path = self.write("mp.test", TEST)
        text = self.show("litmus", path)
        self.assertIn("VULKAN mp\n(* NOSOLUTION consistent[X] *)\n", text)
        self.assertIn("~exists (P1:r0 == 1 /\\ P1:r1 == 0)", text)
        self.litmus("model", "--quiet", path, self.write("mp.litmus", text), code=0)
        self.assert_valid(self.show("dat3m", path))

    def assert_annotated(self, text, litmus):
        """Each location and each register of the condition begins with something; the condition
        is that of the file."""
        inputs = dict(re.findall(r"(?m)^; @Input: (%\w+) = \{(-?\d+)\}$", text))
        for name, value in re.findall(r"(\w+)=(-?\d+);", litmus):
            self.assertEqual(inputs.pop("%location_" + name, None), value)
        ask, condition = re.search(r"(?m)^(~?exists|forall) (\(.*\))$", litmus).groups()
        condition = re.sub(r"P(\d+):r(\d+)", r"%P\1_r\2[0]", condition)
        shared = set(re.findall(r"(%location_\w+) += OpVariable \S+ Workgroup", text))
        condition = re.sub(r"(?<![\w%])([a-z])(?= [=!<>])", lambda match: "%{}_{}[0]".format(
            "final" if "%location_" + match[1] in shared else "location", match[1]), condition)
        condition = condition.replace("/\\", "and").replace("\\/", "or")
        self.assertEqual(re.findall(r"(?m)^; @Output: (.*)$", text),
                         [f"{ask.replace('~', 'not ')} {condition}"])
        named = re.findall(r"%\w+", condition)
        self.assertEqual(set(inputs), {name for name in named if "location" not in name})
        first = text.index("OpCapability")
        self.assertNotIn("@", text[first:])  # Dat3M reads annotations before the code alone

    def assert_same_events(self, text, litmus):
        module, groups = Module(text), collections.Counter()
        lanes, subgroups, workgroups = map(int, re.search(r"@Config: (\d+), (\d+), (\d+)",
                                                          text).groups())
        found = []
        for (number, subgroup, workgroup), rows in rows_of(litmus):
            events = [re.sub(r"^cbar(\S+) \d+", r"cbar\1", row) for row in rows
                      if not re.match(r"b\w\w |\w+:$|goto ", row)]
            self.assertEqual(module.threads[number][:len(events)], events, text)
            # Behind it only the barrier before workgroup memory is read.
            self.assertIn(module.threads[number][len(events):],
                          ([], ["cbar.acq_rel.wg.semsc1.semav.semvis"]))
            place = module.places[number]
            found.append((place, place // lanes, place // (lanes * subgroups),
                          (subgroup, workgroup), workgroup))
            self.assertLess(place, lanes * subgroups * workgroups)
            groups[place] += 1
        self.assertEqual(max(groups.values()), 1)
        for a in found:
            for b in found:
                self.assertEqual(a[1] == b[1], a[3] == b[3])
                self.assertEqual(a[2] == b[2], a[4] == b[4])

    def test_dat3m(self):
        """What is written of each file is valid SPIR-V with its annotations and its events."""
        beyond = []
        for path in CORPUS:
            with self.subTest(path=path):
                if name_of(path) in BEYOND:
                    self.assert_one_line(self.litmus("show", "-f", "dat3m", path), 3,
                                         "a control barrier that a thread of the workgroup")
                    beyond.append(name_of(path))
                    continue
                text = self.show("dat3m", path)
                litmus = self.show("litmus", path)
                self.assert_valid(text)
                self.assert_annotated(text, litmus)
                self.assert_same_events(text, litmus)
        self.assertEqual(beyond, BEYOND)

    def test_dat3m_filter_and_jumps(self):
        text = ALL.replace("{ ssw 0 1; }\n", "").replace("qf 1", "qf 0").replace("sc1", "sc0")
        text = text.replace(" z aliases x;", "").replace(" z,", " x,").replace(" A: ", "    ")
        text = text.replace("bne r0, 1, A", "bne r0, 1, C").replace("avdevice ", " " * 9)
        text = text.replace("visdevice", " " * 9).replace("                      | B:  ",
                                                          " C:                   | B:  ")
        shown = self.show("dat3m", self.write("all.litmus", text))
        self.assert_valid(shown)
        self.assertIn("; @Input: %location_y = {-2}\n", shown)
        self.assertIn("; @Output: forall (%P0_r0[0] == 1 and (%location_x[0] == 1 or "
                      "%location_y[0] != 0) and not (%P0_r0[0] == -2))\n", shown)
        self.assertIn("; @Filter: (%P0_r0[0] == 1 or not (%P1_r0[0] > 2 and %location_x[0] < -3))\n"
                      "; @Config: 2, 1, 1\n", shown)

    def test_refused(self):
        loop = self.write("loop.litmus", LOOP)
        self.assertIn("bne r0, 1, LC0", self.show("litmus", loop))
        self.assert_one_line(self.litmus("show", "-f", "dat3m", loop), 3, "loop.litmus: a loop")
        named = self.write("named.litmus", LOOP.replace("st.atom.dv.sc0 x, 1", "cbar.wg 0, 2"))
        for form in ("litmus", "dat3m"):
            self.assert_one_line(self.litmus("show", "-f", form, named), 3, "a named barrier")
            wrong = self.write("wrong.litmus", "VULKAN\n")
            self.assert_one_line(self.litmus("show", "-f", form, wrong), 2, "line 2, column 1")
            gone = self.litmus("show", "-f", form, "none.litmus")
            self.assert_one_line(gone, 2, "cannot read none.litmus")
            self.assert_one_line(self.litmus("show", "-f", form, "shuffle.scan-loop"), 3,
                                 "shuffle.scan-loop: not expressed as a program")
            beyond = self.litmus("show", "-f", form, "memory.atomicity/op=float-add")
            self.assert_one_line(beyond, 3, "there are no floating-point numbers in .litmus")
        for path, why in ((self.write("all.litmus", ALL), "a loop"),
                          (self.write("ssw.litmus", ALL.replace("bne r0, 1, A", "add r3, r0, 1")),
                           "system-synchronize")):
            self.assert_one_line(self.litmus("show", "-f", "dat3m", path), 3, why)

    def test_from_the_store(self):
        """A test that was made from a file, by its name or a configuration's id."""
        path = next(path for path in CORPUS if name_of(path) == "MP+rel-acq+dv")
        self.litmus("run", path, "-n", "1", "--simt", "lockstep,threads=1", "-q", code=0)
        self.assertEqual(self.show("litmus", "litmus.mp-rel-acq-dv"), self.show("litmus", path))
        self.assertEqual(self.show("dat3m", "1830f920"), self.show("dat3m", path))


class Catalogue(Shown):
    """The tests of the family memory as programs: by the model each is what the test expects."""

    def configurations(self):
        """Of each variant of the default run one."""
        listed = json.loads(self.litmus("list", "--json", "memory.*").out)
        return {case["name"].split("@")[0]: case for test in listed["tests"]
                for case in test["configurations"]}.values()

    def test_expectations(self):
        paths, expected, refused = [], [], collections.Counter()
        for case in self.configurations():
            result = self.litmus("show", "--format", "litmus", case["name"], drivers=[])
            if result.code:
                self.assert_one_line(result, 3, "not expressed as a program of the memory model")
                refused[result.err.rsplit(": ", 1)[1].strip()] += 1
                continue
            self.assertIn(f"(* {case['name']}: {case['expectation']} *)", result.out)
            paths.append(self.write(f"{len(paths)}.litmus", result.out))
            ask = "~exists" if case["expectation"] == "forbidden" else "exists"
            expected.append(f"{paths[-1]}: {ask}: holds")
            self.assert_valid(self.show("dat3m", paths[-1]))
        decided = self.litmus("model", "--quiet", *paths, code=0)
        got = [line.removesuffix(", with a data race") for line in decided.out.splitlines()]
        self.assertEqual(got, expected)
        # What is forbidden is so because nothing races.
        self.assertNotIn("~exists: holds, with", decided.out)
        self.assertGreaterEqual(len(paths), 39)
        self.assertEqual(set(refused), {"the memory model GLSL450 is not defined by axioms",
                                        "there is no compare-exchange in .litmus",
                                        "there is no minimum or maximum in .litmus",
                                        "there are no floating-point numbers in .litmus"})

    def test_without_a_configuration(self):
        """The first variant is meant."""
        self.assertIn("memory.message-passing/sides=device,scope=exact,order=release-acquire,",
                      self.show("litmus", "memory.message-passing"))


harness.main(__name__)
