// What the lanes of a warp do together. Everyone in the mask comes; what a lane gets from one that is
// not in the mask is thrown away.
#include "campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

constexpr const char* kEveryone = "0xffffffffu";

Type any_wide(Kernel& kernel) {
    return kernel.random.pick(
        {Type::u32, Type::u32, Type::i32, Type::u64, Type::i64, Type::f32, Type::f64});
}

struct Shuffle {
    const char* call;  ///< $1 mask, $2 value, $3 by, $4 width
    const char* from;  ///< the lane that is read; $3 by, $4 width
};
constexpr Shuffle kShuffles[] = {
    {"__shfl_sync($1, $2, (i32)($3), $4)", "(lane & ~($4 - 1u)) | ($3 & ($4 - 1u))"},
    {"__shfl_up_sync($1, $2, $3, $4)", "(lane & ($4 - 1u)) >= $3 ? lane - $3 : lane"},
    {"__shfl_down_sync($1, $2, $3, $4)", "(lane & ($4 - 1u)) + $3 < $4 ? lane + $3 : lane"},
    {"__shfl_xor_sync($1, $2, (i32)$3, $4)", "lane ^ $3"}};

void shuffle(Kernel& kernel, Place& place) {
    Random& random = kernel.random;
    const u32 which = random.below(std::size(kShuffles));
    const int width = random.pick({32, 32, 32, 16, 8, 4, 2});
    const Type type = any_wide(kernel);
    const std::string x = kernel.fresh("x"), got = kernel.fresh("got"), by = kernel.fresh("by");
    // Which lane is read may differ from lane to lane; how far up or down it is may not be too much.
    kernel.write("const $1 $2 = $3;", {name_of(type), x, value(kernel, type, Same::thread, 2)});
    if (which == 0)
        kernel.write("const u32 $1 = $u;", {by});
    else
        kernel.write("const u32 $1 = ($2) % $3;",
                     {by, value(kernel, Type::u32, Same::launch, 1), std::to_string(width) + "u"});
    const std::vector<std::string> words = {place.mask,   x, by, std::to_string(width), got,
                                            name_of(type)};
    kernel.write(fill("const $6 $5 = ", words) + fill(kShuffles[which].call, words) + ";");
    if (place.mask == kEveryone) return absorb(kernel, place, got, type);
    const std::string lane_read = kernel.fresh("from");
    kernel.write("const u32 $1 = $2;", {lane_read, fill(kShuffles[which].from, words)});
    absorb(kernel, place, fill("($1 >> $2 & 1 ? $3 : $4)", {place.mask, lane_read, got, x}), type);
}

/// From the first lane that is there to all.
void broadcast(Kernel& kernel, Place& place) {
    const Type type = any_wide(kernel);
    const std::string text = fill("__shfl_sync($1, $2, __ffs((i32)$1) - 1)",
                                  {place.mask, value(kernel, type, Same::thread, 2)});
    if (fits(place.flow, Same::warp) && kernel.random.percent(50))
        absorb(kernel, place, text, type, Same::warp);
    else
        absorb(kernel, place, text, type);
}

void vote(Kernel& kernel, Place& place) {
    const char* pattern =
        kernel.random.pick({"__ballot_sync($1, $2)", "(__all_sync($1, $2) ? 5u : 3u)",
                            "(__any_sync($1, $2) ? 9u : 2u)",
                            "(u32)__popc(__ballot_sync($1, $2) & ((1u << lane) - 1))",
                            "(__uni_sync($1, $2) ? 6u : 1u)"});
    // A vote is the same for the whole warp, except for the one that looks at the lane.
    const bool is_whole = std::string(pattern).find("lane") == std::string::npos;
    absorb(kernel, place, fill(pattern, {place.mask, condition(kernel, Same::thread, 2)}),
           Type::u32, is_whole && fits(place.flow, Same::warp) ? Same::warp : Same::thread);
}

void match(Kernel& kernel, Place& place) {
    const char* pattern = kernel.random.pick({"__match_any_sync($1, $u & 3)",
                                              "__match_any_sync($1, $U & 0x100000001ull)",
                                              "__match_any_sync($1, (u32)($i >> 30))"});
    if (kernel.random.percent(70)) {
        return absorb(kernel, place, expand(kernel, pattern, Same::thread, 1, {place.mask}));
    }
    const std::string equal = kernel.fresh("equal"), lanes = kernel.fresh("lanes");
    kernel.write(
        "int $1;\nconst u32 $2 = __match_all_sync($3, $4, &$1);",
        {equal, lanes, place.mask,
         "(u32)(" + value(kernel, Type::u32, kernel.random.pick({Same::warp, Same::thread}), 1) +
             ")"});
    absorb(kernel, place, fill("($1 ? $2 : 77u)", {equal, lanes}));
}

void reduce(Kernel& kernel, Place& place) {
    const bool is_signed_too = kernel.random.percent(40);
    const char* operation = is_signed_too
                                ? kernel.random.pick({"min", "max", "add"})
                                : kernel.random.pick({"add", "min", "max", "and", "or", "xor"});
    const Type type = is_signed_too ? Type::i32 : Type::u32;
    // The sum of 32 numbers stays within a signed one.
    std::string text = value(kernel, type, Same::thread, 2);
    if (is_signed_too) text = "(" + text + " >> 6)";
    absorb(kernel, place, fill("__reduce_$1_sync($2, $3)", {operation, place.mask, text}), type,
           fits(place.flow, Same::warp) ? Same::warp : Same::thread);
}

