// See learner_kernels.h. How a kernel is made: draw its launch, write device functions, declare some
// variables, write statements until there are enough, and store all variables.
#include "learner_kernels.h"

#include <cmath>

#include "base/text.h"
#include "learner.h"

namespace coalesce::random_kernels {

const char* name_of(Type type) {
    static constexpr const char* kNames[] = {
        "signed char", "unsigned char",      "short", "unsigned short", "int", "unsigned",
        "long long",   "unsigned long long", "float", "double"};
    return kNames[static_cast<int>(type)];
}

bool is_real(Type type) {
    return type >= Type::f32;
}

bool is_signed(Type type) {
    return !is_real(type) && static_cast<int>(type) % 2 == 0;
}

int bits_of(Type type) {
    if (is_real(type)) return type == Type::f32 ? 32 : 64;
    return 8 << static_cast<int>(type) / 2;
}

double highest(Type type) {
    if (bits_of(type) == 64) return is_signed(type) ? 9.2e18 : 1.84e19;
    return std::ldexp(1.0, bits_of(type) - is_signed(type)) - 1;
}

double lowest(Type type) {
    if (!is_signed(type)) return 0;
    return bits_of(type) == 64 ? -9.2e18 : -std::ldexp(1.0, bits_of(type) - 1);
}

Learner::Learner(u64 seed) : random(seed ^ 0x6c6561726e6572) {
    // Whole warps, so that shuffles find all their lanes.
    const u32 warps = random.pick({1u, 2u, 2u, 3u, 4u, 8u});
    launch.blocks = random.between(1, 4);
    launch.threads_x = random.percent(60) ? warps * 32 : 32;
    launch.threads_y = warps * 32 / launch.threads_x;
    is_coalesced = random.percent(50);
    statements_left = static_cast<int>(random.between(4, 22));
}

void Learner::need(const std::string& text) {
    if (known_.insert(text).second) globals += text;
}

std::string Learner::take_quad(const std::string& type) {
    // The last four quads are for the variables.
    if (next_quad >= 4) return "";
    const std::string quad = std::to_string(next_quad++);
    if (is_coalesced) return "((" + type + "*)(out + 4 * (" + quad + " * total + i)))";
    return "((" + type + "*)(out + 32 * i + 4 * " + quad + "))";
}

void Learner::declare(Type type, const std::string& name, const Value& value) {
    write(std::string(name_of(type)) + " " + name + " = " + value.text + ";");
    const bool real = is_real(type);
    variables.push_back({name, type, real ? -1e9 : lowest(type), real ? 1e9 : highest(type)});
}

Type Learner::any_type() {
    return random.pick({Type::i32, Type::i32, Type::i32, Type::u32, Type::u32, Type::f32, Type::f32,
                        Type::f32, Type::f64, Type::i64, Type::u64, Type::i16, Type::u16, Type::i8,
                        Type::u8});
}

namespace {

void begin_kernel(Learner& learner) {
    const std::string x = std::to_string(learner.launch.threads_x),
                      threads = std::to_string(learner.launch.threads());
    std::string head = "extern \"C\" __global__ void ";
    if (learner.chance(20)) head += "__launch_bounds__(" + threads + ") ";
    const std::string restricted = learner.chance(40) ? "__restrict__ " : "";
    learner.write(head + "kernel(const unsigned* " + restricted + "in, unsigned* " + restricted +
                  "out, unsigned* sums, unsigned char* scratch, unsigned seed) {");
    learner.write(learner.launch.threads_y > 1
                      ? "const unsigned tid = threadIdx.y * blockDim.x + threadIdx.x;"
                      : "const unsigned tid = threadIdx.x;");
    learner.write(std::string("const ") + learner.random.pick({"unsigned", "int", "size_t"}) +
                  " i = blockIdx.x * " + threads + " + tid;");
    learner.write("const unsigned total = gridDim.x * " + threads + ";");
}

void declare_first(Learner& learner) {
    learner.declare(Type::u32, "a", {"in[i & 1023]", Type::u32, 0, 0});
    learner.declare(Type::i32, "b", {"(int)(i * 37 + 11) - 400", Type::i32, 0, 0});
    learner.declare(Type::f32, "x",
                    {"(float)(in[(i + 32) % 1024] % 1000) * 0.37f", Type::f32, 0, 0});
    if (learner.chance(60))
        learner.declare(Type::f64, "y", {"(double)b * 0.013 - 2.0", Type::f64, 0, 0});
    for (u32 count = learner.random.between(0, 4); count > 0; --count) {
        const Type type = learner.any_type();
        const Value value = of_type(learner, type, 2);
        learner.declare(type, learner.fresh("v"), value);
    }
}

/// The bits of all variables, in the last sixteen words of this thread; several may share one.
void store_variables(Learner& learner) {
    std::vector<std::string> words(16);
    int at = 0;
    for (const Variable& v : learner.variables) {
        std::string bits = "(unsigned)" + v.name;
        if (v.type == Type::f32) bits = "__float_as_uint(" + v.name + ")";
        if (v.type == Type::f64)
            bits = "(unsigned)(__double_as_longlong(" + v.name + ") ^ __double_as_longlong(" +
                   v.name + ") >> 32)";
        else if (bits_of(v.type) == 64)
            bits = "(unsigned)(" + v.name + " ^ " + v.name + " >> 32)";
        std::string& word = words[static_cast<std::size_t>(at++ % 16)];
        word += (word.empty() ? "" : " ^ ") + bits;
    }
    for (int k = 0; k < 16 && k < at; ++k) {
        const std::string place = learner.is_coalesced ? std::to_string(k + 16) + " * total + i"
                                                       : "32 * i + " + std::to_string(k + 16);
        learner.write("out[" + place + "] = " + words[static_cast<std::size_t>(k)] + ";");
    }
}

}  // namespace

std::string generate_learner(u64 seed) {
    Learner learner(seed);
    write_functions(learner);
    begin_kernel(learner);
    declare_first(learner);
    while (learner.statements_left > 0) statement(learner, Place{});
    store_variables(learner);
    learner.write("}");
    return campaign::first_line(learner.launch) + indented(learner.globals) +
           indented(learner.body);
}

}  // namespace coalesce::random_kernels
