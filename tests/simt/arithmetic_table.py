#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints arithmetic_table.h: reference values for tests/simt/arithmetic.c.

Integers are Python's, of any length; floats are exact fractions, rounded once by the definition of
IEEE 754. Needs nothing but Python; the build runs it.
"""
import random
from fractions import Fraction

INTEGERS = (8, 16, 32, 64)
FLOATS = {16: (5, 10), 32: (8, 23), 64: (11, 52)}  # bits of exponent and fraction
NAN = "nan"

arrays = {}  # values -> name
cases = []


def array(values):
    return arrays.setdefault(tuple(values), f"values_{len(arrays)}")


def case(op, result, operands, rows, function, flags="0"):
    """Rows are lists of the operands' cells; the function returns one cell or a list of them."""
    expected = []
    for row in rows:
        cells = function(*row)
        expected += cells if isinstance(cells, list) else [cells]
    given = array(int(cell) for row in rows for cell in row)
    cases.append((op, result, operands, flags, len(rows), given, array(map(int, expected))))


# Integers

def mask(width):
    return (1 << width) - 1


def signed(bits, width):
    return bits - (1 << width) if bits >> (width - 1) else bits


def truncated(a, b):  # the quotient, towards zero
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def integer_pairs(width):
    top, half = mask(width), 1 << (width - 1)
    draw = random.Random(width)
    pairs = [(0, 0), (7, 0), (top - 6, 0), (half, top), (top, top), (top, 1), (half - 1, 1),
             (half, half), (7, top - 2), (top - 6, 3), (half, 3), (5, 5)]
    return pairs + [(draw.getrandbits(width), draw.getrandbits(width >> draw.randrange(2)))
                    for _ in range(4)]


def integer_binary(width):
    def s(x):
        return signed(x, width)

    def unsigned_divide(a, b):
        return a // b if b else mask(width)

    def signed_divide(a, b):
        return truncated(s(a), s(b)) if b else -1

    def rem(a, b):
        return s(a) - s(b) * truncated(s(a), s(b)) if b else a

    return {
        "IAdd": lambda a, b: a + b, "ISub": lambda a, b: a - b, "IMul": lambda a, b: a * b,
        "UDiv": unsigned_divide, "SDiv": signed_divide,
        "UMod": lambda a, b: a % b if b else a, "SRem": rem,
        "SMod": lambda a, b: s(a) % s(b) if b else a,
        "ShiftLeftLogical": lambda a, b: a << b % width,
        "ShiftRightLogical": lambda a, b: a >> b % width,
        "ShiftRightArithmetic": lambda a, b: s(a) >> b % width,
        "BitwiseOr": lambda a, b: a | b, "BitwiseXor": lambda a, b: a ^ b,
        "BitwiseAnd": lambda a, b: a & b,
    }


def integer_comparisons(width):
    def s(x):
        return signed(x, width)

    return {
        "IEqual": lambda a, b: a == b, "INotEqual": lambda a, b: a != b,
        "ULessThan": lambda a, b: a < b, "ULessThanEqual": lambda a, b: a <= b,
        "UGreaterThan": lambda a, b: a > b, "UGreaterThanEqual": lambda a, b: a >= b,
        "SLessThan": lambda a, b: s(a) < s(b), "SLessThanEqual": lambda a, b: s(a) <= s(b),
        "SGreaterThan": lambda a, b: s(a) > s(b), "SGreaterThanEqual": lambda a, b: s(a) >= s(b),
    }


def integer_extended(width):
    def parts(value):
        return [value & mask(width), value >> width & mask(width)]

    return {
        "IAddCarry": lambda a, b: parts(a + b),
        "ISubBorrow": lambda a, b: [(a - b) & mask(width), a < b],
        "UMulExtended": lambda a, b: parts(a * b),
        "SMulExtended": lambda a, b: parts(signed(a, width) * signed(b, width)),
    }


