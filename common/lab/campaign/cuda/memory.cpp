// Generates accesses to memory that belongs to a single thread: local arrays, structures, unions,
// bit-fields, vectors, bytes.
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

/// Generates an array with indices that are unknown at compile time, so that it stays in local
/// memory.
void generate_local_array(Kernel& kernel, StatementPlace& place) {
    const Type type = random_type(kernel);
    const int count = kernel.random.pick({4, 8, 16});
    kernel.write("$1 @local[$2];\nfor (u32 @i = 0; @i < $2; ++@i) {", {type, count});
    {
        const Scope scope(kernel);
        kernel.register_constant("i");
        kernel.write("@local[@i] = $1;\n}",
                     {random_expression(kernel, type, UniformIn::thread, 1)});
    }
    for (int remaining_stores = kernel.random.between(1, 3); remaining_stores > 0;
         --remaining_stores) {
        kernel.write("@local[$u & $1] = $2;",
                     {count - 1, random_expression(kernel, type, UniformIn::thread, 1)});
        if (kernel.random.percent(40))
            kernel.write("if ($b) @local[$u & $1] = @local[$u & $1];", {count - 1});
    }
    generate_use_of_pattern(
        kernel, place, expand_pattern(kernel, "@local[$u & $1]", UniformIn::thread, 1, {count - 1}),
        type);
}

/// Generates a stack in a local array. Its depth depends on the values pushed.
void generate_local_stack(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        "u32 @stack[12], @top = 0, @sum = 0;\n@stack[@top++] = $u % 6;\nwhile (@top > 0) {\n"
        "const u32 node = @stack[--@top];\n@sum = @sum * 7 + node;\n"
        "if (node > 3) @stack[@top++] = node - 3;\n"
        "if (node > 1 && (@sum & 3) != 1) @stack[@top++] = node / 2;\n}");
    generate_use_of_pattern(kernel, place, "@sum");
}

constexpr const char* kRecordDefinition =
    "struct Record {\nu32 word;\nu16 small;\ni8 tiny;\nu64 large;\nfloat real;\n};";

void generate_structures(Kernel& kernel, StatementPlace& place) {
    kernel.define_global_once("Record", kRecordDefinition);
    kernel.write(
        "Record @a{$u, (u16)$u, (i8)$i, $U, $f}, @b = @a;\n"
        "if ($b) @b = Record{$u, (u16)$u, (i8)$i, $U, $f};\n"
        "else @b.small = (u16)(@b.small + @a.word);\n@a.large ^= @b.large + $u;");
    if (kernel.random.percent(40))
        kernel.write("{\nconst Record kept = @a;\n@a = $b ? @b : @a;\n@b = kept;\n}");
    generate_use_of_pattern(kernel, place, "@a.large", Type::u64);
    generate_use_of_pattern(kernel, place, "(@b.word ^ @b.small ^ (u32)@b.tiny)");
    generate_use_of_pattern(kernel, place, "@b.real", Type::f32);
}

void generate_bit_fields_and_unions(Kernel& kernel, StatementPlace& place) {
    kernel.define_global_once("Bits", "struct Bits {\nu32 low : 5, middle : 11, high : 16;\n};");
    kernel.write(
        "Bits @bits{$u & 31, $u & 2047, $u & 0xffff};\n"
        "if ($b) @bits.middle = (@bits.middle + $u) & 2047;\n@bits.low ^= @bits.high & 31;");
    generate_use_of_pattern(kernel, place, "(@bits.low * 3u + @bits.middle * 5u + @bits.high)");
    kernel.write(
        "u64 @word = $U;\n{\nu16 parts[4];\nmemcpy(parts, &@word, 8);\nparts[$u & 3] ^= (u16)$u;\n"
        "const u16 kept = parts[0];\nparts[0] = parts[3];\nparts[3] = kept;\n"
        "memcpy(&@word, parts, 8);\n}");
    generate_use_of_pattern(kernel, place, "@word", Type::u64);
}

