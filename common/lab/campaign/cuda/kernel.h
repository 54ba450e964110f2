// A kernel that is being generated: its text so far, its variables, and the constructs that may
// follow.
//
// A construct is a function that writes a few lines, such as a loop or a shuffle. A StatementPlace
// says which threads execute these lines. A construct with a body creates a StatementPlace for its
// body and fills it with further statements.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/campaign/given.h"
#include "lab/campaign/random.h"

namespace coalesce::campaign {

/// The set of threads that share a value, or that take the same path through the kernel.
enum class UniformIn {
    launch,    ///< all threads
    block,     ///< threads of a block
    warp,      ///< threads of a warp
    position,  ///< threads at the same position in their blocks
    thread,    ///< only one thread
};
/// Returns the set of threads for which the result of an operation is the same. `a` and `b` are the
/// sets of threads for which the two operands are the same.
UniformIn join_scopes(UniformIn a, UniformIn b);
/// Reports whether all threads of `scope` have the same value if all threads of `value_scope` do.
inline bool is_uniform_within(UniformIn value_scope, UniformIn scope) {
    return join_scopes(value_scope, scope) == scope;
}

enum class Type { u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 };
const char* name_of(Type type);
inline bool is_real(Type type) {
    return type >= Type::f32;
}
inline bool is_signed(Type type) {
    return !is_real(type) && static_cast<int>(type) % 2 == 1;
}
/// Reports whether the type has 32 or 64 bits, as shuffles and atomics require.
inline bool is_wide(Type type) {
    return type >= Type::u32;
}
int bits_of(Type type);

struct Variable {
    std::string name;
    Type type;
    /// the set of threads that all have the same value in this variable; assignments must keep
    /// their values equal
    UniformIn uniform_in;
    bool can_change = true;
};

/// A device function whose result depends only on its arguments.
struct Function {
    std::string name;
    Type result_type;
    std::vector<Type> parameters;
};

struct StatementPlace {
    UniformIn arriving_together = UniformIn::launch;  ///< threads that arrive here together
    /// A C++ expression for the mask of the lanes that execute this code, or "" if the mask is
    /// unknown.
    std::string lane_mask;
    bool are_all_threads_active =
        true;                ///< whether no thread of the block has returned from the kernel
    bool can_break = false;  ///< whether `break` and `continue` are allowed
    /// whether a thread may return here; false if other threads wait for it later
    bool can_return = false;
    int nesting_depth = 0;
    int times_reached = 1;  ///< the number of times that a thread reaches this place

    /// Returns how many iterations a loop at this place may have. The result is at most
    /// `iteration_limit`, and low enough that no thread executes the body more than
    /// `total_iterations` times.
    int max_iterations(int iteration_limit, int total_iterations) const;
    bool can_have_barrier() const {
        return are_all_threads_active && is_uniform_within(arriving_together, UniformIn::block);
    }
    /// Returns the place inside an `if`, or inside a loop of `times` iterations. `condition` is the
    /// set of threads that all take the same branch.
    StatementPlace inside_block(UniformIn condition, int times = 1) const;
    /// Returns the place inside an `if` or loop that makes lanes diverge. The mask of the lanes in
    /// this place is unknown.
    StatementPlace inside_divergence(int times = 1) const;
};

struct Construct;

struct Kernel {
    explicit Kernel(u64 seed);

    Random random;
    bool is_learner = false;  ///< whether the kernel has KernelStyle::learner

    // ---- the launch ----
    Launch launch;
    int threads;  ///< threads per block