/// A sum over the warp in five steps, to all lanes or up to each lane.
void sum_in_steps(Kernel& kernel, Place& place) {
    if (place.mask != kEveryone) return reduce(kernel, place);
    const std::string sum = kernel.fresh("sum");
    const Type type = kernel.random.pick({Type::u32, Type::u64, Type::u32});
    kernel.write("$2 $1 = $3;", {sum, name_of(type), value(kernel, type, Same::thread, 2)});
    kernel.write(
        kernel.random.pick(
            {"for (u32 by = 16; by > 0; by /= 2) $1 += __shfl_xor_sync(0xffffffffu, $1, (i32)by);",
             "for (u32 by = 16; by > 0; by >>= 1) $1 ^= __shfl_down_sync(0xffffffffu, $1, by);",
             "for (u32 by = 1; by < 32; by *= 2) {\nconst $2 below = __shfl_up_sync(0xffffffffu, "
             "$1, by);\n"
             "if (lane >= by) $1 += below;\n}"}),
        {sum, name_of(type)});
    absorb(kernel, place, sum, type);
}

/// Lanes with the same key go on together.
void part_by_key(Kernel& kernel, Place& place) {
    const std::string peers = kernel.fresh("peers"), key = kernel.fresh("key");
    kernel.write("const u32 $2 = ($u) % 3;\nconst u32 $1 = __match_any_sync($3, $2);",
                 {peers, key, place.mask});
    Place body = place.scattered();
    body.mask = peers;
    const Scope scope(kernel);
    kernel.declare_constant(key, Type::u32, Same::thread);
    if (kernel.random.percent(50))
        kernel.write("if ($1 != $2)", {key, std::to_string(kernel.random.below(3)) + "u"});
    write_scope(kernel, body, kernel.random.between(1, 2));
}

/// One lane after the other.
void take_turns(Kernel& kernel, Place& place) {
    const std::string turn = kernel.fresh("turn");
    kernel.write("for (u32 $1 = 0; $1 < 32; $1 += 5) {\nif (lane >= $1 && lane < $1 + 5) {",
                 {turn});
    absorb(kernel, place.scattered(), expand(kernel, "$u + $1", Same::thread, 1, {turn}));
    kernel.write("}\n__syncwarp($1);\n}", {place.mask});
}

/// A task for each lane that has one, done by all lanes together.
void help_each_other(Kernel& kernel, Place& place) {
    const std::string left = kernel.fresh("left"), leader = kernel.fresh("leader"),
                      task = kernel.fresh("task"), mine = kernel.fresh("mine");
    kernel.write(
        "const u32 $4 = $u;\nfor (u32 $1 = __ballot_sync($5, ($u & 7) < 2); $1 != 0; $1 &= $1 - 1) "
        "{\n"
        "const i32 $2 = __ffs((i32)$1) - 1;\nconst u32 $3 = __shfl_sync($5, $4, $2);",
        {left, leader, task, mine, place.mask});
    const Scope scope(kernel);
    kernel.declare_constant(task, Type::u32, Same::thread);
    absorb(kernel, place,
           expand(kernel, "__reduce_add_sync($2, $1 ^ $u)", Same::thread, 1, {task, place.mask}));
    kernel.write("}");
}

/// Through shared memory of the warp's own, with no barrier of the block.
void exchange_within_warp(Kernel& kernel, Place& place) {
    const Type type = any_type(kernel);
    if (!kernel.take_shared(kernel.threads * bits_of(type) / 8)) return shuffle(kernel, place);
    const std::string slots = kernel.fresh("slots"), from = kernel.fresh("from"),
                      got = kernel.fresh("got");
    kernel.write("__shared__ $1 $2[$3];\n$2[tid] = $4;\n__syncwarp($5);",
                 {name_of(type), slots, std::to_string(kernel.threads),
                  value(kernel, type, Same::thread, 2), place.mask});
    kernel.write(
        "const u32 $1 = ($u + lane * $k) & 31;\nconst $2 $3 = $4[$5 >> $1 & 1 ? tid - lane + $1 : "
        "tid];\n__syncwarp($5);",
        {from, name_of(type), got, slots, place.mask});
    absorb(kernel, place, got, type);
}

}  // namespace

std::vector<Construct> warp_constructs() {
    return {{Needs::lanes, false, 8, shuffle},
            {Needs::lanes, false, 3, broadcast},
            {Needs::lanes, false, 6, vote},
            {Needs::lanes, false, 4, match},
            {Needs::lanes, false, 4, reduce},
            {Needs::lanes, false, 4, sum_in_steps},
            {Needs::lanes, true, 4, part_by_key},
            {Needs::lanes, false, 2, take_turns},
            {Needs::lanes, false, 3, help_each_other},
            {Needs::lanes, false, 4, exchange_within_warp}};
}

}  // namespace coalesce::campaign
