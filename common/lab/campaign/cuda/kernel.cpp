#include "lab/campaign/cuda/kernel.h"

#include <algorithm>
#include <utility>

#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

Same join(Same a, Same b) {
    if (a == b || b == Same::launch) return a;
    if (a == Same::launch) return b;
    const bool in_warp = a <= Same::warp && b <= Same::warp;
    return in_warp ? Same::warp : Same::thread;
}

const char* name_of(Type type) {
    static constexpr const char* kNames[] = {"u8",  "i8",  "u16", "i16",   "u32",
                                             "i32", "u64", "i64", "float", "double"};
    return kNames[static_cast<int>(type)];
}

int bits_of(Type type) {
    static constexpr int kBits[] = {8, 8, 16, 16, 32, 32, 64, 64, 32, 64};
    return kBits[static_cast<int>(type)];
}

// ---- places ----

Place Place::inside(Same condition, int times) const {
    Place place = *this;
    place.flow = join(flow, condition);
    if (!fits(condition, Same::warp)) place.mask.clear();
    place.depth += 1;
    place.turns *= times;
    return place;
}

Place Place::scattered(int times) const {
    Place place = inside(Same::thread, times);
    place.all_threads = false;
    return place;
}

int Place::most_turns(int most, int in_all) const {
    return std::max(1, std::min(most, in_all / turns));
}

// ---- the launch ----

namespace {

constexpr int kSizes[] = {32, 32, 64, 64, 64, 96, 128, 128, 256, 1, 7, 31, 33, 48, 77, 100, 200};

/// Returns a divisor of `number`, often 1.
int divisor(Random& random, int number) {
    if (random.percent(60)) return 1;
    std::vector<int> found;
    for (int i = 1; i <= number; ++i) {
        if (number % i == 0) found.push_back(i);
    }
    return random.pick(found);
}

}  // namespace

Kernel::Kernel(u64 seed) : random(seed) {
    launch.blocks = random.percent(25) ? 1 : random.between(2, kMaxBlocks);
    threads = kSizes[random.below(std::size(kSizes))];
    launch.threads_z = divisor(random, threads);
    if (launch.threads_z > 64) launch.threads_z = 1;
    launch.threads_y = divisor(random, threads / launch.threads_z);
    launch.threads_x = threads / launch.threads_z / launch.threads_y;
    if (random.percent(35)) launch.dynamic_shared = (threads * 8 + 15) / 16 * 16;
    statements_left = random.between(4, random.percent(20) ? 36 : 14);
}

// ---- the text ----

void Kernel::write(const std::string& pattern, const std::vector<Given>& given) {
    body += expand(*this, pattern, Same::thread, random.between(0, 2), given);
    if (!body.ends_with('\n')) body += '\n';
}

const std::string& Kernel::name(const std::string& word) {
    const auto [found, is_new] = own_names.try_emplace(word);
    if (is_new) found->second = fresh(word);
    return found->second;
}

void Kernel::need(const std::string& name, const std::string& text) {
    if (!known.insert(name).second) return;
    globals += text;
    if (!globals.ends_with('\n')) globals += '\n';
}

// ---- variables and space ----

Variable Kernel::declare(Type type, Same same, const std::string& value) {
    Variable variable{fresh("v"), type, same};
    body += fill("$1 $2 = $3;\n", {type, variable.name, value});
    variables.push_back(variable);
    return variable;
}

void Kernel::declare_constant(const std::string& word, Same same) {
    variables.push_back({name(word), Type::u32, same, false});
}

bool Kernel::take_shared(int bytes) {
    if (shared_left < bytes + 16) return false;
    shared_left -= bytes + 16;
    return true;
}

int Kernel::take_sums(int words) {
    const int first = (next_sum + 1) / 2 * 2;
    if (first + words > 64) return -1;
    next_sum = first + words;
    return first;
}

int Kernel::take_out(int words) {
    const int first = (last_out - words) / words * words;
    if (first < 16) return -1;
    return last_out = first;
}

// ---- statements ----

namespace {

bool is_possible(const Kernel& kernel, const Place& place, const Construct& construct) {
    if (construct.nests && (place.depth >= 4 || kernel.statements_left <= 0)) return false;
    switch (construct.needs) {
        case Needs::nothing: return true;
        case Needs::kernel: return !kernel.in_function;
        case Needs::lanes: return !place.mask.empty();
        case Needs::barrier: return !kernel.in_function && place.has_barrier();
        case Needs::loop: return place.can_leave;
        case Needs::end: return place.can_return;
        case Needs::top: return !kernel.in_function && place.depth == 0;
    }
    return false;
}

}  // namespace

void write_statement(Kernel& kernel, Place& place) {
    kernel.statements_left -= 1;
    std::vector<const Construct*> possible;
    int sum = 0;
    for (const Construct& construct : kernel.constructs) {
        if (!is_possible(kernel, place, construct)) continue;
        possible.push_back(&construct);
        sum += construct.weight;
    }
    int drawn = kernel.random.between(0, sum - 1);
    for (const Construct* construct : possible) {
        drawn -= construct->weight;
        if (drawn >= 0) continue;
        const auto names_outside = std::exchange(kernel.own_names, {});
        construct->write(kernel, place);
        kernel.own_names = names_outside;
        return;
    }
}

void write_scope(Kernel& kernel, Place place, int count) {
    const Scope scope(kernel);
    kernel.body += "{\n";
    for (int i = 0; i < count; ++i) write_statement(kernel, place);
    kernel.body += "}\n";
}

}  // namespace coalesce::campaign
