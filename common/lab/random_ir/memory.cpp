// What a kernel does with memory that is a thread's own, and with vectors: structures, local arrays,
// loads and stores of several numbers at once, halves, constants.
#include "learner.h"

namespace coalesce::random_kernels {

namespace {

constexpr const char* kStructures =
    "struct Point {\nfloat x, y;\nint tag;\n};\n"
    "struct Mixed {\nunsigned char a;\nshort b;\nfloat c;\ndouble d;\nchar e[3];\n};\n"
    "struct __align__(16) Four {\nunsigned v[4];\n};\n"
    "struct __align__(8) Two {\nfloat x, y;\n__device__ Two operator+(Two o) const {\nreturn {x + "
    "o.x, "
    "y + o.y};\n}\n};\n"
    "__device__ __noinline__ Point moved(Point p, float by) {\nif (p.tag & 1) return {p.y, p.x * "
    "0.5f, "
    "p.tag >> 1};\np.x = p.x * 0.25f + by;\np.tag ^= 5;\nreturn p;\n}\n"
    "__device__ __noinline__ void change(Mixed& m, int by) {\nm.b = (short)(m.b ^ by);\nm.e[by & "
    "1] = "
    "(char)(m.a + by);\nm.d = m.d * 0.5 + m.c;\n}\n"
    "__device__ Two turned(const Two& t, float c, float s) {\nreturn {(t.x * c - t.y * s) * 0.5f, "
    "(t.x * s "
    "+ t.y * c) * 0.5f};\n}\n";

std::string small_real(Learner& learner) {
    return "(float)(" + of_type(learner, Type::i32, 2).text + " % 1000)";
}

/// Lines with letters as filled() has them, $1 for the name, and ` for a real of moderate size.
void write_lines(Learner& learner, std::string pattern, const std::string& name) {
    std::string with_names;
    for (std::size_t k = 0; k < pattern.size(); ++k) {
        if (pattern.compare(k, 2, "$1") == 0) {
            with_names += name;
            ++k;
        } else if (pattern[k] == '`') {
            with_names += small_real(learner);
        } else {
            with_names += pattern[k];
        }
    }
    learner.write(filled(learner, with_names.c_str(), 2));
}

Value word(const std::string& text) {
    return {text, Type::u32, 0, highest(Type::u32)};
}

// ---- structures ----

void points(Learner& learner, const Place&) {
    learner.need(kStructures);
    const std::string p = learner.fresh("point");
    write_lines(learner, "Point $1 = {`, `, $i};\n$1 = moved($1, `);", p);
    if (learner.chance(50))
        write_lines(learner,
                    "if ($i % 3 == 0) {\nPoint other = {`, $1.x * 0.5f, 7};\n$1 = $i & 4 ? other : "
                    "moved(other, $1.y);\n}",
                    p);
    absorb(learner, {p + ".x + " + p + ".y", Type::f32, -1e4, 1e4});
    absorb(learner, word("(unsigned)" + p + ".tag"));
}

void point_array(Learner& learner, const Place&) {
    learner.need(kStructures);
    const std::string p = learner.fresh("points");
    write_lines(learner,
                "Point $1[4] = {{`, 1.0f, 3}, {2.0f, `, $i}, {`, 0.25f, 1}, {0.0f, `, $i}};", p);
    const std::string at = index(learner, 4), other = index(learner, 4);
    learner.write(p + "[" + at + "] = moved(" + p + "[" + other + "], 1.5f);");
    const std::string seen = index(learner, 4);
    absorb(learner,
           {p + "[" + seen + "].x * 0.5f + " + p + "[" + seen + "].y", Type::f32, -1e4, 1e4});
    absorb(learner, word("(unsigned)" + p + "[" + seen + "].tag"));
}

void mixed(Learner& learner, const Place&) {
    learner.need(kStructures);
    const std::string m = learner.fresh("mixed");
    write_lines(
        learner,
        "Mixed $1 = {(unsigned char)$u, (short)$i, `, 0.5 * `, {1, (char)$i, 3}};\nchange($1, $i);",
        m);
    if (learner.chance(40))
        write_lines(learner, "Mixed copy$1 = $1;\nchange(copy$1, $1.b);\nif ($i & 1) $1 = copy$1;",
                    m);
    absorb(learner, word("(unsigned)(" + m + ".a + " + m + ".b * 3 + " + m + ".e[" +
                         index(learner, 3) + "])"));
    absorb(learner, {m + ".d", Type::f64, -1e4, 1e4});
}

void complex_numbers(Learner& learner, const Place&) {
    learner.need(kStructures);
    const std::string t = learner.fresh("two"), k = learner.fresh("k");
    write_lines(learner, "Two $1 = {`, `};", t);
    learner.write("for (int " + k + " = 0; " + k + " < " + learner.number(1, 5) + "; ++" + k +
                  ") " + t + " = turned(" + t + ", 0.8f, 0.6f) + Two{0.5f, (float)" + k + "};");
    absorb(learner, {t + ".x", Type::f32, -1e4, 1e4});
    absorb(learner, {t + ".y", Type::f32, -1e4, 1e4});
}

void lookup(Learner& learner, const Place&) {
    learner.need(
        "__constant__ float weights[8] = {0.5f, -1.0f, 2.0f, 0.125f, 3.5f, -0.75f, 1.0f, 9.0f};\n"
        "__constant__ int steps[16] = {1, 2, -3, 5, 8, 13, -21, 34, 55, 89, -144, 233, 377, 610, "
        "987, 1597};\n"
        "__device__ const unsigned char letters[] = \"a text that is looked up, letter by "
        "letter\";\n"
        "struct Entry {\nshort key;\nfloat value;\n};\n"
        "__device__ const Entry entries[4] = {{1, 0.5f}, {-2, 4.0f}, {300, -8.0f}, {7, 0.0625f}};\n"
        "static __device__ unsigned long long bits[3] = {0x0123456789abcdefull, 1, ~0ull};\n");
    switch (learner.random.below(5)) {
        case 0: return absorb(learner, {"weights[" + index(learner, 8) + "]", Type::f32, -9, 9});
        case 1: return absorb(learner, word("(unsigned)steps[" + index(learner, 16) + "]"));
        case 2: return absorb(learner, word("letters[" + index(learner, 40) + "]"));
        case 3:
            return absorb(learner,
                          {"bits[" + index(learner, 3) + "]", Type::u64, 0, highest(Type::u64)});
        default: {
            const std::string at = index(learner, 4);
            return absorb(learner, {"entries[" + at + "].key * entries[" + at + "].value",
                                    Type::f32, -1e4, 1e4});
        }
    }
}

// ---- local arrays ----

void local_array(Learner& learner, const Place&) {
    const Type type = learner.any_type();
    const int count = learner.random.pick({3, 4, 5, 8, 16});
    const std::string a = learner.fresh("local"), k = learner.fresh("k"), n = std::to_string(count);
    learner.write(std::string(name_of(type)) + " " + a + "[" + n + "];");
    if (learner.chance(50)) learner.write("#pragma unroll");
    const Value first = of_type(learner, type, 1);
    learner.write("for (int " + k + " = 0; " + k + " < " + n + "; ++" + k + ") " + a + "[" + k +
                  "] = (" + name_of(type) + ")(" + first.text +
                  (is_real(type) ? " * 0.5f" : " ^ " + k) + ");");
    for (u32 turns = learner.random.between(1, 3); turns > 0; --turns) {
        const std::string at = index(learner, count);
        learner.write(a + "[" + at + "] = " + of_type(learner, type, 2).text + ";");
    }
    const std::string at = index(learner, count);
    absorb(learner, {a + "[" + at + "]", type, is_real(type) ? -1e9 : lowest(type),
                     is_real(type) ? 1e9 : highest(type)});
}

void small_matrix(Learner& learner, const Place&) {
    const std::string m = learner.fresh("matrix");
    write_lines(
        learner,
        "float $1[4][4];\n#pragma unroll\nfor (int r = 0; r < 4; ++r)\nfor (int c = 0; c < 4; ++c) "
        "$1[r][c] = (float)((r * 4 + c) ^ ($i & 15));\n"
        "for (int r = 0; r < 4; ++r)\nfor (int c = r + 1; c < 4; ++c) {\nconst float kept = "
        "$1[r][c];\n$1[r][c] = $1[c][r];\n$1[c][r] = kept;\n}",
        m);
    const std::string r = index(learner, 4), c = learner.chance(50) ? index(learner, 4) : "1";
    absorb(learner, {m + "[" + r + "][" + c + "]", Type::f32, 0, 15});
}

/// Bytes of one number, seen as those of another.
void other_bytes(Learner& learner, const Place&) {
    const std::string b = learner.fresh("bytes");
    write_lines(learner,
                "unsigned long long $1 = $U;\n{\nunsigned char part[8];\nmemcpy(part, &$1, "
                "8);\npart[$u & 7] += (unsigned char)$u;\nunsigned char kept = part[1];\npart[1] = "
                "part[6];\npart[6] = kept;\nmemcpy(&$1, part, 8);\n}",
                b);
    absorb(learner, {b, Type::u64, 0, highest(Type::u64)});
}

void bit_fields(Learner& learner, const Place&) {
    learner.need("struct Fields {\nunsigned low : 3, middle : 13, high : 16;\nint sign : 6;\n};\n");
    const std::string f = learner.fresh("fields");
    write_lines(learner,
                "Fields $1 = {$u & 7, $u & 8191, $u & 65535, (int)($u & 31)};\n$1.middle += $u & "
                "63;\nif ($i & 2) $1.sign = -(int)$1.low;\n$1.high ^= $1.middle;",
                f);
    absorb(learner, word("(" + f + ".low + " + f + ".middle * 8u + " + f +
                         ".high * 3u + (unsigned)" + f + ".sign)"));
}

// ---- vectors ----

void load_vector(Learner& learner, const Place&) {
    if (learner.in_function) return;
    const std::string v = learner.fresh("v");
    const struct {
        const char *type, *count, *use;
        bool is_real;
    } all[] = {{"int4", "255", "(unsigned)($1.x ^ $1.y * 3u ^ $1.w)", false},
               {"uint4", "255", "($1.x + $1.z * 5u + $1.w)", false},
               {"uint2", "511", "($1.x * 3u + $1.y)", false},
               {"int2", "511", "(unsigned)($1.x ^ $1.y)", false},
               {"uchar4", "1023", "(unsigned)($1.x + $1.y * 3 + $1.z * 5 + $1.w * 7)", false},
               {"char2", "2047", "(unsigned)($1.x * 7 + $1.y)", false},
               {"short2", "1023", "(unsigned)($1.x - $1.y)", false},
               {"ushort4", "511", "(unsigned)($1.x + $1.y * 3 + $1.z * 5 + $1.w * 7)", false},
               {"float4", "255",
                "(__float_as_uint($1.x) ^ __float_as_uint($1.y) ^ __float_as_uint($1.w))", false},
               {"float2", "511", "(__float_as_uint($1.x) + __float_as_uint($1.y))", false},
               {"ulonglong2", "255", "(unsigned)($1.x ^ $1.y >> 32)", false},
               {"uint3", "300", "($1.x ^ $1.y ^ $1.z)", false}};
    const auto& one = all[learner.random.below(std::size(all))];
    const Value at = whole(learner, 1);
    const std::string place = learner.chance(60) ? "(i + " + learner.number(0, 99) + ")" : at.text;
    learner.write(std::string("const ") + one.type + " " + v + " = ((const " + one.type +
                  "*)in)[(unsigned)" + place + " % " + one.count + "];");
    std::string use;
    for (const char* c = one.use; *c; ++c) {
        if (*c == '$') {
            use += v;
            ++c;
        } else {
            use += *c;
        }
    }
    absorb(learner, word(use));
}

/// Neighbours that are no vector: the compiler may make one of them, or not.
void load_neighbours(Learner& learner, const Place&) {
    if (learner.in_function) return;
    const std::string p = learner.fresh("p"), sum = learner.fresh("sum");
    const char* type =
        learner.random.pick({"unsigned", "unsigned short", "unsigned char", "unsigned long long"});
    const char* step = learner.random.pick({"4", "4", "2", "3", "8"});
    learner.write(std::string("const ") + type + "* " + p + " = (const " + type + "*)in + " + step +
                  " * (i & 63);\nunsigned " + sum + " = 0;");
    const int count = static_cast<int>(learner.random.between(2, 6));
    for (int k = 0; k < count; ++k)
        learner.write(sum + " = " + sum + " * 3 + (unsigned)" + p + "[" +
                      std::to_string(k + (learner.chance(10) ? 1 : 0)) + "];");
    absorb(learner, word(sum));
}

void store_vector(Learner& learner, const Place& place) {
    if (learner.in_function || place.turns > 1) return;
    const char* type = learner.random.pick({"uint4", "int4", "float4", "uint2", "ulonglong2",
                                            "ushort4", "uchar4", "double2", "Four", "short2"});
    learner.need(kStructures);
    const std::string quad = learner.take_quad(type);
    if (quad.empty()) return;
    const std::string t = type;
    if (t == "uint4" || t == "int4")
        write_lines(learner, "*$1 = make_" + t + "($i, $i, $u, 7);", quad);
    else if (t == "float4")
        write_lines(learner, "*$1 = make_float4(`, ` * 0.5f + 1.0f, 2.0f, `);", quad);
    else if (t == "uint2")
        write_lines(
            learner,
            "{\nuint2* const to = $1;\nto[0] = make_uint2($u, $u);\nto[1] = make_uint2($u, 3);\n}",
            quad);
    else if (t == "ulonglong2")
        write_lines(learner, "*$1 = make_ulonglong2($U, $U);", quad);
    else if (t == "double2")
        write_lines(learner, "*$1 = make_double2(`, ` * 3.0 + 0.1);", quad);
    else if (t == "Four")
        write_lines(learner, "*$1 = *((const Four*)in + ($u & 255));", quad);
    else if (t == "ushort4")
        write_lines(learner,
                    "{\nushort4* const to = $1;\nto[0] = make_ushort4((unsigned short)$u, 1, "
                    "(unsigned short)$u, 2);\nto[1] = *((const ushort4*)in + ($u & 511));\n}",
                    quad);
    else if (t == "uchar4")
        write_lines(
            learner,
            "{\nuchar4* const to = $1;\nto[0] = make_uchar4((unsigned char)$u, 1, (unsigned "
            "char)$u, 2);\nto[3] = *((const uchar4*)in + ($u & 511));\nto[1] = to[0];\n}",
            quad);
    else
        write_lines(learner,
                    "{\nshort2* const to = $1;\nto[0] = make_short2((short)$i, (short)$i);\nto[1] "
                    "= to[0];\n}",
                    quad);
}

void store_neighbours(Learner& learner, const Place& place) {
    if (learner.in_function || place.turns > 1) return;
    const char* type =
        learner.random.pick({"unsigned", "unsigned short", "unsigned char", "float"});
    const std::string quad = learner.take_quad(type), to = learner.fresh("to");
    if (quad.empty()) return;
    learner.write(std::string("{\n") + type + "* const " + to + " = " + quad + ";");
    for (int k = 0; k < 4; ++k) {
        if (learner.chance(15)) continue;
        const std::string value = std::string(type) == "float"
                                      ? small_real(learner)
                                      : of_type(learner, Type::u32, 1).text;
        learner.write(to + "[" + std::to_string(k) + "] = (" + type + ")" + value + ";");
    }
    learner.write("}");
}

void halves(Learner& learner, const Place& place) {
    learner.need("#include <cuda_fp16.h>\n");
    const std::string h = learner.fresh("half");
    write_lines(learner,
                "const __half $1 = __float2half(` * 0.125f);\nconst __half2 two$1 = "
                "__floats2half2_rn(0.5f, ` * 0.25f);",
                h);
    const char* use = learner.random.pick(
        {"__half2float(__hadd($1, two$1.x))", "__half2float(__hmul($1, two$1.y)) * 0.5f",
         "__high2float(__hmul2(two$1, two$1))", "__half2float(__hfma($1, two$1.x, two$1.y))",
         "(float)$1 + (float)two$1.x"});
    write_lines(learner, std::string("const float value$1 = ") + use + ";", h);
    absorb(learner, {"value" + h, Type::f32, -1e4, 1e4});
    if (learner.in_function || place.turns > 1) return;
    if (const std::string quad = learner.take_quad("__half2"); !quad.empty())
        learner.write("{\n__half2* const to = " + quad + ";\nto[0] = two" + h +
                      ";\nto[1] = __halves2half2(" + h + ", two" + h + ".x);\n}");
}

/// A pointer that walks, and one that is to one thing or another.
void pointers(Learner& learner, const Place&) {
    if (learner.in_function) return;
    const std::string p = learner.fresh("p"), sum = learner.fresh("sum");
    const std::string first = index(learner, 256), second = index(learner, 256),
                      turns = index(learner, 8);
    learner.write("const unsigned* " + p + " = " + condition(learner, 1) + " ? in + " + first +
                  " : in + 700 - " + second + ";\nunsigned " + sum + " = 0;");
    learner.write("for (const unsigned* end = " + p + " + " + turns + "; " + p + " != end; ++" + p +
                  ") " + sum + " = " + sum + " * 5 + *" + p + ";");
    absorb(learner, word(sum));
}

}  // namespace

std::vector<Weighted> memory_constructs() {
    return {{3, points},           {2, point_array}, {3, mixed},           {2, complex_numbers},
            {4, lookup},           {5, local_array}, {2, small_matrix},    {2, other_bytes},
            {2, bit_fields},       {6, load_vector}, {4, load_neighbours}, {5, store_vector},
            {3, store_neighbours}, {3, halves},      {2, pointers}};
}

}  // namespace coalesce::random_kernels
