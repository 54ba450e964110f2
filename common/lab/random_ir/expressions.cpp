// Expressions of C++ that are defined whatever their operands are: see learner.h.
#include <algorithm>
#include <cmath>

#include "learner.h"

namespace coalesce::random_kernels {

namespace {

/// Reals beyond this are made smaller, so that none becomes infinite.
constexpr double kMaxReal = 1e15;

double largest(const Value& v) {
    return std::max(std::fabs(v.low), std::fabs(v.high));
}

Value leaf_of(const Variable& v) {
    return {v.name, v.type, v.low, v.high};
}

/// What C++ does arithmetic on two numbers in.
Type common_type(Type a, Type b) {
    if (is_real(a) || is_real(b)) return a == Type::f64 || b == Type::f64 ? Type::f64 : Type::f32;
    a = std::max(a, Type::i32), b = std::max(b, Type::i32);
    return std::max(a, b);
}

/// A value as it is after a conversion that keeps it, or wraps.
Value wrapped(Value v, Type type) {
    v.type = type;
    if (is_real(type)) return v;
    if (v.low < lowest(type) || v.high > highest(type))
        v.low = lowest(type), v.high = highest(type);
    return v;
}

std::string operation(const Value& a, const char* op, const Value& b) {
    return "(" + a.text + " " + op + " " + b.text + ")";
}

// ---- smaller values, where large ones would overflow ----

/// Whole, and at most 1023 from zero.
Value reduced(Learner& learner, const Value& v) {
    if (largest(v) <= 1023) return v;
    switch (learner.random.below(3)) {
        case 0: return {"(" + v.text + " & 1023)", std::max(v.type, Type::i32), 0, 1023};
        case 1: {
            const double least = is_signed(v.type) ? -996 : 0;
            return {"(" + v.text + " % 997)", std::max(v.type, Type::i32), least, 996};
        }
        default: {
            const bool is_wide = bits_of(v.type) == 64;
            const double half = bits_of(v.type) > 16 ? 512 : 128;
            const int by = bits_of(v.type) - (half > 128 ? 10 : 8);
            const double least = is_signed(v.type) ? -half : 0;
            if (is_wide || bits_of(v.type) == 32)
                return {"(" + v.text + " >> " + std::to_string(by) + ")", v.type, least,
                        is_signed(v.type) ? half : 2 * half};
            return {"(" + v.text + " & 255)", Type::i32, 0, 255};
        }
    }
}

Value limited(Learner& learner, const Value& v) {
    if (largest(v) <= 1e4) return v;
    const bool is_double = v.type == Type::f64;
    learner.need(is_double ? "__device__ double limited(double x) {\nreturn fmin(fmax(x, -1e4), "
                             "1e4);\n}\n"
                           : "__device__ float limited(float x) {\nreturn fminf(fmaxf(x, -1e4f), "
                             "1e4f);\n}\n");
    return {"limited(" + v.text + ")", v.type, -1e4, 1e4};
}

// ---- whole numbers ----

Value leaf(Learner& learner, bool wants_real) {
    Random& random = learner.random;
    std::vector<Variable> fitting;
    for (const Variable& v : learner.variables)
        if (is_real(v.type) == wants_real) fitting.push_back(v);
    if (!fitting.empty() && random.percent(75)) return leaf_of(random.pick(fitting));
    if (random.percent(40) || learner.in_function) {
        const Type type = wants_real ? random.pick({Type::f32, Type::f64})
                                     : random.pick({Type::i32, Type::u32, Type::i64, Type::u64});
        const std::string text = constant(learner, type);
        const double number = std::strtod(text.c_str(), nullptr);
        return {text, type, number, number};
    }
    if (wants_real) {
        const std::string k = learner.number(0, 900);
        return {"(float)(in[" + k + " + threadIdx.x % 32] % 1000)", Type::f32, 0, 999};
    }
    switch (random.below(5)) {
        case 0: return {"threadIdx.x", Type::u32, 0, 1023};
        case 1: return {"blockIdx.x", Type::u32, 0, 1023};
        case 2: return {"in[i & 1023]", Type::u32, 0, highest(Type::u32)};
        case 3:
            return {"((const int*)in)[" + learner.number(0, 1000) + "]", Type::i32,
                    lowest(Type::i32), highest(Type::i32)};
        default: return {"seed", Type::u32, 0, highest(Type::u32)};
    }
}

Value arithmetic(Learner& learner, int depth) {
    Value a = whole(learner, depth), b = whole(learner, depth);
    const Type type = common_type(a.type, b.type);
    const char op = learner.random.pick({'+', '+', '-', '*', '*'});
    const auto bounds = [&] {
        const Value x = wrapped(a, type), y = wrapped(b, type);
        const double c[] = {x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high};
        if (op == '+') return std::pair(x.low + y.low, x.high + y.high);
        if (op == '-') return std::pair(x.low - y.high, x.high - y.low);
        return std::pair(*std::min_element(c, c + 4), *std::max_element(c, c + 4));
    };
    auto [low, high] = bounds();
    if (is_signed(type) && (low < lowest(type) || high > highest(type))) {
        a = reduced(learner, a), b = reduced(learner, b);
        std::tie(low, high) = bounds();
    }
    return wrapped({operation(a, std::string(1, op).c_str(), b), type, low, high}, type);
}

Value division(Learner& learner, int depth) {
    const Value a = whole(learner, depth), b = whole(learner, depth);
    const char* op = learner.random.pick({"/", "%"});
    // A constant divisor, one that is a power of two, and one that is known late.
    Value by = {"(" + b.text + " % 31 + 33)", std::max(b.type, Type::i32), 3, 63};
    if (learner.chance(40)) {
        const std::string k = learner.random.pick({"3", "7", "10", "32", "100", "8", "255"});
        by = {k, Type::i32, 3, 255};
    }
    const Type type = common_type(a.type, by.type);
    return {operation(a, op, by), type, lowest(type), highest(type)};
}

Value bitwise(Learner& learner, int depth) {
    const Value a = whole(learner, depth), b = whole(learner, depth);
    const Type type = common_type(a.type, b.type), own = std::max(a.type, Type::i32);
    const std::string last = std::to_string(bits_of(own) - 1);
    switch (learner.random.below(8)) {
        case 0: return {operation(a, "&", b), type, lowest(type), highest(type)};
        case 1: return {operation(a, "|", b), type, lowest(type), highest(type)};
        case 2: return {operation(a, "^", b), type, lowest(type), highest(type)};
        case 3: return {"(~" + a.text + ")", own, lowest(own), highest(own)};
        case 4:
            return {"(" + a.text + " << (" + b.text + " & " + last + "))", own, lowest(own),
                    highest(own)};
        case 5: {
            const std::string by = learner.number(1, static_cast<u32>(bits_of(own) - 1));
            return {"(" + a.text + " >> " + by + ")", own, lowest(own), highest(own)};
        }
        case 6: {
            const std::string by = learner.number(1, 31);
            return {"(" + a.text + " << " + by + ")", own, lowest(own), highest(own)};
        }
        default:
            return {"(" + a.text + " >> (" + b.text + " & " + last + "))", own, lowest(own),
                    highest(own)};
    }
}

Value intrinsic(Learner& learner, int depth) {
    struct Intrinsic {
        const char* pattern;
        Type type;
        double most;
    };
    const double any = highest(Type::u32);
    const std::vector<Intrinsic> all = {
        {"__popc($u)", Type::i32, 32},
        {"__clz($i)", Type::i32, 32},
        {"__ffs($i)", Type::i32, 32},
        {"__brev($u)", Type::u32, any},
        {"__popcll($U)", Type::i32, 64},
        {"__clzll($I)", Type::i32, 64},
        {"__ffsll($I)", Type::i32, 64},
        {"__umulhi($u, $u)", Type::u32, any},
        {"(unsigned)__mulhi($i, $i)", Type::u32, any},
        {"__byte_perm($u, $u, $u & 0x7777)", Type::u32, any},
        {"__funnelshift_l($u, $u, $u)", Type::u32, any},
        {"(unsigned)min($i, $i)", Type::u32, any},
        {"max($u, $u)", Type::u32, any},
        {"abs($i % 1000)", Type::i32, 999},
        {"(unsigned)((long long)$i * $i >> 32)", Type::u32, any},
        {"(unsigned)((unsigned long long)$u * $u >> 32)", Type::u32, any},
        {"rotated($u, $u)", Type::u32, any},
        {"(($u & 0xff) << 24 | ($u & 0xff) << 16 | ($u & 0xffff))", Type::u32, any}};
    const Intrinsic chosen = learner.random.pick(all);
    learner.need(
        "__device__ unsigned rotated(unsigned x, unsigned by) {\nreturn x << (by & 31) | x >> "
        "(-by & 31);\n}\n");
    return {filled(learner, chosen.pattern, depth), chosen.type, 0, chosen.most};
}

Value call(Learner& learner, int depth) {
    const Function function = learner.random.pick(learner.functions);
    std::string arguments;
    for (const Type type : function.parameters) {
        if (!arguments.empty()) arguments += ", ";
        arguments += of_type(learner, type, depth).text;
    }
    const bool real = is_real(function.result);
    return {function.name + "(" + arguments + ")", function.result,
            real ? -1e4 : lowest(function.result), real ? 1e4 : highest(function.result)};
}

Value chosen(Learner& learner, int depth, bool wants_real) {
    const Value a = wants_real ? real(learner, depth) : whole(learner, depth);
    const Value b = wants_real ? real(learner, depth) : whole(learner, depth);
    // Of two types alike, C++ does not widen.
    const Type type = a.type == b.type ? a.type : common_type(a.type, b.type);
    const Value x = wrapped(a, type), y = wrapped(b, type);
    return {"(" + condition(learner, depth) + " ? " + a.text + " : " + b.text + ")", type,
            std::min(x.low, y.low), std::max(x.high, y.high)};
}

// ---- reals ----

Value real_arithmetic(Learner& learner, int depth) {
    const auto operand = [&] {
        // Whole numbers among reals are converted.
        if (learner.chance(12)) return whole(learner, depth);
        return real(learner, depth);
    };
    Value a = operand(), b = operand();
    if (!is_real(a.type) && !is_real(b.type)) a = real(learner, depth);
    const char op = learner.random.pick({'+', '-', '*', '*', '/'});
    const Type type = common_type(a.type, b.type);
    if (op == '/') {
        const std::string one = b.type == Type::f32 ? "1.0f" : "1.0";
        if (!is_real(b.type))
            return {operation(a, "/", {"7", Type::i32, 7, 7}), type, -largest(a), largest(a)};
        const std::string absolute = b.type == Type::f32 ? "fabsf(" : "fabs(";
        return {"(" + a.text + " / (" + absolute + b.text + ") + " + one + "))", type, -largest(a),
                largest(a)};
    }
    double most = op == '*' ? largest(a) * largest(b) : largest(a) + largest(b);
    if (most > kMaxReal) {
        if (is_real(a.type)) a = limited(learner, a);
        if (is_real(b.type)) b = limited(learner, b);
        if (!is_real(a.type)) a = reduced(learner, a);
        if (!is_real(b.type)) b = reduced(learner, b);
        most = op == '*' ? 1e8 : 2e4;
    }
    return {operation(a, std::string(1, op).c_str(), b), type, -most, most};
}

Value real_function(Learner& learner, int depth) {
    Value a = real(learner, depth);
    const bool is_float = a.type == Type::f32;
    const std::string f = is_float ? "f" : "", one = is_float ? "1.0f" : "1.0";
    const double most = largest(a);
    switch (learner.random.below(15)) {
        case 0: return {"(-" + a.text + ")", a.type, -most, most};
        case 1: return {"fabs" + f + "(" + a.text + ")", a.type, 0, most};
        case 2: return {"floor" + f + "(" + a.text + ")", a.type, -most - 1, most + 1};
        case 3: return {"ceil" + f + "(" + a.text + ")", a.type, -most - 1, most + 1};
        case 4: return {"trunc" + f + "(" + a.text + ")", a.type, -most, most};
        case 5: return {"rint" + f + "(" + a.text + ")", a.type, -most - 1, most + 1};
        case 6: return {"sqrt" + f + "(fabs" + f + "(" + a.text + "))", a.type, 0, most + 1};
        case 7: {
            const Value b = converted(learner, real(learner, depth), a.type);
            const double both = std::max(most, largest(b));
            const char* name = learner.random.pick({"fmin", "fmax"});
            // The sign of a zero is left open where both are zero.
            return {"(" + (name + f) + "(" + a.text + ", " + b.text + ") + " + one + ")", a.type,
                    -both - 1, both + 1};
        }
        case 8: {
            const Value b = converted(learner, limited(learner, real(learner, depth)), a.type);
            a = limited(learner, a);
            return {"fma" + f + "(" + a.text + ", " + b.text + ", " + one + ")", a.type, -1.1e8,
                    1.1e8};
        }
        case 9:
            if (!is_float) break;
            return {"rsqrtf(fabsf(" + a.text + ") + 1.0f)", a.type, 0, 1};
        case 10:
            if (!is_float) break;
            return {"__expf(" + limited(learner, a).text + " * 0.001f)", a.type, 0, 3e4};
        case 11:
            if (!is_float) break;
            return {"__logf(fabsf(" + a.text + ") + 0.5f)", a.type, -100, 100};
        case 12:
            if (!is_float) break;
            return {"__sinf(" + limited(learner, a).text + " * 0.01f)", a.type, -1.1, 1.1};
        case 13:
            // The bits of a number between 1 and 2.
            return {"__uint_as_float(0x3f800000u | (" + of_type(learner, Type::u32, depth).text +
                        " >> 9))",
                    Type::f32, 1, 2};
        default: break;
    }
    const Type other = is_float ? Type::f64 : Type::f32;
    return {std::string("(") + name_of(other) + ")" + a.text, other, -most - 1, most + 1};
}

}  // namespace

// ---- what others use ----

std::string constant(Learner& learner, Type type) {
    Random& random = learner.random;
    if (is_real(type)) {
        const std::string text = random.pick(
            {"0.5", "1.0", "2.0", "3.25", "0.1", "1e-3", "100.0", "1.5", "0.3333", "7.0"});
        return type == Type::f32 ? text + "f" : text;
    }
    const char* suffix = type == Type::u32   ? "u"
                         : type == Type::i64 ? "ll"
                         : type == Type::u64 ? "ull"
                                             : "";
    if (random.percent(20))
        return random.pick({"65535", "65536", "2147483647", "16777216", "128", "255", "32768"}) +
               std::string(suffix);
    return std::to_string(random.below(random.percent(50) ? 10 : 300)) + suffix;
}

Value converted(Learner& learner, Value value, Type type) {
    if (value.type == type) return value;
    if (is_real(type)) {
        // A double that is too large for a float does not come up: see kMaxReal.
        value.text = std::string("(") + name_of(type) + ")" + value.text;
        value.type = type;
        return value;
    }
    if (is_real(value.type)) {
        const Value small = limited(learner, value);
        const char* name = is_signed(type) ? "" : value.type == Type::f32 ? "fabsf" : "fabs";
        if (bits_of(type) < 32) {
            return wrapped(
                {std::string("(") + name_of(type) + ")(int)" + small.text, type, -1e4, 1e4}, type);
        }
        return {std::string("(") + name_of(type) + ")" + name + "(" + small.text + ")", type,
                is_signed(type) ? -1e4 : 0, 1e4};
    }
    value.text = std::string("(") + name_of(type) + ")" + value.text;
    return wrapped(value, type);
}

std::string filled(Learner& learner, const char* pattern, int depth) {
    std::string text;
    for (const char* at = pattern; *at; ++at) {
        if (*at != '$') {
            text += *at;
            continue;
        }
        switch (*++at) {
            case 'u': text += of_type(learner, Type::u32, depth).text; break;
            case 'i': text += of_type(learner, Type::i32, depth).text; break;
            case 'U': text += of_type(learner, Type::u64, depth).text; break;
            case 'I': text += of_type(learner, Type::i64, depth).text; break;
            case 'f': text += of_type(learner, Type::f32, depth).text; break;
            default: text += of_type(learner, Type::f64, depth).text; break;
        }
    }
    return text;
}

Value whole(Learner& learner, int depth) {
    if (depth <= 0) return leaf(learner, false);
    depth -= 1;
    const u32 drawn = learner.random.below(100);
    if (drawn < 12) return leaf(learner, false);
    if (drawn < 42) return arithmetic(learner, depth);
    if (drawn < 52) return division(learner, depth);
    if (drawn < 68) return bitwise(learner, depth);
    if (drawn < 75) return intrinsic(learner, depth);
    if (drawn < 80) return chosen(learner, depth, false);
    if (drawn < 85) return converted(learner, real(learner, depth), Type::i32);
    if (drawn < 88) return {"(int)" + condition(learner, depth), Type::i32, 0, 1};
    if (drawn < 94 && !learner.functions.empty()) {
        const Value result = call(learner, depth);
        return is_real(result.type) ? converted(learner, result, Type::i32) : result;
    }
    const Type type = learner.random.pick(
        {Type::i8, Type::u8, Type::i16, Type::u16, Type::i32, Type::u32, Type::i64, Type::u64});
    return converted(learner, whole(learner, depth), type);
}

Value real(Learner& learner, int depth) {
    if (depth <= 0) return leaf(learner, true);
    depth -= 1;
    const u32 drawn = learner.random.below(100);
    if (drawn < 12) return leaf(learner, true);
    if (drawn < 62) return real_arithmetic(learner, depth);
    if (drawn < 82) return real_function(learner, depth);
    if (drawn < 88) return chosen(learner, depth, true);
    if (drawn < 94 && !learner.functions.empty()) {
        const Value result = call(learner, depth);
        return is_real(result.type) ? result : converted(learner, result, Type::f32);
    }
    const Type type = learner.random.pick({Type::f32, Type::f32, Type::f64});
    return converted(learner, whole(learner, depth), type);
}

Value expression(Learner& learner, int depth) {
    return learner.chance(50) ? whole(learner, depth) : real(learner, depth);
}

Value of_type(Learner& learner, Type type, int depth) {
    if (is_real(type)) {
        Value value = real(learner, depth);
        if (largest(value) > 1e9) value = limited(learner, value);
        return converted(learner, value, type);
    }
    return converted(learner, whole(learner, depth), type);
}

std::string index(Learner& learner, int count, int depth) {
    const Value value = whole(learner, depth);
    if ((count & (count - 1)) == 0)
        return "(" + value.text + " & " + std::to_string(count - 1) + ")";
    return "((unsigned)" + value.text + " % " + std::to_string(count) + ")";
}

std::string condition(Learner& learner, int depth) {
    Random& random = learner.random;
    if (depth > 0 && random.percent(20)) {
        const std::string a = condition(learner, depth - 1), b = condition(learner, depth - 1);
        return "(" + a + random.pick({" && ", " || ", " != "}) + b + ")";
    }
    const char* op = random.pick({" < ", " <= ", " > ", " >= ", " == ", " != "});
    if (random.percent(30)) {
        const Value a = real(learner, depth), b = real(learner, depth);
        return "(" + a.text + op + b.text + ")";
    }
    const Value a = whole(learner, depth), b = whole(learner, depth);
    if (random.percent(20)) return "((" + a.text + " & " + learner.number(1, 7) + ") == 0)";
    return "(" + a.text + op + b.text + ")";
}

}  // namespace coalesce::random_kernels
