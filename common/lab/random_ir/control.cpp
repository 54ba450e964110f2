// What a kernel does in order: declarations, assignments, branches, loops, device functions.
#include <algorithm>

#include "learner.h"

namespace coalesce::random_kernels {

namespace {

/// Variables that are declared while it lives are gone with it, as in C++.
class Scope {
public:
    explicit Scope(Learner& learner) : learner_(learner), count_(learner.variables.size()) {}
    ~Scope() { learner_.variables.resize(count_); }
    Scope(const Scope&) = delete;

private:
    Learner& learner_;
    std::size_t count_;
};

void block(Learner& learner, Place place, int count) {
    const Scope scope(learner);
    statements(learner, place, count);
}

Place inside(Place place, int turns = 1) {
    place.is_together = false;
    place.depth += 1;
    place.turns *= turns;
    return place;
}

void declaration(Learner& learner, const Place&) {
    const Type type = learner.any_type();
    const Value value = of_type(learner, type, 3);
    learner.declare(type, learner.fresh("v"), value);
}

void assignment(Learner& learner, const Place&) {
    absorb(learner, expression(learner, 4));
}

/// `+=` and its like, where they cannot overflow.
void compound(Learner& learner, const Place&) {
    for (int tries = 0; tries < 5; ++tries) {
        const Variable v = learner.random.pick(learner.variables);
        if (!v.can_change) continue;
        const bool is_unsigned = !is_real(v.type) && !is_signed(v.type);
        const std::string value = of_type(learner, v.type, 2).text;
        if (is_real(v.type))
            learner.write(v.name + " = " + v.name + " * 0.25f + " + value + " * 0.5f;");
        else if (is_unsigned && bits_of(v.type) >= 32)
            learner.write(v.name + learner.random.pick({" += ", " -= ", " *= ", " ^= ", " |= "}) +
                          value + ";");
        else
            learner.write(v.name + learner.random.pick({" ^= ", " &= ", " |= "}) + value + ";");
        return;
    }
}

void branch(Learner& learner, const Place& place) {
    learner.write("if (" + condition(learner, 2) + ") {");
    block(learner, inside(place), static_cast<int>(learner.random.between(1, 3)));
    if (learner.chance(50)) {
        learner.write("} else {");
        block(learner, inside(place), static_cast<int>(learner.random.between(1, 3)));
    }
    learner.write("}");
}

void choice(Learner& learner, const Place& place) {
    const int cases = static_cast<int>(learner.random.between(2, 7));
    learner.write("switch (" + index(learner, 8, 2) + ") {");
    for (int k = 0; k < cases; ++k) {
        learner.write("case " + std::to_string(k) + ": {");
        Place within = inside(place);
        within.in_loop = false;
        block(learner, within, 1);
        learner.write(learner.chance(75) ? "break;\n}" : "}");
    }
    learner.write("default: {");
    block(learner, inside(place), 1);
    learner.write("}\n}");
}

void leave_turn(Learner& learner, const Place& place) {
    if (!place.in_loop) return assignment(learner, place);
    learner.write("if (" + condition(learner, 1) + ") " +
                  learner.random.pick({"break;", "continue;"}));
}

/// A loop whose number of turns is known, or depends on the thread.
void counted_loop(Learner& learner, const Place& place) {
    const std::string k = learner.fresh("k");
    const int turns = static_cast<int>(learner.random.pick({2u, 3u, 4u, 8u}));
    std::string end = std::to_string(turns);
    if (learner.chance(50)) end = index(learner, turns) + " + 1";
    if (learner.chance(30))
        learner.write(
            learner.random.pick({"#pragma unroll", "#pragma unroll 1", "#pragma unroll 2"}));
    const char* type = learner.random.pick({"int", "int", "unsigned", "long long"});
    const Type of_k = std::string(type) == "int"        ? Type::i32
                      : std::string(type) == "unsigned" ? Type::u32
                                                        : Type::i64;
    if (learner.chance(70))
        learner.write(std::string("for (") + type + " " + k + " = 0; " + k + " < " + end + "; ++" +
                      k + ") {");
    else
        learner.write("for (int " + k + " = (int)(" + end + "); " + k + " > 0; " +
                      learner.random.pick({"--" + k, k + " -= 2", k + " /= 2"}) + ") {");
    const Scope scope(learner);
    learner.variables.push_back(
        {k,
         learner.body.rfind("for (int " + k + " = (int)") != std::string::npos ? Type::i32 : of_k,
         0, static_cast<double>(turns), false});
    Place within = inside(place, turns);
    within.in_loop = true;
    block(learner, within, static_cast<int>(learner.random.between(1, 3)));
    learner.write("}");
}

/// A loop that ends by what it computes.
void while_loop(Learner& learner, const Place& place) {
    const std::string left = learner.fresh("left");
    learner.write("unsigned " + left + " = " + of_type(learner, Type::u32, 2).text + ";");
    const bool at_end = learner.chance(40);
    const std::string shift = learner.random.pick({"2", "3", "5"});
    learner.write(at_end ? "do {" : "while (" + left + " > " + learner.number(1, 40) + ") {");
    const Scope scope(learner);
    learner.variables.push_back({left, Type::u32, 0, highest(Type::u32), false});
    // Before anything that may leave the turn, so that the loop ends.
    learner.write(left + " >>= " + shift + ";");
    Place within = inside(place, 16);
    within.in_loop = true;
    block(learner, within, static_cast<int>(learner.random.between(1, 2)));
    learner.write(at_end ? "} while (" + left + " & 0xfff0);" : "}");
}

/// An early return, as every kernel's bounds check is, in a function of its own.
void lambda(Learner& learner, const Place& place) {
    const std::string name = learner.fresh("f"), x = learner.fresh("x");
    const Type type = learner.random.pick({Type::u32, Type::i32, Type::f32});
    learner.write("auto " + name + " = [&](" + name_of(type) + " " + x + ") -> " + name_of(type) +
                  " {");
    {
        const Scope scope(learner);
        learner.variables.push_back({x, type, is_real(type) ? -1e9 : lowest(type),
                                     is_real(type) ? 1e9 : highest(type), false});
        learner.write("if (" + condition(learner, 1) + ") return " +
                      of_type(learner, type, 1).text + ";");
        Place within = inside(place);
        within.in_loop = false;
        statements(learner, within, 1);
        learner.write("return " + of_type(learner, type, 2).text + ";\n};");
    }
    const std::string call = name + "(" + of_type(learner, type, 2).text + ")";
    absorb(learner, is_real(type) ? Value{call, type, -1e9, 1e9}
                                  : Value{call, type, lowest(type), highest(type)});
}

// ---- functions ----

/// What belongs to the function that is being written replaces what belongs to the kernel.
class FunctionBody {
public:
    FunctionBody(Learner& learner, const Function& function) : learner_(learner) {
        std::swap(learner.body, body_);
        std::swap(learner.variables, variables_);
        learner.in_function = true;
        for (std::size_t k = 0; k < function.parameters.size(); ++k) {
            const Type type = function.parameters[k];
            const bool real = is_real(type);
            learner.variables.push_back({"p" + std::to_string(k), type, real ? -1e9 : lowest(type),
                                         real ? 1e9 : highest(type)});
        }
    }
    ~FunctionBody() {
        std::swap(learner_.body, body_);
        std::swap(learner_.variables, variables_);
        learner_.in_function = false;
    }
    FunctionBody(const FunctionBody&) = delete;

private:
    Learner& learner_;
    std::string body_;
    std::vector<Variable> variables_;
};

std::string result_of(Learner& learner, Type type, int depth) {
    Value value = of_type(learner, type, depth);
    if (!is_real(type)) return value.text;
    learner.need(
        "__device__ float within(float x) {\nreturn x > -1e4f && x < 1e4f ? x : 0.5f;\n}\n"
        "__device__ double within(double x) {\nreturn x > -1e4 && x < 1e4 ? x : 0.5;\n}\n");
    return "within(" + value.text + ")";
}

void write_function(Learner& learner) {
    Function function{learner.fresh("function"), learner.any_type(), {}};
    for (u32 count = learner.random.between(1, 4); count > 0; --count)
        function.parameters.push_back(learner.any_type());
    const bool is_recursive = learner.chance(20);
    std::string head = "__device__ ";
    head += learner.random.pick({"", "", "__noinline__ ", "__noinline__ ", "__forceinline__ "});
    if (is_recursive) head = "__device__ ";
    head += std::string(name_of(function.result)) + " " + function.name + "(";
    std::string again;
    for (std::size_t k = 0; k < function.parameters.size(); ++k) {
        head +=
            std::string(k ? ", " : "") + name_of(function.parameters[k]) + " p" + std::to_string(k);
        again += ", p" + std::to_string(k);
    }
    if (is_recursive) head += ", int turns";
    head += ") {\n";
    std::string text;
    {
        const FunctionBody body(learner, function);
        Place place;
        place.is_together = false;
        place.depth = 2;
        if (is_recursive) {
            learner.write("if (turns <= 0) return " + result_of(learner, function.result, 2) + ";");
            const std::string own = learner.fresh("v");
            const Value before = of_type(learner, function.parameters[0], 2);
            learner.write("const " + std::string(name_of(function.result)) + " " + own + " = " +
                          function.name + "((" + name_of(function.parameters[0]) + ")" +
                          before.text + again.substr(std::min<std::size_t>(again.size(), 4)) +
                          ", turns - " + learner.number(1, 2) + ");");
            const bool real = is_real(function.result);
            learner.variables.push_back({own, function.result,
                                         real ? -1e4 : lowest(function.result),
                                         real ? 1e4 : highest(function.result), false});
        }
        statements(learner, place, static_cast<int>(learner.random.between(0, 2)));
        learner.write("return " + result_of(learner, function.result, 3) + ";\n}");
        text = learner.body;
    }
    learner.globals += head + text;
    if (is_recursive) {
        // Callers know nothing of the number of turns.
        std::string start = head.substr(0, head.find(", int turns")) + ") {\n";
        learner.globals += start + "return " + function.name + "(" + again.substr(2) + ", " +
                           learner.number(1, 5) + ");\n}\n";
    }
    learner.functions.push_back(function);
}

}  // namespace

void write_functions(Learner& learner) {
    for (int count = learner.random.pick({0, 1, 1, 2, 3}); count > 0; --count)
        write_function(learner);
}

void absorb(Learner& learner, const Value& given) {
    Value value = given;
    if (value.text.find(' ') != value.text.npos) value.text = "(" + value.text + ")";
    std::vector<Variable> targets;
    for (const Variable& v : learner.variables)
        if (v.can_change && is_real(v.type) == is_real(value.type)) targets.push_back(v);
    if (targets.empty()) {
        for (const Variable& v : learner.variables)
            if (v.can_change) targets.push_back(v);
    }
    const Variable v = learner.random.pick(targets);
    const Value fitting = converted(learner, value, v.type);
    if (is_real(v.type)) {
        learner.need(
            "__device__ float within(float x) {\nreturn x > -1e4f && x < 1e4f ? x : 0.5f;\n}\n"
            "__device__ double within(double x) {\nreturn x > -1e4 && x < 1e4 ? x : 0.5;\n}\n");
        learner.write(v.name + " = within(" + fitting.text + ");");
        return;
    }
    const bool keeps = learner.chance(50);
    learner.write(v.name + (keeps ? " ^= " : " = ") + fitting.text + ";");
}

std::vector<Weighted> control_constructs() {
    return {{12, declaration}, {14, assignment}, {8, compound},   {8, branch}, {4, choice},
            {7, counted_loop}, {3, while_loop},  {3, leave_turn}, {3, lambda}};
}

void statement(Learner& learner, const Place& place) {
    learner.statements_left -= 1;
    static const std::vector<Weighted> all = [] {
        std::vector<Weighted> joined = control_constructs();
        for (const auto& more : {memory_constructs(), together_constructs()})
            joined.insert(joined.end(), more.begin(), more.end());
        return joined;
    }();
    const bool is_deep = place.depth >= 3 || place.turns > 60 || learner.statements_left <= 0;
    int sum = 0;
    for (const Weighted& w : all) sum += w.weight;
    for (int tries = 0; tries < 20; ++tries) {
        int drawn = static_cast<int>(learner.random.below(static_cast<u32>(sum)));
        for (const Weighted& w : all) {
            if ((drawn -= w.weight) >= 0) continue;
            if (w.is_together && !place.is_together) break;
            const bool nests = w.construct == branch || w.construct == choice ||
                               w.construct == lambda || w.construct == counted_loop ||
                               w.construct == while_loop;
            if (nests && is_deep) break;
            return w.construct(learner, place);
        }
    }
    assignment(learner, place);
}

void statements(Learner& learner, const Place& place, int count) {
    for (; count > 0; --count) statement(learner, place);
}

}  // namespace coalesce::random_kernels
