// A kernel while it is being written: its text so far, its variables, and what may come next.
//
// A construct is a function that writes some lines: a loop, a shuffle, an exchange through shared
// memory. It is given the Place where they go, which says who is there; a construct with a body makes
// the Place of its body and fills it with further statements.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/campaign/given.h"
#include "lab/campaign/random.h"

namespace coalesce::campaign {

/// For which threads a value is the same, or who takes the same way through the kernel.
enum class Same {
    launch,    ///< all
    block,     ///< those of a block
    warp,      ///< those of a warp
    position,  ///< those at the same place in their blocks
    thread,    ///< none but itself
};
/// What is made of both.
Same join(Same a, Same b);
/// Whether `value` is the same for all that `within` speaks of.
inline bool fits(Same value, Same within) {
    return join(value, within) == within;
}

enum class Type { u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 };
const char* name_of(Type type);
inline bool is_real(Type type) {
    return type >= Type::f32;
}
inline bool is_signed(Type type) {
    return !is_real(type) && static_cast<int>(type) % 2 == 1;
}
/// Of 32 or 64 bits: what shuffles and atomics take.
inline bool is_wide(Type type) {
    return type >= Type::u32;
}
int bits_of(Type type);

struct Variable {
    std::string name;
    Type type;
    Same same;  ///< what may be assigned, and where: fits() of value and flow
    bool can_change = true;
};

/// A device function of numbers alone: its result depends on nothing but its arguments.
struct Function {
    std::string name;
    Type result;
    std::vector<Type> parameters;
};

struct Place {
    Same flow = Same::launch;  ///< who comes here together
    std::string mask;          ///< the lanes that are here, in C++; empty when they are not known
    bool all_threads = true;   ///< no thread of the block has left the kernel, or may have
    bool can_leave = false;    ///< `break` and `continue` are allowed
    bool can_return = false;   ///< a thread may return: nobody waits for it later
    int depth = 0;
    int turns = 1;  ///< how often this is executed

    /// How many turns a loop here may have: `most`, or fewer where all loops together had more than `in_all`.
    int most_turns(int most, int in_all) const;
    bool has_barrier() const { return all_threads && fits(flow, Same::block); }
    /// Where a condition of this class holds, or a loop of `times` turns.
    Place inside(Same condition, int times = 1) const;
    /// The same, where it is not known which lanes are there.
    Place scattered(int times = 1) const;
};

struct Construct;

struct Kernel {
    explicit Kernel(u64 seed);

    Random random;
    bool is_learner = false;  ///< of Style::learner

    // ---- the launch ----
    Launch launch;
    int threads;  ///< of a block

    // ---- the text ----
    std::string globals;          ///< before the kernel
    std::string body;             ///< of what is being written: the kernel, or a function
    std::set<std::string> known;  ///< names of those globals that several constructs use
    /// Adds the lines of a pattern: see expand().
    void write(const std::string& pattern, const std::vector<Given>& given = {});
    /// Adds `text` to the globals unless one of that name is there.
    void need(const std::string& name, const std::string& text);
    std::string fresh(const std::string& prefix) { return prefix + "_" + std::to_string(++names_); }
    /// What @word stands for in the patterns of the construct that is being written: a name that nothing else has.
    const std::string& name(const std::string& word);
    std::map<std::string, std::string> own_names;  ///< those so far, by word

    // ---- variables ----
    std::vector<Variable> variables;
    std::vector<Function> functions;
    bool in_function = false;  ///< only what a Function may use
    Type result = Type::u32;   ///< of that function
    /// Declares a variable that is seen until its scope ends.
    Variable declare(Type type, Same same, const std::string& value);
    /// Makes @word, a u32 that the construct has declared, one of the variables to read.
    void declare_constant(const std::string& word, Same same = Same::thread);

    // ---- what there is only so much of ----
    int statements_left;
    int shared_left = 40000;
    int next_sum = 0;   ///< words of `sums`: each belongs to one construct
    int last_out = 32;  ///< words of `out` from here on belong to constructs
    bool take_shared(int bytes);
    /// Takes words of `sums`, on an even place. -1: there are none left.
    int take_sums(int words);
    /// The same of `out`, on a multiple of their number.
    int take_out(int words);

    // ---- which constructs ----
    std::vector<Construct> constructs;  ///< with this kernel's weights

private:
    int names_ = 0;
};

/// What must be so for a construct.
enum class Needs {
    nothing,  ///< device functions have it too
    kernel,   ///< the kernel's own parameters
    lanes,    ///< known lanes of a warp
    barrier,  ///< the whole block
    loop,     ///< a loop that each thread may leave
    end,      ///< nothing follows that a thread would be missed in
    top,      ///< the kernel's outermost level, which changes who is there
};

struct Construct {
    Needs needs;
    bool nests;  ///< it has a body of statements
    int weight;
    void (*write)(Kernel&, Place&);
};

/// Writes one statement, or `count` in braces with a scope of their own.
void write_statement(Kernel& kernel, Place& place);
void write_scope(Kernel& kernel, Place place, int count);
/// A new scope for the variables that are declared while it lives.
class Scope {
public:
    explicit Scope(Kernel& kernel) : kernel_(kernel), count_(kernel.variables.size()) {}
    ~Scope() {
        kernel_.variables.erase(kernel_.variables.begin() + static_cast<long>(count_),
                                kernel_.variables.end());
    }
    Scope(const Scope&) = delete;

private:
    Kernel& kernel_;
    std::size_t count_;
};

// ---- the groups of constructs, one file each ----
std::vector<Construct> assignment_constructs();
std::vector<Construct> loop_constructs();
std::vector<Construct> jump_constructs();
std::vector<Construct> late_constructs();
std::vector<Construct> warp_constructs();
std::vector<Construct> shared_constructs();
std::vector<Construct> atomic_constructs();
std::vector<Construct> memory_constructs();
std::vector<Construct> function_constructs();
std::vector<Construct> number_constructs();
std::vector<Construct> toolkit_constructs();
/// Those of Style::learner alone.
std::vector<Construct> learner_constructs();
/// Device functions for the kernel to call, before it is written.
void write_functions(Kernel& kernel);

}  // namespace coalesce::campaign