/// Generates a store of two or four words to the thread's part of `out` with one instruction, and a
/// load that reads the words back.
void generate_vector_stores(Kernel& kernel, StatementPlace& place) {
    const int first_out_word = kernel.reserve_out_words(4);
    if (first_out_word < 0) return;
    kernel.write(
        kernel.random.pick({"*(uint4*)(out + $1) = make_uint4($u, $u, $u, $u);",
                            "*(float4*)(out + $1) = make_float4(__fadd_rn($f, 0.0f), 1.5f, "
                            "__fadd_rn($f, 0.0f), __fadd_rn($f, 0.0f));",
                            "*(uint2*)(out + $1) = make_uint2($u, $u);\n*(uint2*)(out + $1 + 2) = "
                            "make_uint2($u, $u);",
                            "*(ulonglong2*)(out + $1) = make_ulonglong2($U, $U);",
                            "*(uint4*)(out + $1) = *(const uint4*)(in + ($u & 255) * 4);"}),
        {first_out_word});
    if (kernel.random.percent(50))
        generate_use_of_pattern(
            kernel, place,
            fill_arguments("out[$1]", {first_out_word + kernel.random.between(0, 3)}));
}

void generate_vector_loads(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        kernel.random.pick({"const uint4 @vector = ((const uint4*)in)[$u & 255];",
                            "const uint4 @vector = __ldg((const uint4*)in + ($u & 255));",
                            "const ushort4 @vector = ((const ushort4*)in)[$u & 511];",
                            "const uchar4 @vector = ((const uchar4*)in)[$u & 1023];",
                            "const uint4 @vector = __ldcg((const uint4*)in + ($u & 255));"}));
    generate_use_of_pattern(kernel, place, "((u32)@vector.x * 3u + @vector.y)");
    generate_use_of_pattern(kernel, place, "((u32)@vector.z ^ ($b ? (u32)@vector.w : 1u))");
}

/// Generates accesses to the thread's 64 bytes of scratch memory as bytes, shorts or larger types,
/// some of them volatile.
void generate_scratch_accesses(Kernel& kernel, StatementPlace& place) {
    const Type type = random_type(kernel);
    const std::string last_index = std::to_string(64 / (bits_of(type) / 8) - 1);
    kernel.write(kernel.random.pick({"$1* const @own = ($1*)scratch;",
                                     "volatile $1* const @own = (volatile $1*)scratch;"}),
                 {type});
    kernel.write("const u32 @at = $u & $1;\n@own[@at] = $2;",
                 {last_index, random_expression(kernel, type, UniformIn::thread, 2)});
    if (kernel.random.percent(50))
        kernel.write("if ($b) @own[@at] = $1;",
                     {random_expression(kernel, type, UniformIn::thread, 1)});
    // For floating-point types, read only the element just written, because other types may have
    // left a NaN elsewhere.
    generate_use_of_pattern(
        kernel, place, is_real(type) ? "@own[@at]" : "@own[(@at + ($u & 1)) & " + last_index + "]",
        type);
}

void generate_volatile_local(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        "volatile u32 @kept = $u;\nif ($b) @kept = @kept + $u;\n@kept = @kept ^ (@kept >> 7);");
    generate_use_of_pattern(kernel, place, "@kept");
}

/// Generates a load through a pointer that may point into one of three memory spaces: local memory,
/// an initialized array of the module, or global memory.
void generate_load_through_generic_pointer(Kernel& kernel, StatementPlace& place) {
    define_numbers_array(kernel);
    kernel.write(
        "u32 @local[8];\nfor (u32 i = 0; i < 8; ++i) @local[i] = $u + i;\n"
        "const u32* @pointer = $b ? @local : $b ? numbers : in + ($u & 511);");
    generate_use_of_pattern(kernel, place, "(@pointer[$u & 7] ^ @pointer[$u & 7])");
}

}  // namespace

std::vector<Construct> memory_constructs() {
    return {{Requirement::nothing, false, 5, generate_local_array},
            {Requirement::nothing, false, 2, generate_local_stack},
            {Requirement::nothing, false, 3, generate_structures},
            {Requirement::nothing, false, 3, generate_bit_fields_and_unions},
            {Requirement::kernel, false, 3, generate_vector_stores},
            {Requirement::kernel, false, 3, generate_vector_loads},
            {Requirement::kernel, false, 4, generate_scratch_accesses},
            {Requirement::nothing, false, 2, generate_volatile_local},
            {Requirement::kernel, false, 2, generate_load_through_generic_pointer}};
}

}  // namespace coalesce::campaign
