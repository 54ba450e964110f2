// Memory that is a thread's own: local arrays, structures, unions, bit-fields, vectors, bytes.
#include "campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

/// An array with indices that no compiler knows: it stays in local memory.
void local_array(Kernel& kernel, Place& place) {
    const Type type = any_type(kernel);
    const std::string array = kernel.fresh("local"), i = kernel.fresh("i");
    const int count = kernel.random.pick({4, 8, 16});
    const std::string last = std::to_string(count - 1);
    kernel.write("$1 $2[$3];\nfor (u32 $4 = 0; $4 < $3; ++$4) {",
                 {name_of(type), array, std::to_string(count), i});
    {
        const Scope scope(kernel);
        kernel.declare_constant(i, Type::u32, Same::thread);
        kernel.write("$1[$2] = $3;\n}", {array, i, value(kernel, type, Same::thread, 1)});
    }
    for (int turns = kernel.random.between(1, 3); turns > 0; --turns) {
        kernel.write("$1[$u & $2] = $3;", {array, last, value(kernel, type, Same::thread, 1)});
        if (kernel.random.percent(40)) {
            kernel.write("if ($b) $1[$u & $2] = $1[$u & $2];", {array, last});
        }
    }
    absorb(kernel, place, expand(kernel, "$1[$u & $2]", Same::thread, 1, {array, last}), type);
}

/// A stack of the thread's own: its top depends on what was pushed.
void local_stack(Kernel& kernel, Place& place) {
    const std::string stack = kernel.fresh("stack"), top = kernel.fresh("top"),
                      sum = kernel.fresh("sum");
    kernel.write(
        "u32 $1[12], $2 = 0, $3 = 0;\n$1[$2++] = $u % 6;\nwhile ($2 > 0) {\nconst u32 node = "
        "$1[--$2];\n$3 = $3 * 7 + node;\n"
        "if (node > 3) $1[$2++] = node - 3;\nif (node > 1 && ($3 & 3) != 1) $1[$2++] = node / "
        "2;\n}",
        {stack, top, sum});
    absorb(kernel, place, sum);
}

constexpr const char* kRecord =
    "struct Record {\nu32 word;\nu16 small;\ni8 tiny;\nu64 large;\nfloat real;\n};";

void records(Kernel& kernel, Place& place) {
    kernel.need("Record", kRecord);
    const std::string a = kernel.fresh("record"), b = kernel.fresh("record");
    kernel.write(
        "Record $1{$u, (u16)$u, (i8)$i, $U, $f}, $2 = $1;\nif ($b) $2 = Record{$u, (u16)$u, "
        "(i8)$i, $U, $f};\n"
        "else $2.small = (u16)($2.small + $1.word);\n$1.large ^= $2.large + $u;",
        {a, b});
    if (kernel.random.percent(40))
        kernel.write("{\nconst Record kept = $1;\n$1 = $b ? $2 : $1;\n$2 = kept;\n}", {a, b});
    absorb(kernel, place, a + ".large", Type::u64);
    absorb(kernel, place, fill("($1.word ^ $1.small ^ (u32)$1.tiny)", {b}));
    absorb(kernel, place, b + ".real", Type::f32);
}

void bits_and_unions(Kernel& kernel, Place& place) {
    kernel.need("Bits", "struct Bits {\nu32 low : 5, middle : 11, high : 16;\n};");
    const std::string bits = kernel.fresh("bits"), word = kernel.fresh("word");
    kernel.write(
        "Bits $1{$u & 31, $u & 2047, $u & 0xffff};\nif ($b) $1.middle = ($1.middle + $u) & "
        "2047;\n$1.low ^= $1.high & 31;",
        {bits});
    absorb(kernel, place, fill("($1.low * 3u + $1.middle * 5u + $1.high)", {bits}));
    kernel.write(
        "u64 $1 = $U;\n{\nu16 parts[4];\nmemcpy(parts, &$1, 8);\nparts[$u & 3] ^= (u16)$u;\nconst "
        "u16 kept = parts[0];\nparts[0] = parts[3];\n"
        "parts[3] = kept;\nmemcpy(&$1, parts, 8);\n}",
        {word});
    absorb(kernel, place, word, Type::u64);
}

