#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels as SPIR-V assembly: expressions over all scalar types, with branches, loops,
switches, calls, arrays and atomics, in SSA form with phis.

usage: random_kernels.py SEED    writes that kernel to stdout

Every result is defined: divisors are not 0, shifts are in range, loops are short, floats are kept
between 2^-63 and 2 (doubles: 2^-511 and 2) by replacing bits of the exponent, so that what rounds
is only sums, differences and products, which every driver rounds to nearest even. Kernels of even
seeds need nothing but Shader; those of odd seeds use integers of 8, 16 and 64 bits and doubles too.
"""

import pathlib
import random
import sys

PLACES = 768            # invocations: agree.c dispatches 3 x 2 x 2 workgroups of 64
WORDS = 8               # that each puts

INTEGERS = {"u8": 8, "i8": 8, "u16": 16, "i16": 16, "u32": 32, "i32": 32, "u64": 64, "i64": 64}
FLOATS = {"f32": 32, "f64": 64}
WIDTHS = INTEGERS | FLOATS
NARROW = ("bool", "u32", "i32", "f32", "v4")
WIDE = NARROW + ("u8", "i8", "u16", "i16", "u64", "i64", "f64")

ANY = ("OpIAdd", "OpISub", "OpIMul", "OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor")
SHIFTS = ("OpShiftLeftLogical", "OpShiftRightLogical", "OpShiftRightArithmetic")
EXTENDED = ("UMin", "UMax", "SMin", "SMax")
COMPARE = ("OpIEqual", "OpINotEqual", "OpULessThan", "OpSLessThan", "OpUGreaterThanEqual",
           "OpSGreaterThan", "OpSLessThanEqual", "OpULessThanEqual")
ATOMICS = ("OpAtomicIAdd", "OpAtomicUMin", "OpAtomicUMax", "OpAtomicAnd", "OpAtomicOr",
           "OpAtomicXor",
           "OpAtomicSMin", "OpAtomicSMax")

HEAD = pathlib.Path(__file__).with_name("random.spvasm").read_text(encoding="utf-8")


class Kernel:
    """One kernel while it is written. `env` has the values of each type that may be used here."""

    def __init__(self, seed):
        self.random = random.Random(f"agree {seed}")
        self.seed = seed
        self.types = WIDE if seed % 2 else NARROW
        self.integers = [name for name in self.types if name in INTEGERS]
        self.lines, self.constants, self.decorations = [], {}, []
        self.count = 0
        self.swaps_vectors = False
        self.helper = False     # inside the helper function
        self.loops = []         # (break edges, continue edges, merge, continue) of the loops around

    # Writing

    def name(self, prefix="x"):
        self.count += 1
        return f"%{prefix}{self.count}"

    def constant(self, kind, value):
        if kind == "bool":
            return "%true" if value else "%false"
        name = f"%{kind}_{value}".replace("-", "m").replace(".", "_")
        self.constants[name] = f"{name} = OpConstant %{kind} {value}"
        return name

    def emit(self, op, kind, *operands):
        """A new value of that type; GLSL.std.450's instructions by their names."""
        name = self.name()
        if not op.startswith("Op"):
            op, operands = "OpExtInst", ("%glsl", op) + operands
        self.lines.append(f"{name} = {op} %{kind} {' '.join(map(str, operands))}")
        if kind in self.env:
            self.env[kind].append(name)
        if op in ("OpFAdd", "OpFSub", "OpFMul"):
            self.decorations.append(f"OpDecorate {name} NoContraction")
        return name

    def hidden(self, op, kind, *operands):
        """As emit, but nothing else will use the value."""
        name = self.emit(op, kind, *operands)
        if kind in self.env:
            self.env[kind].pop()
        return name

    def pick(self, kind):
        values = self.env[kind]
        if kind in INTEGERS and self.random.random() < 0.1 or not values:
            return self.some_constant(kind)
        if self.random.random() < 0.5:
            return self.random.choice(values[-4:])
        return self.random.choice(values)

    def some_constant(self, kind):
        if kind == "bool":
            return self.constant(kind, self.random.random() < 0.5)
        if kind == "v4":
            return self.hidden("OpCompositeConstruct", "v4", *(self.pick("u32") for _ in range(4)))
        if kind in FLOATS:
            return self.constant(kind, self.random.choice((0.5, 1.25, -1.75, 0.0625)))
        bits = INTEGERS[kind]
        half = 2 ** (bits - 1)
        low, high = (0, 2 * half - 1) if kind[0] == "u" else (-half, half - 1)
        return self.constant(kind, self.random.choice((0, 1, 3, 77, low, high, high // 3)))

    def same(self, kind):
        """An integer of this width, of either signedness."""
        other = self.random.choice("ui") + kind[1:]
        return self.pick(other)

    def masked(self, kind, value, mask):
        return self.hidden("OpBitwiseAnd", kind, value, self.constant(kind, mask))

    def nonzero(self, kind, value):
        return self.hidden("OpBitwiseOr", kind, value, self.constant(kind, 1))

    # Expressions

    def integer(self, kind):
        bits, roll = INTEGERS[kind], self.random.randrange(13)
        positive = 2 ** (bits - 1) - 1
        if roll < 3:
            return self.emit(self.random.choice(ANY), kind, self.same(kind), self.same(kind))
        if roll == 3:
            divisor = self.nonzero("u" + kind[1:], self.same(kind))
            return self.emit(self.random.choice(("OpUDiv", "OpUMod")), "u" + kind[1:],
                             self.pick("u" + kind[1:]), divisor)
        if roll == 4:
            divisor = self.nonzero(kind, self.masked(kind, self.same(kind), positive))
            if self.random.random() < 0.5:
                return self.emit("OpSDiv", kind, self.same(kind), divisor)
            return self.emit(self.random.choice(("OpSRem", "OpSMod")), kind,
                             self.masked(kind, self.same(kind), positive), divisor)
        if roll == 5:
            amount = self.masked("u32", self.same("u32"), bits - 1)
            return self.emit(self.random.choice(SHIFTS), kind, self.same(kind), amount)
        if roll == 6:
            return self.emit(self.random.choice(("OpNot", "OpSNegate")), kind, self.same(kind))
        if roll == 7:
            return self.emit("OpSelect", kind, self.pick("bool"), self.pick(kind), self.pick(kind))
        if roll == 8:
            return self.emit(self.random.choice(EXTENDED), kind, self.same(kind), self.same(kind))
        if roll == 9:
            return self.converted(kind)
        if bits == 32:
            return self.bits(kind)
        return self.emit(self.random.choice(ANY), kind, self.same(kind), self.same(kind))

    def converted(self, kind):
        """From another width, or from a float of at most 2^11."""
        others = [name for name in self.integers if INTEGERS[name] != INTEGERS[kind]]
        if others and self.random.random() < 0.6:
            other = self.random.choice(others)
            op = "OpSConvert" if self.random.random() < 0.5 else "OpUConvert"
            if op == "OpUConvert":
                kind = "u" + kind[1:]
            return self.emit(op, kind, self.pick(other))
        if INTEGERS[kind] < 16:
            return self.emit("SAbs", kind, self.same(kind))
        scaled = self.hidden("OpFMul", "f32", self.pick("f32"), self.constant("f32", 1024.0))
        if self.random.random() < 0.5:
            whole = self.random.choice(("Floor", "Ceil", "Trunc", "RoundEven"))
            scaled = self.hidden(whole, "f32", scaled)
        return self.emit("OpConvertFToS", "i" + kind[1:], scaled)

    def bits(self, kind):
        roll = self.random.randrange(8)
        offset = self.masked("u32", self.pick("u32"), 15)
        count = self.masked("u32", self.pick("u32"), 15)
        if roll == 0:
            return self.emit("OpBitFieldInsert", kind, self.pick(kind), self.pick(kind), offset,
                             count)
        if roll == 1:
            op = "OpBitFieldSExtract" if kind == "i32" else "OpBitFieldUExtract"
            return self.emit(op, kind, self.pick(kind), offset, count)
        if roll == 2:
            op = self.random.choice(("OpBitReverse", "OpBitCount"))
            return self.emit(op, kind, self.pick(kind))
        if roll == 3:
            op = self.random.choice(("FindILsb", "FindUMsb", "FindSMsb", "SAbs", "SSign"))
            return self.emit(op, kind, self.pick(kind))
        if roll == 4:
            op = "OpSMulExtended" if kind == "i32" else self.random.choice(
                ("OpIAddCarry", "OpISubBorrow", "OpUMulExtended"))
            pair = self.emit(op, kind + "_pair", self.pick(kind), self.pick(kind))
            return self.emit("OpCompositeExtract", kind, pair, self.random.randrange(2))
        if roll == 5:
            return self.emit("OpVectorExtractDynamic", "u32", self.pick("v4"),
                             self.masked("u32", offset, 3))
        if roll == 6:
            return self.emit("OpBitcast", kind, self.pick("f32"))
        low, high = self.pick("u32"), self.pick("u32")
        return self.emit("UClamp", "u32", self.pick("u32"), self.hidden("UMin", "u32", low, high),
                         self.hidden("UMax", "u32", low, high))

    def floating(self, kind):
        roll, integer = self.random.randrange(6), "u" + kind[1:]
        if roll < 3:
            value = self.hidden(self.random.choice(("OpFAdd", "OpFSub", "OpFMul")), kind,
                                self.pick(kind), self.pick(kind))
        elif roll == 3:
            other = self.random.choice([name for name in self.integers if INTEGERS[name] >= 32])
            # No more bits than fit: Vulkan does not say to which neighbour converting rounds.
            spare = self.constant("u32", max(0, INTEGERS[other] - (24 if kind == "f32" else 53)))
            shift = "OpShiftRightLogical" if other[0] == "u" else "OpShiftRightArithmetic"
            fits = self.hidden(shift, other, self.pick(other), spare)
            value = self.hidden("OpConvertUToF" if other[0] == "u" else "OpConvertSToF", kind, fits)
        elif roll == 4:
            return self.emit(self.random.choice(("FMin", "FMax")), kind, self.pick(kind),
                             self.pick(kind))
        else:
            op = self.random.choice(("OpFNegate", "FAbs", "OpSelect"))
            if op == "OpSelect":
                return self.emit(op, kind, self.pick("bool"), self.pick(kind), self.pick(kind))
            return self.emit(op, kind, self.pick(kind))
        return self.tame(kind, self.hidden("OpBitcast", integer, value))

    def tame(self, kind, bits):
        integer, top = "u" + kind[1:], FLOATS[kind] - 2
        kept = self.masked(integer, bits, 2 ** (top + 2) - 1 - 2 ** top)
        return self.emit("OpBitcast", kind, self.hidden("OpBitwiseOr", integer, kept,
                                                        self.constant(integer, 2 ** (top - 1))))

    def boolean(self):
        roll = self.random.randrange(6)
        if roll < 3:
            kind = self.random.choice(self.integers)
            return self.emit(self.random.choice(COMPARE), "bool", self.same(kind), self.same(kind))
        if roll == 3:
            kind = self.random.choice([name for name in self.types if name in FLOATS])
            op = self.random.choice(("OpFOrdLessThan", "OpFUnordGreaterThanEqual", "OpFOrdEqual"))
            return self.emit(op, "bool", self.pick(kind), self.pick(kind))
        if roll == 4:
            return self.emit("OpLogicalNot", "bool", self.pick("bool"))
        op = self.random.choice(("OpLogicalAnd", "OpLogicalOr", "OpLogicalEqual",
                                 "OpLogicalNotEqual"))
        return self.emit(op, "bool", self.pick("bool"), self.pick("bool"))

    def vector(self):
        roll = self.random.randrange(4)
        if roll == 0:
            order = [self.random.randrange(8) for _ in range(4)]
            return self.emit("OpVectorShuffle", "v4", self.pick("v4"), self.pick("v4"), *order)
        if roll == 1:
            index = self.masked("u32", self.pick("u32"), 3)
            return self.emit("OpVectorInsertDynamic", "v4", self.pick("v4"),
                             self.pick("u32"), index)
        if roll == 2:
            return self.emit("OpCompositeInsert", "v4", self.pick("u32"), self.pick("v4"),
                             self.random.randrange(4))
        return self.emit(self.random.choice(ANY), "v4", self.pick("v4"), self.pick("v4"))

    def expression(self):
        kind = self.random.choice(self.types + ("u32", "i32"))
        if kind in INTEGERS:
            self.integer(kind)
        elif kind in FLOATS:
            self.floating(kind)
        elif kind == "bool":
            self.boolean()
        else:
            self.vector()

    # Memory

    def cell(self):
        index = self.masked("u32", self.pick("u32"), 7)
        return self.hidden("OpAccessChain", "cell_ptr", self.local_array, index)

    def memory(self):
        roll = self.random.randrange(5)
        if roll < 2:
            self.lines.append(f"OpStore {self.cell()} {self.pick('u32')}")
        elif roll < 4:
            self.emit("OpLoad", "u32", self.cell())
        else:
            # One kind of atomic for each word: what is left there is the same in every order.
            which = self.random.randrange(len(ATOMICS))
            where = self.hidden("OpAccessChain", "word_ptr", "%state", self.constant("u32", 0),
                                self.constant("u32", which))
            self.hidden(ATOMICS[which], "u32", where, self.constant("u32", 1),
                        self.constant("u32", 0),
                        self.pick("u32"))

    # Control flow

    def label(self, name):
        self.lines.append(f"{name} = OpLabel")
        self.block = name

    def edge(self, target):
        """Ends this block; what its values were, for phis at the target."""
        self.lines.append(f"OpBranch {target}")
        return self.block, self.copied()

    def copied(self):
        return {kind: list(values) for kind, values in self.env.items()}

    def merge(self, name, edges, env):
        """A block that several edges lead to: some phis, else what was there before them."""
        self.label(name)
        self.env = {kind: list(values) for kind, values in env.items()}
        phis = []
        for kind in self.random.sample(self.types, 3):
            if all(values[kind] for _, values in edges):
                operands = [f"{self.late(values[kind])} {block}" for block, values in edges]
                phis.append((kind, operands))
        for kind, operands in phis:
            self.emit("OpPhi", kind, *operands)

    def late(self, values):
        return self.random.choice(values[-3:])

    def statements(self, count, depth):
        for _ in range(count):
            roll = self.random.random()
            if roll < 0.10 and depth:
                self.branch(depth - 1)
            elif roll < 0.16 and depth:
                self.loop(depth - 1)
            elif roll < 0.20 and depth:
                self.switch(depth - 1)
            elif roll < 0.28:
                self.memory()
            elif roll < 0.31 and not self.helper:
                self.emit("OpFunctionCall", "u32", "%helper", self.pick("u32"), self.pick("i32"),
                          self.pick("f32"))
            else:
                self.expression()

    def leave(self):
        """Leaves the loop, its iteration or the helper. False where there is nothing to leave."""
        if self.helper and self.random.random() < 0.3:
            self.lines.append(f"OpReturnValue {self.pick('u32')}")
            return True
        if not self.loops:
            return False
        breaks, continues, end, next_one = self.loops[-1]
        if self.random.random() < 0.5:
            breaks.append(self.edge(end))
        else:
            continues.append(self.edge(next_one))
        return True

    def branch(self, depth):
        yes, no, end = self.name("then"), self.name("else"), self.name("endif")
        condition, before = self.pick("bool"), self.copied()
        self.lines += [f"OpSelectionMerge {end} None",
                       f"OpBranchConditional {condition} {yes} {no}"]
        edges = []
        self.label(yes)
        self.statements(self.random.randrange(1, 6), depth)
        if self.random.random() < 0.6 or not self.leave():
            edges.append(self.edge(end))
        self.label(no)
        self.env = {kind: list(values) for kind, values in before.items()}
        self.statements(self.random.randrange(5), depth)
        edges.append(self.edge(end))
        self.merge(end, edges, before)

    def switch(self, depth):
        end, default = self.name("endswitch"), self.name("default")
        cases = [self.name("case") for _ in range(self.random.randrange(1, 5))]
        selector = self.masked("u32", self.pick("u32"), 3)
        before, head, edges, through = self.copied(), self.block, [], None
        targets = " ".join(f"{number} {case}" for number, case in enumerate(cases))
        self.lines += [f"OpSelectionMerge {end} None", f"OpSwitch {selector} {default} {targets}"]
        for number, case in enumerate(cases):
            self.merge(case, [(head, before)] + ([through] if through else []), before)
            self.statements(self.random.randrange(1, 4), depth)
            through = None
            if number + 1 < len(cases) and self.random.random() < 0.4:
                through = self.edge(cases[number + 1])
            elif self.random.random() < 0.7 or not self.leave():
                edges.append(self.edge(end))
        self.merge(default, [(head, before)], before)
        self.statements(self.random.randrange(3), depth)
        edges.append(self.edge(end))
        self.merge(end, edges, before)

    def loop(self, depth):
        header, check, body = self.name("loop"), self.name("check"), self.name("body")
        next_one, end = self.name("next"), self.name("endloop")
        bound = self.masked("u32", self.pick("u32"), 7)
        kinds = [self.random.choice(self.types) for _ in range(3)]
        kinds.append(kinds[0])
        first = [self.pick(kind) for kind in kinds]
        entry = self.edge(header)[0]
        self.label(header)
        counter, stepped = self.name("round"), self.name("round")
        carried = [self.name("carried") for _ in kinds]
        phis = len(self.lines)  # they name values of the loop: written when those are there
        for kind, name in zip(kinds, carried):
            self.env[kind].append(name)
        self.lines += [f"OpLoopMerge {end} {next_one} None", f"OpBranch {check}"]
        self.label(check)
        more = self.hidden("OpULessThan", "bool", counter, bound)
        before = self.copied()
        breaks, continues = [(check, before)], []
        self.lines.append(f"OpBranchConditional {more} {body} {end}")

        self.label(body)
        self.env["u32"].append(counter)
        self.loops.append((breaks, continues, end, next_one))
        self.statements(self.random.randrange(2, 7), depth)
        self.loops.pop()
        continues.append(self.edge(next_one))
        self.merge(next_one, continues, before)
        self.lines.append(f"{stepped} = OpIAdd %u32 {counter} {self.constant('u32', 1)}")
        updates = [self.late(self.env[kind]) for kind in kinds]
        # The first and the last have the same type, and often change places.
        if self.random.random() < 0.5:
            updates[0], updates[-1] = carried[-1], carried[0]
            self.swaps_vectors |= kinds[0] == "v4"
        latch = self.edge(header)[0]

        zero = self.constant("u32", 0)
        self.lines[phis:phis] = [f"{counter} = OpPhi %u32 {zero} {entry} {stepped} {latch}"] + [
            f"{name} = OpPhi %{kind} {start} {entry} {update} {latch}"
            for kind, name, start, update in zip(kinds, carried, first, updates)]
        self.merge(end, breaks, before)

    # Functions

    def begin(self, kind, name, function_type, arguments=()):
        self.lines.append(f"{name} = OpFunction %{kind} None %{function_type}")
        self.env = {name: [] for name in self.types}
        for argument in arguments:
            self.lines.append(f"%{argument} = OpFunctionParameter %{argument[4:]}")
            self.env[argument[4:]].append("%" + argument)
        self.label(self.name("entry"))
        self.local_array = self.name("array")
        self.lines.append(f"{self.local_array} = OpVariable %array_ptr Function")

    def fill_array(self):
        for index in range(8):
            cell = self.hidden("OpAccessChain", "cell_ptr", self.local_array,
                               self.constant("u32", index))
            self.lines.append(f"OpStore {cell} {self.pick('u32')}")

    def write_helper(self):
        self.begin("u32", "%helper", "helper_type", ("arg_u32", "arg_i32", "arg_f32"))
        self.helper = True
        self.fill_array()
        self.statements(12, 2)
        self.lines += [f"OpReturnValue {self.pick('u32')}", "OpFunctionEnd"]
        self.helper = False

    def read_inputs(self, place):
        """Eight words, which lie in another order for every kernel, and of every type something."""
        odd = self.constant("u32", self.random.randrange(1, 8192, 2))
        start = self.hidden("OpIMul", "u32", place, odd)
        for _ in range(8):
            offset = self.constant("u32", self.random.randrange(8192))
            index = self.masked("u32", self.hidden("OpIAdd", "u32", start, offset), 8191)
            where = self.hidden("OpAccessChain", "word_ptr", "%input",
                                self.constant("u32", 0), index)
            value = self.emit("OpLoad", "u32", where)
            self.emit("OpBitcast", "i32", value)
            self.tame("f32", value)
        for kind in self.integers:
            if INTEGERS[kind] != 32:
                op = "OpUConvert" if kind[0] == "u" else "OpSConvert"
                for _ in range(2):
                    self.emit(op, kind, self.pick("u32" if kind[0] == "u" else "i32"))
        if "f64" in self.types:
            for _ in range(2):
                self.tame("f64", self.pick("u64"))
        self.emit("OpCompositeConstruct", "v4", *(self.pick("u32") for _ in range(4)))
        self.boolean()

    def word_of(self, kind, value):
        if kind == "bool":
            one, zero = self.constant("u32", 1), self.constant("u32", 0)
            return self.hidden("OpSelect", "u32", value, one, zero)
        if kind == "v4":
            parts = [self.hidden("OpCompositeExtract", "u32", value, index) for index in range(4)]
            return self.hidden("OpBitwiseXor", "u32",
                               self.hidden("OpIMul", "u32", parts[0], parts[1]),
                               self.hidden("OpISub", "u32", parts[2], parts[3]))
        if kind == "f64":
            kind, value = "u64", self.hidden("OpBitcast", "u64", value)
        if kind == "u32":
            return value
        if WIDTHS[kind] == 32:
            return self.hidden("OpBitcast", "u32", value)
        low = self.hidden("OpUConvert", "u32", value)
        if WIDTHS[kind] < 64:
            return low
        high = self.hidden("OpShiftRightLogical", "u64", value, self.constant("u32", 32))
        return self.hidden("OpBitwiseXor", "u32", low, self.hidden("OpUConvert", "u32", high))

    def write_outputs(self, place):
        """All values that are left, folded into the words of this invocation."""
        folded = [self.constant("u32", index) for index in range(WORDS)]
        left = [(kind, value) for kind in self.types for value in list(self.env[kind])]
        for index, (kind, value) in enumerate(left):
            at = index % WORDS
            product = self.hidden("OpIMul", "u32", folded[at], self.constant("u32", 33))
            folded[at] = self.hidden("OpBitwiseXor", "u32", product, self.word_of(kind, value))
        start = self.hidden("OpIMul", "u32", place, self.constant("u32", WORDS))
        for index, value in enumerate(folded):
            at = self.hidden("OpIAdd", "u32", start, self.constant("u32", index))
            where = self.hidden("OpAccessChain", "word_ptr", "%output", self.constant("u32", 0), at)
            self.lines.append(f"OpStore {where} {value}")

    def write_main(self):
        self.begin("void", "%main", "main_type")
        at = self.hidden("OpLoad", "v3", "%global_id")
        x, y, z = (self.hidden("OpCompositeExtract", "u32", at, index) for index in range(3))
        rows = self.hidden("OpIMul", "u32", z, self.constant("u32", 2))
        row = self.hidden("OpIAdd", "u32", y, rows)
        before = self.hidden("OpIMul", "u32", row, self.constant("u32", 192))
        place = self.hidden("OpIAdd", "u32", x, before)
        self.read_inputs(place)
        self.fill_array()
        self.statements(40, 3)
        self.write_outputs(place)
        self.lines += ["OpReturn", "OpFunctionEnd"]

    def text(self):
        self.write_helper()
        self.write_main()
        self.constant("u32", 8)
        wide = self.types is WIDE
        bindings = "".join(f"OpDecorate %{name} DescriptorSet 0\n"
                           f"OpDecorate %{name} Binding {index}\n"
                           for index, name in enumerate(("input", "output", "state")))
        types = "".join(f"%{name} = OpTypeInt {bits} {int(name[0] == 'i')}\n"
                        for name, bits in INTEGERS.items() if name in self.types)
        types += "".join(f"%{name} = OpTypeFloat {bits}\n"
                         for name, bits in FLOATS.items() if name in self.types)
        capabilities = ("Int8", "Int16", "Int64", "Float64") if wide else ()
        head = HEAD.format(
            title=f"random_kernels.py {self.seed}", bindings=bindings, types=types,
            capabilities="".join(f"OpCapability {name}\n" for name in capabilities),
            decorations="".join(line + "\n" for line in self.decorations),
            constants="".join(line + "\n" for line in self.constants.values()))
        return head + "\n".join(self.lines) + "\n"


def kernel(seed):
    """Name and text of the kernel of that seed, always the same."""
    written = Kernel(seed)
    text = written.text()
    return f"random-{seed}" + ("-vector-swap" if written.swaps_vectors else ""), text


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit("usage: random_kernels.py SEED")
    sys.stdout.write(kernel(int(sys.argv[1]))[1])