def integer_cases():
    for w in INTEGERS:
        i, pairs = f"i{w}", integer_pairs(w)
        cut = lambda f: lambda *x: f(*x) & mask(w)
        numbers = [(a,) for a, _ in pairs] + [(1,), (0x5a,)]
        for op, f in integer_binary(w).items():
            case(op, i, f"{i} {i}", pairs, cut(f), "EACH")
        for op, f in integer_comparisons(w).items():
            case(op, "b", f"{i} {i}", pairs, f, "EACH")
        for op, f in integer_extended(w).items():
            case(op, "s2", f"{i} {i}", pairs, f, "EACH")
        case("SNegate", i, i, numbers, cut(lambda a: -a), "EACH")
        case("Not", i, i, numbers, cut(lambda a: ~a), "EACH")
        case("BitReverse", i, i, numbers, lambda a: int(f"{a:0{w}b}"[::-1], 2), "EACH")
        for other in (8, 64):
            case("BitCount", f"i{other}", i, numbers, lambda a: bin(a).count("1"), "EACH")
    # The amount of a shift has a width of its own.
    shifts = [(0x80000001, 0), (0x80000001, 1), (0x80000001, 31), (0xfffffff0, 4), (0x12345678, 8)]
    functions = integer_binary(32)
    for op in ("ShiftLeftLogical", "ShiftRightLogical", "ShiftRightArithmetic"):
        for other in (8, 64):
            case(op, "i32", f"i32 i{other}", shifts, lambda *x: functions[op](*x) & mask(32),
                 "EACH")