/// Two or four words of the thread's part of `out` in one store, and read again.
void store_vectors(Kernel& kernel, Place& place) {
    const int first = kernel.take_out(4);
    if (first < 0) return;
    const std::string at = std::to_string(first);
    kernel.write(
        kernel.random.pick({"*(uint4*)(out + $1) = make_uint4($u, $u, $u, $u);",
                            "*(float4*)(out + $1) = make_float4(__fadd_rn($f, 0.0f), 1.5f, "
                            "__fadd_rn($f, 0.0f), __fadd_rn($f, 0.0f));",
                            "*(uint2*)(out + $1) = make_uint2($u, $u);\n*(uint2*)(out + $1 + 2) = "
                            "make_uint2($u, $u);",
                            "*(ulonglong2*)(out + $1) = make_ulonglong2($U, $U);",
                            "*(uint4*)(out + $1) = *(const uint4*)(in + ($u & 255) * 4);"}),
        {at});
    if (kernel.random.percent(50))
        absorb(kernel, place,
               fill("out[$1]", {std::to_string(first + kernel.random.between(0, 3))}));
}

void load_vectors(Kernel& kernel, Place& place) {
    const std::string vector = kernel.fresh("vector");
    kernel.write(kernel.random.pick({"const uint4 $1 = ((const uint4*)in)[$u & 255];",
                                     "const uint4 $1 = __ldg((const uint4*)in + ($u & 255));",
                                     "const ushort4 $1 = ((const ushort4*)in)[$u & 511];",
                                     "const uchar4 $1 = ((const uchar4*)in)[$u & 1023];",
                                     "const uint4 $1 = __ldcg((const uint4*)in + ($u & 255));"}),
                 {vector});
    absorb(kernel, place, fill("((u32)$1.x * 3u + $1.y)", {vector}));
    absorb(kernel, place,
           expand(kernel, "((u32)$1.z ^ ($b ? (u32)$1.w : 1u))", Same::thread, 1, {vector}));
}

/// Bytes and shorts of the thread's 64, some of them volatile.
void scratch_bytes(Kernel& kernel, Place& place) {
    const Type type = any_type(kernel);
    const std::string last = std::to_string(64 / (bits_of(type) / 8) - 1),
                      own = kernel.fresh("own");
    kernel.write(kernel.random.pick({"$1* const $2 = ($1*)scratch;",
                                     "volatile $1* const $2 = (volatile $1*)scratch;"}),
                 {name_of(type), own});
    const bool is_fresh = is_real(type);  // other types may have left a NaN
    const std::string index = kernel.fresh("at");
    kernel.write("const u32 $1 = $u & $2;\n$3[$1] = $4;",
                 {index, last, own, value(kernel, type, Same::thread, 2)});
    if (kernel.random.percent(50))
        kernel.write("if ($b) $1[$2] = $3;", {own, index, value(kernel, type, Same::thread, 1)});
    absorb(kernel, place,
           is_fresh
               ? fill("$1[$2]", {own, index})
               : expand(kernel, "$1[($2 + ($u & 1)) & $3]", Same::thread, 1, {own, index, last}),
           type);
}

void volatile_local(Kernel& kernel, Place& place) {
    const std::string kept = kernel.fresh("kept");
    kernel.write("volatile u32 $1 = $u;\nif ($b) $1 = $1 + $u;\n$1 = $1 ^ ($1 >> 7);", {kept});
    absorb(kernel, place, kept);
}

/// Memory of the module with first values; a pointer that may be to one kind or another.
void any_space(Kernel& kernel, Place& place) {
    const std::string array = kernel.fresh("local"), pointer = kernel.fresh("pointer");
    need_numbers(kernel);
    kernel.write(
        "u32 $1[8];\nfor (u32 i = 0; i < 8; ++i) $1[i] = $u + i;\nconst u32* $2 = $b ? $1 : $b ? "
        "numbers : in + ($u & 511);",
        {array, pointer});
    absorb(kernel, place, expand(kernel, "($1[$u & 7] ^ $1[$u & 7])", Same::thread, 1, {pointer}));
}

}  // namespace

std::vector<Construct> memory_constructs() {
    return {{Needs::nothing, false, 5, local_array},  {Needs::nothing, false, 2, local_stack},
            {Needs::nothing, false, 3, records},      {Needs::nothing, false, 3, bits_and_unions},
            {Needs::kernel, false, 3, store_vectors}, {Needs::kernel, false, 3, load_vectors},
            {Needs::kernel, false, 4, scratch_bytes}, {Needs::nothing, false, 2, volatile_local},
            {Needs::kernel, false, 2, any_space}};
}

}  // namespace coalesce::campaign
