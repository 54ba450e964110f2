// A kernel as a learner might write it, while it is being written.
//
// Plain CUDA C++: operators on numbers of every type, mixed as C++ allows, loops, structures, vectors.
// Nothing in it may be left undefined, so each expression knows between which bounds its value lies:
// where a sum of signed numbers could overflow, its operands are made smaller first.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/campaign/random.h"

namespace coalesce::random_kernels {

using campaign::Random;
using campaign::u32;
using campaign::u64;

enum class Type { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };
const char* name_of(Type type);
bool is_real(Type type);
bool is_signed(Type type);
int bits_of(Type type);

/// A type's bounds, of whole numbers. Those of 64 bits are a little nearer to zero than they are.
double lowest(Type type);
double highest(Type type);

/// An expression, of some type, between some bounds.
struct Value {
    std::string text;
    Type type;
    double low, high;
};

struct Variable {
    std::string name;
    Type type;
    double low, high;
    bool can_change = true;
};

/// A device function whose result depends on its arguments alone.
struct Function {
    std::string name;
    Type result;
    std::vector<Type> parameters;
};

/// Where lines are written to.
struct Place {
    bool is_together =
        true;              ///< all threads of the block come here, so they may wait for each other
    bool in_loop = false;  ///< `break` and `continue` are allowed
    int depth = 0;
    int turns = 1;  ///< how often this is executed, at most
};

struct Learner {
    explicit Learner(u64 seed);

    Random random;
    campaign::Launch launch;
    bool is_coalesced;  ///< neighbouring threads write to neighbouring words

    std::string globals;  ///< before the kernel
    std::string body;     ///< of the kernel, or of the function that is being written
    std::vector<Variable> variables;
    std::vector<Function> functions;
    bool in_function = false;
    int statements_left;
    int shared_left = 20000;
    int next_quad = 0;  ///< of the thread's words of `out`, four by four: those before are taken
    int next_sum = 0;   ///< of the words of `sums`

    void write(const std::string& line) { body += line + "\n"; }
    /// Adds it to the globals unless it is there already.
    void need(const std::string& text);
    std::string fresh(const char* prefix) { return prefix + std::to_string(++names_); }
    bool chance(u32 percent) { return random.percent(percent); }
    std::string number(u32 least, u32 most) { return std::to_string(random.between(least, most)); }
    /// Four words of `out` as a `type*`, or "" when all are taken.
    std::string take_quad(const std::string& type);
    /// Declares a variable of any value that its type has.
    void declare(Type type, const std::string& name, const Value& value);
    Type any_type();

private:
    std::set<std::string> known_;
    int names_ = 0;
};

// ---- expressions ----

/// Any expression.
Value expression(Learner& learner, int depth);
Value whole(Learner& learner, int depth);
Value real(Learner& learner, int depth);
/// As a `type`, which C++ converts it to when it is assigned.
Value of_type(Learner& learner, Type type, int depth);
/// A number from 0 to `count` - 1.
std::string index(Learner& learner, int count, int depth = 1);
std::string condition(Learner& learner, int depth);
std::string constant(Learner& learner, Type type);
/// What C++ makes of it when it becomes a `type`: a real of any size becomes one that fits.
Value converted(Learner& learner, Value value, Type type);
/// `pattern` with letters replaced by expressions: $u $i words, unsigned and signed, $U $I those of 64
/// bits, $f $d reals. One after the other, so that every compiler draws the same random numbers.
std::string filled(Learner& learner, const char* pattern, int depth);

// ---- statements ----

void statement(Learner& learner, const Place& place);
void statements(Learner& learner, const Place& place, int count);
/// Puts a value into some variable, so that it is seen in the results.
void absorb(Learner& learner, const Value& value);

/// Writes device functions, some of which call others or themselves.
void write_functions(Learner& learner);

using Construct = void (*)(Learner&, const Place&);
struct Weighted {
    int weight;
    Construct construct;
    bool is_together = false;  ///< only where all threads of the block come
};
std::vector<Weighted> control_constructs();
std::vector<Weighted> memory_constructs();
std::vector<Weighted> together_constructs();

}  // namespace coalesce::random_kernels
