#include "lab/campaign/cuda/kernel.h"

#include <algorithm>
#include <utility>

#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

UniformIn join_scopes(UniformIn a, UniformIn b) {
    if (a == b || b == UniformIn::launch) return a;
    if (a == UniformIn::launch) return b;
    const bool are_both_uniform_in_warp = a <= UniformIn::warp && b <= UniformIn::warp;
    return are_both_uniform_in_warp ? UniformIn::warp : UniformIn::thread;
}

const char* name_of(Type type) {
    static constexpr const char* kTypeNames[] = {"u8",  "i8",  "u16", "i16",   "u32",
                                                 "i32", "u64", "i64", "float", "double"};
    return kTypeNames[static_cast<int>(type)];
}

int bits_of(Type type) {
    static constexpr int kTypeBits[] = {8, 8, 16, 16, 32, 32, 64, 64, 32, 64};
    return kTypeBits[static_cast<int>(type)];
}

// ---- places ----

StatementPlace StatementPlace::inside_block(UniformIn condition, int times) const {
    StatementPlace place = *this;
    place.arriving_together = join_scopes(arriving_together, condition);
    if (!is_uniform_within(condition, UniformIn::warp)) place.lane_mask.clear();
    place.nesting_depth += 1;
    place.times_reached *= times;
    return place;
}

StatementPlace StatementPlace::inside_divergence(int times) const {
    StatementPlace place = inside_block(UniformIn::thread, times);
    place.are_all_threads_active = false;
    return place;
}

int StatementPlace::max_iterations(int iteration_limit, int total_iterations) const {
    return std::max(1, std::min(iteration_limit, total_iterations / times_reached));
}

// ---- the launch ----

namespace {

constexpr int kBlockSizes[] = {32, 32, 64, 64, 64, 96, 128, 128, 256,
                               1,  7,  31, 33, 48, 77, 100, 200};

/// Returns a divisor of `number`, often 1.
int random_divisor(Random& random, int number) {
    if (random.percent(60)) return 1;
    std::vector<int> divisors;
    for (int i = 1; i <= number; ++i) {
        if (number % i == 0) divisors.push_back(i);
    }
    return random.pick(divisors);
}

}  // namespace

Kernel::Kernel(u64 seed) : random(seed) {
    launch.blocks = random.percent(25) ? 1 : random.between(2, kMaxBlocks);
    threads = kBlockSizes[random.below(std::size(kBlockSizes))];
    launch.threads_z = random_divisor(random, threads);
    if (launch.threads_z > 64) launch.threads_z = 1;
    launch.threads_y = random_divisor(random, threads / launch.threads_z);
    launch.threads_x = threads / launch.threads_z / launch.threads_y;
    if (random.percent(35)) launch.dynamic_shared_bytes = (threads * 8 + 15) / 16 * 16;
    remaining_statements = random.between(4, random.percent(20) ? 36 : 14);
}

// ---- the text ----

void Kernel::write(const std::string& pattern, const std::vector<PatternArgument>& arguments) {
    body += expand_pattern(*this, pattern, UniformIn::thread, random.between(0, 2), arguments);
    if (!body.ends_with('\n')) body += '\n';
}

const std::string& Kernel::name(const std::string& word) {
    const auto [found, is_new] = names_of_construct.try_emplace(word);
    if (is_new) found->second = make_unique_name(word);
    return found->second;
}

void Kernel::define_global_once(const std::string& name, const std::string& text) {
    if (!defined_globals.insert(name).second) return;
    global_definitions += text;
    if (!global_definitions.ends_with('\n')) global_definitions += '\n';
}

// ---- variables and space ----

Variable Kernel::declare(Type type, UniformIn uniform_in, const std::string& value) {
    Variable variable{make_unique_name("v"), type, uniform_in};
    body += fill_arguments("$1 $2 = $3;\n", {type, variable.name, value});
    variables.push_back(variable);
    return variable;
}

void Kernel::register_constant(const std::string& word, UniformIn uniform_in) {
    variables.push_back({name(word), Type::u32, uniform_in, false});
}

bool Kernel::reserve_shared(int bytes) {
    if (remaining_shared_bytes < bytes + 16) return false;
    remaining_shared_bytes -= bytes + 16;
    return true;
}

int Kernel::reserve_sum_words(int words) {
    const int first_word = (next_free_sum_word + 1) / 2 * 2;
    if (first_word + words > 64) return -1;
    next_free_sum_word = first_word + words;
    return first_word;
}

int Kernel::reserve_out_words(int words) {
    const int first_word = (lowest_reserved_out_word - words) / words * words;
    if (first_word < 16) return -1;
    return lowest_reserved_out_word = first_word;
}

// ---- statements ----

namespace {

bool is_possible(const Kernel& kernel, const StatementPlace& place, const Construct& construct) {
    if (construct.contains_body && (place.nesting_depth >= 4 || kernel.remaining_statements <= 0))
        return false;
    switch (construct.needs) {
        case Requirement::nothing: return true;
        case Requirement::kernel: return !kernel.is_in_device_function;
        case Requirement::lanes: return !place.lane_mask.empty();
        case Requirement::barrier: return !kernel.is_in_device_function && place.can_have_barrier();
        case Requirement::loop: return place.can_break;
        case Requirement::end: return place.can_return;
        case Requirement::top: return !kernel.is_in_device_function && place.nesting_depth == 0;
    }
    return false;
}

}  // namespace

void generate_statement(Kernel& kernel, StatementPlace& place) {
    kernel.remaining_statements -= 1;
    std::vector<const Construct*> possible_constructs;
    int sum = 0;
    for (const Construct& construct : kernel.constructs) {
        if (!is_possible(kernel, place, construct)) continue;
        possible_constructs.push_back(&construct);
        sum += construct.weight;
    }
    int remaining_weight = kernel.random.between(0, sum - 1);
    for (const Construct* construct : possible_constructs) {
        remaining_weight -= construct->weight;
        if (remaining_weight >= 0) continue;
        const auto names_outside = std::exchange(kernel.names_of_construct, {});
        construct->write(kernel, place);
        kernel.names_of_construct = names_outside;
        return;
    }
}

void generate_scope(Kernel& kernel, StatementPlace place, int count) {
    const Scope scope(kernel);
    kernel.body += "{\n";
    for (int i = 0; i < count; ++i) generate_statement(kernel, place);
    kernel.body += "}\n";
}

}  // namespace coalesce::campaign