    // ---- the text ----
    std::string global_definitions;  ///< text before the kernel
    std::string body;  ///< the text being written: the body of the kernel or of a device function
    /// names of the globals that were added with `define_global_once`
    std::set<std::string> defined_globals;
    /// Expands a pattern with expand_pattern(), and appends the resulting lines to `body`.
    void write(const std::string& pattern, const std::vector<PatternArgument>& arguments = {});
    /// Adds `text` to the globals unless a global named `name` exists already.
    void define_global_once(const std::string& name, const std::string& text);
    std::string make_unique_name(const std::string& prefix) {
        return prefix + "_" + std::to_string(++unique_name_count_);
    }
    /// Returns the unique name in this kernel that replaces @word in the patterns of the current
    /// construct.
    const std::string& name(const std::string& word);
    std::map<std::string, std::string> names_of_construct;  ///< names chosen so far for each @word

    // ---- variables ----
    std::vector<Variable> variables;
    std::vector<Function> functions;
    /// whether the text being written is a device function, which may use fewer features than a
    /// kernel
    bool is_in_device_function = false;
    Type result_type = Type::u32;  ///< result type of the function
    /// Declares a variable that is visible until its scope ends.
    Variable declare(Type type, UniformIn uniform_in, const std::string& value);
    /// Allows later statements to read the u32 variable @word, which the construct has already
    /// declared.
    void register_constant(const std::string& word, UniformIn uniform_in = UniformIn::thread);

    // ---- limited resources ----
    int remaining_statements;
    int remaining_shared_bytes = 40000;
    int next_free_sum_word = 0;  ///< first free word of `sums`; each word belongs to one construct
    int lowest_reserved_out_word = 32;  ///< lowest word of `out` that a construct has reserved
    bool reserve_shared(int bytes);
    /// Reserves `words` words of `sums`, aligned to 2 words, and returns the index of the first.
    /// Returns -1 if fewer words are left.
    int reserve_sum_words(int words);
    /// Reserves `words` words of `out`, starting at a multiple of `words`, and returns the index of
    /// the first. Returns -1 if fewer words are left.
    int reserve_out_words(int words);

    // ---- the constructs to choose from ----
    std::vector<Construct> constructs;  ///< constructs with this kernel's weights

private:
    int unique_name_count_ = 0;
};

/// The condition under which a construct can be used.
enum class Requirement {
    nothing,  ///< works in device functions, too
    kernel,   ///< needs the parameters of the kernel
    lanes,    ///< needs a known mask of lanes
    barrier,  ///< needs all threads of the block
    loop,     ///< needs a loop in which `break` and `continue` are allowed
    end,      ///< allowed only if no later statement requires all threads
    /// allowed only at the outermost level of the kernel, because threads may return
    top,
};

struct Construct {
    Requirement needs;
    bool contains_body;  ///< whether the construct contains statements
    int weight;
    void (*write)(Kernel&, StatementPlace&);
};

/// Write one statement, or `count` statements in braces with their own scope.
void generate_statement(Kernel& kernel, StatementPlace& place);
void generate_scope(Kernel& kernel, StatementPlace place, int count);
/// A scope. When it ends, the variables declared in it are removed.
class Scope {
public:
    explicit Scope(Kernel& kernel)
        : kernel_(kernel), outer_variable_count_(kernel.variables.size()) {}
    ~Scope() {
        kernel_.variables.erase(
            kernel_.variables.begin() + static_cast<long>(outer_variable_count_),
            kernel_.variables.end());
    }
    Scope(const Scope&) = delete;

private:
    Kernel& kernel_;
    std::size_t outer_variable_count_;
};

// ---- the groups of constructs, one file each ----
std::vector<Construct> assignment_constructs();
std::vector<Construct> loop_constructs();
std::vector<Construct> jump_constructs();
std::vector<Construct> late_assignment_constructs();
std::vector<Construct> warp_constructs();
std::vector<Construct> shared_constructs();
std::vector<Construct> atomic_constructs();
std::vector<Construct> memory_constructs();
std::vector<Construct> function_constructs();
std::vector<Construct> floating_point_constructs();
std::vector<Construct> toolkit_constructs();
/// Returns the constructs that only KernelStyle::learner uses.
std::vector<Construct> learner_constructs();
/// Writes the device functions that the kernel will call.
void generate_functions(Kernel& kernel);

}  // namespace coalesce::campaign