def field_cases():
    def bits(width, offset, count):  # numbers of the bits of a field that exist
        return range(min(offset, width), min(offset + count, width))

    for w in INTEGERS:
        def insert(base, value, offset, count):
            for k in bits(w, offset, count):
                base = base & ~(1 << k) | (value >> (k - offset) & 1) << k
            return base

        def extract(base, offset, count):
            return sum((base >> k & 1) << (k - offset) for k in bits(w, offset, count))

        def extract_signed(base, offset, count):
            length = len(bits(w, offset, count))
            return signed(extract(base, offset, count), length) & mask(w) if length else 0

        draw = random.Random(w + 100)
        fields = [(0, w), (0, 0), (w - 1, 1), (1, w - 1), (2, 5), (3, 3), (w // 2, w // 4),
                  (w - 2, 9), (w, 1), (w + 3, 0), (0, w + 1), (5, 1)]
        rows = [(draw.getrandbits(w), draw.getrandbits(w), *f) for f in fields]
        i = f"i{w}"
        case("BitFieldInsert", i, f"{i} {i} i32 i8", rows, insert)
        case("BitFieldUExtract", i, f"{i} i16 i32", [(r[0], *r[2:]) for r in rows], extract)
        case("BitFieldSExtract", i, f"{i} i16 i32", [(r[0], *r[2:]) for r in rows], extract_signed)
        pairs = [(*x[:2], *y) for x, y in zip(rows, rows[1:] + rows[:1])]
        case("BitFieldInsert", i + "x2", f"{i}x2 {i}x2 i32 i32",
             [(a, b, c, d, o, n) for a, b, c, d, o, n in pairs],
             lambda a, b, c, d, o, n: [insert(a, c, o, n), insert(b, d, o, n)])
        case("BitFieldSExtract", i + "x2", f"{i}x2 i32 i32",
             [(a, b, o, n) for a, b, _, _, o, n in pairs],
             lambda a, b, o, n: [extract_signed(a, o, n), extract_signed(b, o, n)])


def dot_cases():
    def clamp(value, is_signed, w):
        low, high = (-(1 << w - 1), (1 << w - 1) - 1) if is_signed else (0, mask(w))
        return max(low, min(high, value)) & mask(w)

    def value(x, is_signed, w):
        return signed(x & mask(w), w) if is_signed else x & mask(w)

    def add(op, signs, shape, n, width, to, unpack, rows, accumulators, flags):
        def plain(*x):
            a, b = unpack(x[:len(x) // 2]), unpack(x[len(x) // 2:])
            return sum(value(p, signs[0], width) * value(q, signs[1], width)
                       for p, q in zip(a, b))

        def accumulate(*x):
            total = value(plain(*x[:-1]), signs[0], to)
            return clamp(total + value(x[-1], signs[0], to), signs[0], to)

        case(op, f"i{to}", f"{shape} {shape}", rows, lambda *x: plain(*x) & mask(to), flags)
        case(op + "AccSat", f"i{to}", f"{shape} {shape} i{to}",
             [(*r, accumulators[k % len(accumulators)]) for k, r in enumerate(rows)], accumulate,
             flags)

    for op, signs in (("SDot", (1, 1)), ("UDot", (0, 0)), ("SUDot", (1, 0))):
        for width, n, to in ((8, 4, 32), (8, 2, 8), (16, 3, 32), (16, 2, 64), (32, 4, 32),
                             (64, 2, 64)):
            draw = random.Random(width * n)
            rows = [[mask(width)] * 2 * n, [1 << width - 1] * 2 * n,
                    [1 << width - 1] * n + [mask(width)] * n]
            rows += [[draw.getrandbits(width) for _ in range(2 * n)] for _ in range(5)]
            ends = [0, mask(to), 1 << to - 1, mask(to - 1), 100]
            add(op, signs, f"i{width}x{n}", n, width, to, list, rows, ends, "0")
        for to in (8, 32, 64):
            draw = random.Random(to)
            rows = [(0x80808080, 0xffffffff), (0x80808080, 0x80808080), (0xffffffff, 0xffffffff),
                    (0x01020304, 0xff00ff01)]
            rows += [(draw.getrandbits(32), draw.getrandbits(32)) for _ in range(4)]
            add(op, signs, "i32", 1, 8, to, lambda x: [x[0] >> 8 * k & 255 for k in range(4)],
                rows, [0, mask(to), 1 << to - 1, mask(to - 1), 77], "PACKED")


# Floats: NAN, or a sign and a magnitude, which is a fraction or None for infinity.

def decode(bits, width):
    exponent_bits, fraction_bits = FLOATS[width]
    sign = bits >> (width - 1)
    exponent = bits >> fraction_bits & mask(exponent_bits)
    fraction = bits & mask(fraction_bits)
    if exponent == mask(exponent_bits):
        return NAN if fraction else (sign, None)
    if exponent:
        fraction += 1 << fraction_bits
    power = max(exponent, 1) - mask(exponent_bits - 1) - fraction_bits
    return sign, Fraction(fraction) * Fraction(2) ** power


def encode(value, width):
    """Rounds to nearest, ties to even."""
    exponent_bits, fraction_bits = FLOATS[width]
    infinity = mask(exponent_bits) << fraction_bits
    if value == NAN:
        return infinity | 1 << (fraction_bits - 1)
    sign, magnitude = value
    sign <<= width - 1
    if magnitude is None:
        return sign | infinity
    if not magnitude:
        return sign
    lowest = 1 - mask(exponent_bits - 1) - fraction_bits
    logarithm = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    power = max(lowest, logarithm - fraction_bits - 1)  # of the last bit, or one less
    if magnitude >= Fraction(2) ** (power + fraction_bits + 1):
        power += 1
    steps = round(magnitude / Fraction(2) ** power)  # Python rounds ties to even
    # Exponents count up as the steps overflow the fraction.
    return sign | min(infinity, steps + ((power - lowest) << fraction_bits))


def number(value):
    return (int(value < 0), abs(Fraction(value)))


def plain(value):
    return -value[1] if value[0] else value[1]


def is_zero(value):
    return value != NAN and value[1] == 0


def is_infinite(value):
    return value != NAN and value[1] is None


def negated(value):
    return NAN if value == NAN else (1 - value[0], value[1])


def add(x, y):
    if NAN in (x, y) or (is_infinite(x) and is_infinite(y) and x != y):
        return NAN
    if is_infinite(x) or is_infinite(y):
        return x if is_infinite(x) else y
    total = plain(x) + plain(y)
    return number(total) if total else (x[0] & y[0], Fraction(0))


def multiply(x, y):
    if NAN in (x, y) or (is_infinite(x) and is_zero(y)) or (is_zero(x) and is_infinite(y)):
        return NAN
    sign = x[0] ^ y[0]
    return sign, None if is_infinite(x) or is_infinite(y) else x[1] * y[1]


def divide(x, y):
    if NAN in (x, y) or (is_infinite(x) and is_infinite(y)) or (is_zero(x) and is_zero(y)):
        return NAN
    sign = x[0] ^ y[0]
    if is_infinite(x) or is_zero(y):
        return sign, None
    return sign, Fraction(0) if is_infinite(y) else x[1] / y[1]


def rem(x, y):
    if NAN in (x, y) or is_infinite(x) or is_zero(y):
        return NAN
    return x if is_infinite(y) else (x[0], x[1] % y[1])


def mod(x, y):
    if NAN in (x, y) or is_infinite(x) or is_zero(y):
        return NAN
    if is_zero(x):
        return y[0], Fraction(0)
    if is_infinite(y):
        return x if x[0] == y[0] else y
    return y[0], abs(plain(x) % plain(y))


def float_numbers(width):
    exponent_bits, fraction_bits = FLOATS[width]
    infinity = mask(exponent_bits) << fraction_bits
    one, least, sign = mask(exponent_bits - 1) << fraction_bits, 1 << fraction_bits, 1 << width - 1
    quiet = infinity | 1 << (fraction_bits - 1)
    special = [0, sign, one, sign | one, one + 1, one - 1, 1, sign | 1, least - 1, least, least + 1,
               infinity - 1, sign | infinity - 1, infinity, sign | infinity, quiet, infinity | 1,
               sign | quiet | 1, encode(number(Fraction(1, 3)), width),
               encode(number(Fraction(-5, 2)), width)]
    draw = random.Random(width + 7)
    near = [draw.randrange(one - 3 * least, one + 3 * least) | draw.choice((0, sign))
            for _ in range(6)]
    small = [draw.randrange(0, 3 * least) for _ in range(3)]
    return special, near, small + [draw.getrandbits(width) for _ in range(3)]


def float_pairs(width):
    special, near, wild = float_numbers(width)
    draw = random.Random(width + 8)
    pairs = [(x, special[(k * 7 + 3) % len(special)]) for k, x in enumerate(special)]
    pairs += [(special[13], special[14]), (special[0], special[1]), (special[2], special[0]),
              (special[14], special[0]), (special[11], special[11]), (special[6], special[18]),
              (special[9], special[18]), (special[2], special[13]), (special[3], special[13]),
              (special[15], special[2]), (special[19], special[2]), (special[2], special[19])]
    pairs += list(zip(near, near[1:])) + list(zip(wild, near)) + list(zip(wild, special[2:]))
    return pairs + [(draw.getrandbits(width), draw.getrandbits(width)) for _ in range(2)]


def float_cases():
    for w in FLOATS:
        f, pairs = f"f{w}", float_pairs(w)
        numbers = [(x,) for group in float_numbers(w) for x in group]

        def rounded(function):
            return lambda *x: encode(function(*(decode(v, w) for v in x)), w)

        for op, function in {"FAdd": add, "FSub": lambda x, y: add(x, negated(y)),
                             "FMul": multiply, "FDiv": divide, "FRem": rem, "FMod": mod}.items():
            case(op, f, f"{f} {f}", pairs, rounded(function), "EACH")
        case("FNegate", f, f, numbers, lambda x: x ^ 1 << w - 1, "EACH")
        case("IsNan", "b", f, numbers, lambda x: decode(x, w) == NAN, "EACH")
        case("IsInf", "b", f, numbers, lambda x: is_infinite(decode(x, w)), "EACH")
        relations = {"Equal": "=", "NotEqual": "<>", "LessThan": "<", "GreaterThan": ">",
                     "LessThanEqual": "<=", "GreaterThanEqual": ">="}
        for name, relation in relations.items():
            for ordered in (True, False):
                def compare(x, y):
                    x, y = decode(x, w), decode(y, w)
                    if NAN in (x, y):
                        return not ordered
                    x, y = (plain((v[0], Fraction(10) ** 400 if v[1] is None else v[1]))
                            for v in (x, y))
                    return ("<" if x < y else ">" if x > y else "=") in relation

                case(("FOrd" if ordered else "FUnord") + name, "b", f"{f} {f}",
                     pairs + [(x, x) for x, in numbers[:16]], compare, "EACH")


def product_cases():
    for w in FLOATS:
        f = f"f{w}"
        draw = random.Random(w + 9)

        def draw_number():
            return encode(number(Fraction(draw.randrange(-4096, 4096), draw.randrange(1, 64))), w)

        def product(a, b, rows, inner, columns):
            result = []
            for c in range(columns):
                for r in range(rows):
                    total = None
                    for k in range(inner):
                        term = encode(multiply(decode(a[k * rows + r], w),
                                               decode(b[c * inner + k], w)), w)
                        total = term if total is None else encode(add(decode(total, w),
                                                                      decode(term, w)), w)
                    result.append(total)
            return result

        def add_case(op, result, x, y, rows, inner, columns):
            split = rows * inner
            values = [[draw_number() for _ in range(split + inner * columns)] for _ in range(2)]
            values[0][0], values[1][-1] = encode((1, Fraction(0)), w), encode((0, None), w)
            case(op, result, f"{x} {y}", values,
                 lambda *v: product(v[:split], v[split:], rows, inner, columns))

        for n in (2, 3, 4):
            add_case("VectorTimesScalar", f"{f}x{n}", f"{f}x{n}", f, n, 1, 1)
            add_case("Dot", f, f"{f}x{n}", f"{f}x{n}", 1, n, 1)
        for columns, rows in ((2, 2), (3, 2), (2, 4)):
            matrix = f"m{w}.{columns}x{rows}"
            add_case("MatrixTimesScalar", matrix, matrix, f, columns * rows, 1, 1)
            add_case("VectorTimesMatrix", f"{f}x{columns}", f"{f}x{rows}", matrix, 1, rows, columns)
            add_case("MatrixTimesVector", f"{f}x{rows}", matrix, f"{f}x{columns}", rows, columns, 1)
            add_case("OuterProduct", matrix, f"{f}x{rows}", f"{f}x{columns}", rows, 1, columns)
            for other in (2, 3):
                add_case("MatrixTimesMatrix", f"m{w}.{other}x{rows}", matrix,
                         f"m{w}.{other}x{columns}", rows, columns, other)
            cells = [[draw_number() for _ in range(columns * rows)]]
            case("Transpose", f"m{w}.{rows}x{columns}", matrix, cells,
                 lambda *v: [v[c * rows + r] for r in range(rows) for c in range(columns)])


# Conversions

def conversion_cases():
    for a in INTEGERS:
        numbers = [(x,) for x, _ in integer_pairs(a)]
        for b in INTEGERS:
            if a != b:
                case("UConvert", f"i{b}", f"i{a}", numbers, lambda x: x & mask(b), "EACH")
                case("SConvert", f"i{b}", f"i{a}", numbers, lambda x: signed(x, a) & mask(b),
                     "EACH")
        rounding = [(x & mask(a),) for x in (2049, 2051, 65519, 65520, 2**24 + 1, 2**24 + 3,
                    2**53 + 1, 2**53 + 3, 2**54 + 2**30 + 1, 2**63 - 1, -2049, -65520, -2**24 - 1,
                    2**63 + 2**39 + 1, 2**62 + 2**38 + 1, 2**62 + 2**38 - 1)]
        for w in FLOATS:
            case("ConvertUToF", f"f{w}", f"i{a}", numbers + rounding,
                 lambda x: encode(number(x), w), "EACH")
            case("ConvertSToF", f"f{w}", f"i{a}", numbers + rounding,
                 lambda x: encode(number(signed(x, a)), w), "EACH")
    for w in FLOATS:
        special, near, wild = float_numbers(w)

        def edges(integer):
            values = [Fraction(k) + Fraction(d, 4) for d in range(-4, 5, 2) for k in
                      (0, 1 << integer, 1 << integer - 1, -(1 << integer - 1))]
            return [(encode(number(v), w),) for v in values]

        numbers = [(x,) for x in special + near + wild]
        for integer in INTEGERS:
            def convert(bits, low, high):
                value = decode(bits, w)
                if value == NAN:
                    return 0
                if is_infinite(value):
                    return (low if value[0] else high) & mask(integer)
                return max(low, min(high, int(plain(value)))) & mask(integer)

            rows = numbers + edges(integer)
            case("ConvertFToU", f"i{integer}", f"f{w}", rows,
                 lambda x: convert(x, 0, mask(integer)), "EACH")
            case("ConvertFToS", f"i{integer}", f"f{w}", rows,
                 lambda x: convert(x, -(1 << integer - 1), mask(integer - 1)), "EACH")
        for to in FLOATS:
            if to == w:
                continue
            # Numbers in and around the middle between two of the other width.
            rows = list(numbers)
            if to < w:
                for bits in float_numbers(to)[0][2:13] + [2, 3, 1000]:
                    sign, x = decode(bits, to)
                    _, y = decode(bits + 1, to)
                    if y is None:
                        y = 2 * x - decode(bits - 1, to)[1]
                    middle = encode((sign, (x + y) / 2), w)
                    rows += [(middle,), (middle + 1,), (middle - 1,)]
            case("FConvert", f"f{to}", f"f{w}", rows, lambda x: encode(decode(x, w), to), "EACH")
    special, near, wild = float_numbers(32)
    limits = [0x387fffff, 0x38800000, 0xb8800001, 0x477fefff, 0x477ff000, 0xc77ff000, 0x3f801000,
              0x3f803000, 0x3f801001, 0x33000000]

    def quantize(bits):
        value = decode(bits, 32)
        if value != NAN and value[1] is not None and value[1] < Fraction(1, 2**14):
            return encode((value[0], Fraction(0)), 32)
        return encode(decode(encode(value, 16), 16), 32)

    case("QuantizeToF16", "f32", "f32", [(x,) for x in special + near + wild + limits], quantize,
         "EACH")


def bitcast_cases():
    shapes = {64: ["i64", "f64", "p", "i32x2", "f32x2", "i16x4", "f16x4"], 128: ["i64x2", "f32x4"],
              32: ["i32", "f32", "i16x2", "f16x2", "i8x4"], 16: ["i16", "f16", "i8x2"],
              96: ["i32x3", "f32x3"], 8: ["i8"]}

    def layout(shape):
        count = int(shape.split("x")[1]) if "x" in shape else 1
        return (64 if shape == "p" else int(shape[1:].split("x")[0])), count

    for total, names in shapes.items():
        draw = random.Random(total)
        values = [draw.getrandbits(total) for _ in range(3)] + [1 << total - 1]
        for x in names:
            for y in names:
                width, count = layout(x)
                to, parts = layout(y)
                rows = [[v >> width * k & mask(width) for k in range(count)] for v in values]
                case("Bitcast", y, x, rows,
                     lambda *v: [sum(c << width * k for k, c in enumerate(v)) >> to * k & mask(to)
                                 for k in range(parts)])
    values = [(0,), (0x123456789abcdef0,), (mask(64),)]
    case("ConvertPtrToU", "i64", "p", values, lambda x: x)
    case("ConvertPtrToU", "i32", "p", values, lambda x: x & mask(32))
    case("ConvertUToPtr", "p", "i64", values, lambda x: x)
    case("ConvertUToPtr", "p", "i32", [(0,), (mask(32),)], lambda x: x)


def other_cases():
    bools = [(a, b) for a in (0, 1) for b in (0, 1)]
    for op, f in {"LogicalOr": lambda a, b: a | b, "LogicalAnd": lambda a, b: a & b,
                  "LogicalEqual": lambda a, b: a == b,
                  "LogicalNotEqual": lambda a, b: a != b}.items():
        case(op, "b", "b b", bools, f, "EACH")
    case("LogicalNot", "b", "b", [(0,), (1,)], lambda a: 1 - a, "EACH")
    for n in (2, 3, 4):
        rows = [[k >> i & 1 for i in range(n)] for k in range(1 << n)]
        case("Any", "b", f"bx{n}", rows, lambda *x: any(x))
        case("All", "b", f"bx{n}", rows, lambda *x: all(x))
    rows = [(k % 3 == 0, k * 1001 + 7, mask(8) - k) for k in range(6)]
    for shape in ("i16", "f32", "i64"):
        case("Select", shape, f"b {shape} {shape}", rows, lambda c, a, b: a if c else b, "EACH")
    case("Select", "b", "b b b", [(c, a, b) for c in (0, 1) for a, b in bools],
         lambda c, a, b: a if c else b, "EACH")
    case("Select", "p", "b p p", rows, lambda c, a, b: a if c else b)
    for shape, count in (("i32x3", 3), ("s5", 5), ("s300", 300), ("m32.2x3", 6)):
        rows = [[k & 1] + [k * 1000 + i for i in range(2 * count)] for k in range(3)]
        case("Select", shape, f"b {shape} {shape}", rows,
             lambda c, *x: list(x[:count] if c else x[count:]))
    pointers = [(0, 0), (5, 5), (5, 5 << 40), (mask(64), mask(63))]
    case("PtrEqual", "b", "p p", pointers, lambda a, b: a == b)
    case("PtrNotEqual", "b", "p p", pointers, lambda a, b: a != b)


def main():
    integer_cases()
    field_cases()
    dot_cases()
    float_cases()
    product_cases()
    conversion_cases()
    bitcast_cases()
    other_cases()
    print("""// SPDX-License-Identifier: Apache-2.0
// Reference values for arithmetic.c, printed by arithmetic_table.py: do not edit.
//
// Integers were computed with Python's, of any length; floats with exact fractions that are rounded
// once.
#pragma once

#include <spirv/unified1/spirv.h>
#include <stdint.h>

#define EACH   1 // vectors are computed component by component
#define PACKED 2 // four numbers of 8 bits in 32
#define OP(op) SpvOp##op, #op

// clang-format off""")
    for values, name in arrays.items():
        line = f"static const uint64_t {name}[] = {{"
        for value in values:
            text = f"{value}," if value < 10 else f"{value:#x},"
            if len(line) + len(text) > 98:
                print(line.rstrip())
                line = ""
            line += text
        print(line.rstrip(",") + "};")
    print("""
// In rows: the cells of all operands, the cells of the result. Shapes: i32 int, f16 float, b bool,
// p pointer, i8x3 vector, m32.2x3 matrix of 2 columns and 3 rows, s5 any composite of 5 cells.
static const struct arithmetic_case {
    uint16_t opcode;
    const char *name, *result, *operands;
    int flags;
    unsigned rows;
    const uint64_t *given, *expected;
} arithmetic_cases[] = {""")
    for op, result, operands, flags, rows, given, expected in cases:
        print(f'    {{OP({op}), "{result}", "{operands}", {flags}, {rows}, {given}, '
              f'{expected}}},')
    print("};")


if __name__ == "__main__":
    main()
