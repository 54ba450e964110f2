// Instructions that let the lanes of a warp read each other's registers: shfl, vote, match, redux,
// activemask, elect.
//
// Builds on  families.h. When the handler of a `.sync` instruction runs, all lanes in the
//            instruction's mask have arrived or exited, and Warp::active contains those that have
//            arrived.
// Watch      The destination may also be a source, so all values of other lanes are read before
//            anything is written.
#include <algorithm>
#include <array>

#include "simulator/execute/combining.h"
#include "simulator/execute/describe.h"
#include "simulator/execute/shuffled_values.h"
#include "simulator/execute/warp.h"

namespace coalesce::simulator {

namespace {

constexpr OperandRole kDestination32{Role::destination, Width::w32, Role::ignored, Width::none};
constexpr OperandRole kMembers{Role::v0, Width::w32, Role::ignored, Width::none};

constexpr OperandRole kDestinationAndPredicate{Role::destination, Width::w32, Role::destination2,
                                               Width::predicate};

/// Describes an instruction whose last operand, if it has `.sync`, is a mask of lanes that wait for
/// each other at the instruction.
Description describe_collective(const ptx::Instruction& i, Handler run,
                                std::vector<OperandRole> roles) {
    if (i.has("sync")) roles.push_back(kMembers);
    // The instruction affects the results of other lanes.
    return describe(i, {.run = run,
                        .operands = std::move(roles),
                        .is_warp_sync = i.has("sync"),
                        .has_side_effects = true});
}

// ---- shfl ----

enum class Shuffle : u8 { up, down, butterfly, index };

/// The lane from which `lane` reads, and whether the two lanes are in the same segment. Bits 0-4 of
/// `clamp` are the limit. Bits 8-12 are a mask of the bits of the lane index that select the
/// segment.
struct ShuffleSource {
    int lane;
    bool is_inside;
};
ShuffleSource shuffle_source(Shuffle mode, int lane, u32 distance, u32 clamp) {
    const int step = static_cast<int>(distance & 31);
    const int segment_mask = static_cast<int>(clamp >> 8 & 31);
    const int limit = static_cast<int>(clamp & 31);
    const int first_lane_of_segment = lane & segment_mask;
    const int last_lane = first_lane_of_segment | (limit & ~segment_mask);
    switch (mode) {
        case Shuffle::up: return {lane - step, lane - step >= last_lane};
        case Shuffle::down: return {lane + step, lane + step <= last_lane};
        case Shuffle::butterfly: return {lane ^ step, (lane ^ step) <= last_lane};
        case Shuffle::index: break;
    }
    const int source_lane = first_lane_of_segment | (step & ~segment_mask);
    return {source_lane, source_lane <= last_lane};
}

template <Shuffle Mode>
const Op* run_shuffle(Warp& w, const Op* op) {
    std::array<u32, kLanes> held_values;
    std::copy_n(w.lanes<u32>(op->a), kLanes, held_values.begin());
    const u32* distance = w.lanes<u32>(op->b);
    const u32* clamp = w.lanes<u32>(op->c);

    std::array<u32, kLanes> result{};
    std::array<int, kLanes> sources{};
    Mask inside_lanes = 0, outside_lanes = 0;
    for (const int lane : LaneRange{w.active}) {
        const ShuffleSource source = shuffle_source(Mode, lane, distance[lane], clamp[lane]);
        const int source_lane = source.is_inside ? source.lane : lane;
        // The value read from an inactive lane is undefined. Using zero makes the result the same
        // in every run.
        result[lane] = w.is_active(source_lane) ? held_values[source_lane] : 0;
        sources[lane] = source_lane;
        // check_mask() reports reads from lanes that have ended.
        const bool has_ended = w.existing_lanes >> source_lane & ~w.live_lanes >> source_lane & 1;
        outside_lanes |= static_cast<Mask>(!w.is_active(source_lane) && !has_ended) << lane;
        inside_lanes |= static_cast<Mask>(source.is_inside) << lane;
    }
    if (op->has_destination) w.write<u32>(op->d, [&](int l) { return result[l]; });
    w.write_predicate(op->d2, inside_lanes);
    note_shuffle(w, op, sources, outside_lanes);
    return op + 1;
}

// ---- vote ----

enum class Vote : u8 { all_voted_true, any, uniform, ballot };

template <Vote Question>
const Op* run_vote(Warp& w, const Op* op) {
    const Mask true_votes = w.predicate(op->a) & w.active;
    if constexpr (Question == Vote::ballot) {
        w.write<u32>(op->d, [=](int) { return true_votes; });
    } else {
        const bool all_voted_true = true_votes == w.active;
        const bool vote_result = Question == Vote::all_voted_true ? all_voted_true
                                 : Question == Vote::any          ? true_votes != 0
                                                         : all_voted_true || true_votes == 0;
        w.write_predicate(op->d, vote_result ? kAllLanes : 0);
    }
    return op + 1;
}

// ---- match ----

template <class T>
const Op* run_match_any(Warp& w, const Op* op) {
    std::array<T, kLanes> held_values;
    std::copy_n(w.lanes<T>(op->a), kLanes, held_values.begin());
    std::array<u32, kLanes> matching_lanes{};
    for (const int lane : LaneRange{w.active})
        matching_lanes[lane] = select_lanes(
            w.active, [&](int other_lane) { return held_values[other_lane] == held_values[lane]; });
    w.write<u32>(op->d, [&](int l) { return matching_lanes[l]; });
    return op + 1;
}

template <class T>
const Op* run_match_all(Warp& w, const Op* op) {
    const T* held_values = w.lanes<T>(op->a);
    const T first_value = held_values[w.first_active()];
    const bool are_all_equal =
        select_lanes(w.active, [&](int l) { return held_values[l] == first_value; }) == w.active;
    const Mask members = are_all_equal ? w.active : 0;
    w.write<u32>(op->d, [=](int) { return members; });
    w.write_predicate(op->d2, are_all_equal ? kAllLanes : 0);
    return op + 1;
}

// ---- redux ----

template <class Combine, class T>
const Op* run_reduce(Warp& w, const Op* op) {
    const u32* held_values = w.lanes<u32>(op->a);
    T reduced_value = static_cast<T>(held_values[w.first_active()]);
    for (const int l : LaneRange{w.active & (w.active - 1)})
        reduced_value = Combine::apply(reduced_value, static_cast<T>(held_values[l]));
    w.write<u32>(op->d, [=](int) { return static_cast<u32>(reduced_value); });
    return op + 1;
}

Handler reduce_handler(const ptx::Instruction& i) {
    const ptx::Type type = find_type(i);
    const bool is_signed = type == ptx::Type::s32;
    if (i.has("add")) return run_reduce<combining::Add, u32>;
    if (i.has("min"))
        return is_signed ? run_reduce<combining::Minimum, i32>
                         : run_reduce<combining::Minimum, u32>;
    if (i.has("max"))
        return is_signed ? run_reduce<combining::Maximum, i32>
                         : run_reduce<combining::Maximum, u32>;
    if (i.has("and")) return run_reduce<combining::And, u32>;
    if (i.has("or")) return run_reduce<combining::Or, u32>;
    if (i.has("xor")) return run_reduce<combining::Xor, u32>;
    return nullptr;
}

// ---- activemask, elect ----

const Op* run_active_mask(Warp& w, const Op* op) {
    const Mask active = w.active;
    w.write<u32>(op->d, [=](int) { return active; });
    return op + 1;
}

const Op* run_elect(Warp& w, const Op* op) {
    const u32 leader_lane = static_cast<u32>(w.first_active());
    if (op->has_destination) w.write<u32>(op->d, [=](int) { return leader_lane; });
    w.write_predicate(op->d2, 1u << leader_lane);
    return op + 1;
}

}  // namespace

// Describes shfl.sync.MODE.b32 d|p, a, distance, clamp, members. Without `.sync` there are no
// members.
Description describe_shuffle(const ptx::Instruction& i, const ptx::Function&) {
    if (find_type(i) != ptx::Type::b32) return std::nullopt;
    Handler run = nullptr;
    if (i.has("up")) run = run_shuffle<Shuffle::up>;
    if (i.has("down")) run = run_shuffle<Shuffle::down>;
    if (i.has("bfly")) run = run_shuffle<Shuffle::butterfly>;
    if (i.has("idx")) run = run_shuffle<Shuffle::index>;
    return describe_collective(i, run,
                               {kDestinationAndPredicate,
                                {Role::a, Width::w32},
                                {Role::b, Width::w32},
                                {Role::c, Width::w32}});
}

// Describes vote.sync.{all,any,uni}.pred p, {!}q, members and vote.sync.ballot.b32 d, {!}q,
// members.
Description describe_vote(const ptx::Instruction& i, const ptx::Function&) {
    if (i.operands.size() < 2) return std::nullopt;
    Handler run = nullptr;
    if (i.has("all")) run = run_vote<Vote::all_voted_true>;
    if (i.has("any")) run = run_vote<Vote::any>;
    if (i.has("uni")) run = run_vote<Vote::uniform>;
    if (i.has("ballot")) run = run_vote<Vote::ballot>;
    const Width vote_result = i.has("ballot") ? Width::w32 : Width::predicate;
    return describe_collective(i, run,
                               {{Role::destination, vote_result}, {Role::a, Width::predicate}});
}

// Describes match.any.sync.b32 d, a, members and match.all.sync.b32 d|p, a, members.
Description describe_match(const ptx::Instruction& i, const ptx::Function&) {
    const ptx::Type type = find_type(i);
    if (type != ptx::Type::b32 && type != ptx::Type::b64) return std::nullopt;
    const bool is_64_bit = type == ptx::Type::b64;
    Handler run = nullptr;
    if (i.has("any")) run = is_64_bit ? run_match_any<u64> : run_match_any<u32>;
    if (i.has("all")) run = is_64_bit ? run_match_all<u64> : run_match_all<u32>;
    return describe_collective(i, run, {kDestinationAndPredicate, {Role::a, lane_width(type)}});
}

// Describes redux.sync.OP.TYPE d, a, members, for 32-bit integers only.
Description describe_reduce(const ptx::Instruction& i, const ptx::Function&) {
    const ptx::Type type = find_type(i);
    if (ptx::size_of(type) != 4 || ptx::is_float(type)) return std::nullopt;
    return describe_collective(i, reduce_handler(i),
                               {{Role::destination, Width::w32}, {Role::a, Width::w32}});
}

// Describes activemask.b32 d.
Description describe_active_mask(const ptx::Instruction& i, const ptx::Function&) {
    // The side effect keeps activemask from being moved to code that more lanes execute.
    return describe(i, {.run = run_active_mask,
                        .operands = {{Role::destination, Width::w32}},
                        .has_side_effects = true});
}

// Describes elect.sync d|p, members.
Description describe_elect(const ptx::Instruction& i, const ptx::Function&) {
    if (i.operands.empty() || i.operands[0].elements.empty()) return std::nullopt;
    return describe_collective(i, run_elect, {kDestinationAndPredicate});
}

}  // namespace coalesce::simulator
