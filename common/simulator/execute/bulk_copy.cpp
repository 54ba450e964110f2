// cp.async.bulk: copies of whole boxes of an array, or of a run of bytes, which one thread asks for
// and the hardware makes alone.
//
// Builds on  memory/tensor_map.h, async_copy.h.
// Idea       A copy is cut into pieces of 16 bytes when it is issued: that is the time at which
//            bounds, alignment and what was written are checked, and sectors counted. The bytes
//            move as late as the program allows: a copy to shared memory when somebody asks the
//            mbarrier that it reports to and all have arrived there, one to global memory when its
//            thread waits for its group. So who forgets to wait finds old bytes, as may happen on
//            hardware. Copies that report to one mbarrier complete one after the other: when the
//            bytes that were announced have come, its phase is over, whatever is still to come.
// Tensors    What of a box lies outside of the array is filled with zeros (or NaNs) on the way in,
//            and left out on the way back. The mbarrier is told all bytes of the box nevertheless.
// Counters   One request for each thread that issues a copy; its sectors are those that it touches
//            in global memory. It takes no wavefronts of shared memory's load and store unit. On
//            hardware these are smsp__sass_inst_executed_op_tma_{ld,st} and
//            l1tex__m_{xbar2l1tex_read,l1tex2xbar_write}_sectors_mem_global_op_tma_{ld,st}.
#include <algorithm>
#include <array>
#include <deque>
#include <unordered_set>
// Long: a copy is checked, counted, kept and moved by one description of it.
#include "execute/access_listener.h"
#include "execute/async_copy.h"
#include "execute/describe.h"
#include "execute/memory_access.h"
#include "memory/tensor_map.h"

namespace coalesce::sim {

using ptx::StateSpace;

namespace {

constexpr u32 kBoxAlignment = 128;

/// 16 bytes of a copy.
struct Piece {
    u64 global = 0;   ///< device address; 0: outside of the array
    u32 shared = 0;   ///< offset in the block's shared memory
    u32 inside = 16;  ///< of the 16 bytes, those within the array; the others come after them
    u8* host = nullptr;
};

struct BulkCopy {
    const Op* op = nullptr;
    bool to_shared = false;
    u32 warp = 0;
    int lane = 0;
    u32 group = 0;     ///< groups that its thread had committed before (to global memory)
    u32 mbarrier = 0;  ///< offset of the one that is told (to shared memory)
    u32 bytes = 0;
    u32 race_ticket = 0;
    u64 issued = 0;  ///< for the race check of global memory
    u32 fill = 0;    ///< what stands for 4 bytes outside of the array
    std::vector<Piece> pieces;

    u32 global_site() const { return op->site; }
    u32 shared_site() const { return op->site + 1; }
};

}  // namespace

struct Block::BulkCopies {
    std::deque<BulkCopy> pending;
    std::vector<std::array<u32, kLanes>> committed;  ///< groups, by warp and lane
};

namespace {

Block::BulkCopies& copies_of(Block& block) {
    if (!block.bulk_copies) {
        block.bulk_copies = std::make_shared<Block::BulkCopies>();
        block.bulk_copies->committed.resize(block.warps.size());
    }
    return *block.bulk_copies;
}

// ---- carrying out ----

void carry_out(Block& block, const BulkCopy& copy) {
    for (const Piece& piece : copy.pieces) {
        u8* shared = block.shared + piece.shared;
        if (!copy.to_shared) {
            if (!block.launch->only_heard) std::memcpy(piece.host, shared, piece.inside);
            continue;
        }
        if (piece.host) std::memcpy(shared, piece.host, piece.inside);
        for (u32 at = piece.host ? piece.inside : 0; at < kPieceBytes; ++at)
            shared[at] = static_cast<u8>(copy.fill >> at % 4 * 8);
    }
}

/// Counts a wait for the copies that report to this mbarrier, if there are any: see async_copy.h.
void count_wait(Block& block, u32 mbarrier) {
    for (const BulkCopy& copy : block.bulk_copies->pending) {
        if (!copy.to_shared || copy.mbarrier != mbarrier) continue;
        ++block.warps[copy.warp].counters[copy.shared_site()].waits;
        return;
    }
}

void finish(Block& block, BulkCopy& copy) {
    carry_out(block, copy);
    block.watch->memory_changed();
    if (block.shared_race)
        block.shared_race->bulk_end(copy.race_ticket, copy.to_shared, copy.mbarrier);
    if (copy.to_shared) {
        if (GlobalRace* race = block.launch->global_race)
            race->copy_complete(block.global_race, copy.mbarrier, copy.warp, copy.issued);
        complete_bytes(block, copy.mbarrier, copy.bytes);
        block.copy_bytes_under_way -= copy.bytes;
    }
    copy.bytes = 0;
}

/// Carries out and forgets the copies for which `is_due` holds: asked of each when those before it are
/// complete.
template <class F>
void finish_those(Block& block, F is_due) {
    auto& pending = block.bulk_copies->pending;
    for (BulkCopy& copy : pending)
        if (is_due(copy)) finish(block, copy);
    std::erase_if(pending, [](const BulkCopy& copy) { return copy.bytes == 0; });
}

// ---- issuing ----

/// One copy that is being issued: where it is, and its pieces so far.
struct Issue {
    Warp& w;
    BulkCopy copy;
    u64 shared = 0, mbarrier = 0;  ///< their addresses, as they were given
    bool is_defined = true;        ///< all that it reads in global memory was written

    bool fail(Status status, const char* kind, const std::string& message, u64 address) {
        return w.fail(copy.op, status, "memcheck", kind, message, copy.lane, address);
    }
};

bool is_multiple(Issue& issue, u64 value, u32 of, const char* what) {
    if (value % of == 0) return true;
    return issue.fail(Status::misaligned_address, "misaligned",
                      std::string(what) + " is not a multiple of " + std::to_string(of) + " bytes",
                      value);
}

/// Finds the piece in this process, if it is within an allocation. Memory that is not touched is nowhere.
bool find_global(Issue& issue, Piece& piece, const Allocation*& near) {
    if (issue.w.block->launch->only_heard) return true;
    const AllocationTable& table = *issue.w.block->launch->allocations;
    if (!near || !near->contains(piece.global, piece.inside)) near = table.find(piece.global);
    if (near && near->contains(piece.global, piece.inside)) {
        piece.host = reinterpret_cast<u8*>(piece.global + near->to_host);
        return true;
    }
    return bad_address(issue.w, issue.copy.op, piece.global, issue.copy.lane, piece.inside,
                       StateSpace::global, load_or_store(!issue.copy.to_shared));
}

/// The bytes of shared memory that the copy takes must be the block's.
bool find_shared(Issue& issue, u64 address, u64 bytes) {
    const Block& block = *issue.w.block;
    if (address <= block.shared_bytes && bytes <= block.shared_bytes - address) return true;
    return bad_address(issue.w, issue.copy.op, address, issue.copy.lane,
                       static_cast<u32>(std::min<u64>(bytes, ~u32{0})), StateSpace::shared,
                       load_or_store(issue.copy.to_shared));
}

/// The piece of a box that begins at element coordinates `at`: how much of it is inside the array?
void place_in_array(const TensorMap& map, const i64* at, Piece& piece) {
    piece.inside = 0;
    u64 address = map.address;
    for (u32 d = 0; d < map.rank; ++d) {
        if (at[d] < 0 || static_cast<u64>(at[d]) >= map.size[d]) return;
        address += static_cast<u64>(at[d]) * map.stride[d];
    }
    piece.global = address;
    const u64 left = (map.size[0] - static_cast<u64>(at[0])) * map.element_bytes;
    piece.inside = static_cast<u32>(std::min<u64>(kPieceBytes, left));
}

/// A box that is stored may end behind the array, but an H200 refuses one that begins before it. One
/// that is loaded may do both.
bool begins_inside(Issue& issue, const TensorMap& map, const i32* corner) {
    for (u32 d = 0; d < map.rank; ++d) {
        if (corner[d] >= 0) continue;
        return issue.fail(Status::illegal_instruction, "out of bounds",
                          "a box that is stored must not begin before the array; coordinate " +
                              std::to_string(d) + " is " + std::to_string(corner[d]),
                          map.address);
    }
    return true;
}

/// Cuts a box into pieces, the rows of the box one after the other.
bool cut_box(Issue& issue, const TensorMap& map, const i32* corner, u32 shared) {
    if (!issue.copy.to_shared && !begins_inside(issue, map, corner)) return false;
    if (static_cast<i64>(corner[0]) * map.element_bytes % kPieceBytes != 0)
        return issue.fail(Status::illegal_instruction, "misaligned",
                          "the innermost coordinate of a box must be at a multiple of 16 bytes; " +
                              std::to_string(corner[0]) + " elements are " +
                              std::to_string(i64{corner[0]} * map.element_bytes) + " bytes",
                          map.address);
    const u32 row_bytes = map.row_bytes();
    const Allocation* near = nullptr;
    // The box fits into shared memory: neither its rows nor its bytes are many.
    for (u32 row = 0, rows = static_cast<u32>(map.rows()); row < rows; ++row) {
        i64 at[kMostDimensions] = {corner[0]};
        for (u32 d = 1, rest = row; d < map.rank; rest /= map.box[d], ++d)
            at[d] = i64{corner[d]} + rest % map.box[d];
        for (u32 byte = 0; byte < row_bytes; byte += kPieceBytes) {
            at[0] = i64{corner[0]} + byte / map.element_bytes;
            Piece piece;
            // Of a box that fills no line of 128 bytes, a swizzle puts pieces behind its end.
            piece.shared = swizzled(map.swizzle, shared + row * row_bytes + byte);
            if (!find_shared(issue, piece.shared, kPieceBytes)) return false;
            place_in_array(map, at, piece);
            if (piece.inside && !find_global(issue, piece, near)) return false;
            if (piece.inside || issue.copy.to_shared) issue.copy.pieces.push_back(piece);
        }
    }
    return true;
}

bool cut_run(Issue& issue, u64 global, u32 shared, u32 bytes) {
    const Allocation* near = nullptr;
    for (u32 byte = 0; byte < bytes; byte += kPieceBytes) {
        Piece piece{.global = global + byte, .shared = shared + byte};
        if (!find_global(issue, piece, near)) return false;
        issue.copy.pieces.push_back(piece);
    }
    return true;
}

void count(Issue& issue) {
    SiteCounters& counters = issue.w.counters[issue.copy.global_site()];
    ++counters.requests;
    std::unordered_set<u64> sectors;
    for (const Piece& piece : issue.copy.pieces) {
        if (!piece.inside) continue;
        sectors.insert(piece.global / 32);
        counters.useful_bytes += piece.inside;
    }
    counters.sectors += sectors.size();
}

/// Shows the checks what the copy does in global memory. They know lanes that take 16 bytes each:
/// as many pieces at a time as the warp has threads.
void note_global(Issue& issue) {
    Warp& w = issue.w;
    Resolved where;
    const auto hand_over = [&](u32 bytes) {
        if (!where.in_global) return;
        tell_listener(w, issue.copy.op, where,
                      {.kind = load_or_store(!issue.copy.to_shared),
                       .bulk = true,
                       .asynchronous = true,
                       .bytes = bytes});
        issue.is_defined &= note_bulk(w, issue.copy.op, issue.copy.global_site(), where, bytes,
                                      issue.copy.to_shared);
        where.in_global = 0;
    };
    int next = 0;
    for (const Piece& piece : issue.copy.pieces) {
        if (!piece.inside) continue;
        if (piece.inside < kPieceBytes) {
            hand_over(kPieceBytes);
            where.address[issue.copy.lane] = piece.global;
            where.in_global = 1u << issue.copy.lane;
            hand_over(piece.inside);
            next = 0;
            continue;
        }
        where.address[next] = piece.global;
        where.in_global |= 1u << next++;
        if (next == kLanes || !(w.existing >> next & 1)) {
            hand_over(kPieceBytes);
            next = 0;
        }
    }
    hand_over(kPieceBytes);
}

/// What the issuing lane does to shared memory, as the checks want it.
struct OneLane {
    u32 addresses[kLanes] = {};
    SharedAccess access;

    OneLane(const Issue& issue, u32 address, u32 bytes) {
        addresses[issue.copy.lane] = address;
        access.warp = issue.w.index;
        access.site = issue.copy.shared_site();
        access.active = 1u << issue.copy.lane;
        access.addresses = addresses;
        access.bytes_per_lane = bytes;
    }
};

void note_shared(Issue& issue) {
    SharedRace* race = issue.w.block->shared_race;
    if (!race) return;
    const OneLane copy(issue, static_cast<u32>(issue.shared), issue.copy.bytes);
    issue.copy.race_ticket = race->bulk_begin(copy.access, issue.copy.to_shared);
}

/// What was not written where it comes from is not written where it goes to, unless that has just been
/// told.
void pass_on_undefined(Issue& issue) {
    Block& block = *issue.w.block;
    SharedRace* race = block.shared_race;
    if (!race || !issue.w.checks.init || (issue.copy.to_shared && issue.is_defined)) return;
    DeviceMemory& memory = *block.launch->memory;
    for (const Piece& piece : issue.copy.pieces) {
        if (!piece.inside || !memory.is_device_range(piece.global)) continue;
        const u32 undefined = issue.copy.to_shared
                                  ? memory.unwritten_bytes(piece.global, piece.inside)
                                  : race->unwritten_bytes(piece.shared, piece.inside);
        if (undefined == (1u << piece.inside) - 1) continue;
        if (issue.copy.to_shared)
            race->mark_unwritten({.active = 1, .addresses = &piece.shared}, &undefined);
        else
            memory.mark_bytes_unwritten(piece.global, undefined);
    }
}

void note_copy(Issue& issue) {
    count(issue);
    note_global(issue);
    note_shared(issue);
    pass_on_undefined(issue);
    Block& block = *issue.w.block;
    if (GlobalRace* race = block.launch->global_race; race && issue.copy.to_shared)
        issue.copy.issued = race->copy_issued(block.global_race);
    Block::BulkCopies& copies = copies_of(block);
    issue.copy.group = copies.committed[issue.w.index][issue.copy.lane];
    if (issue.copy.to_shared) issue.w.block->copy_bytes_under_way += issue.copy.bytes;
    copies.pending.push_back(std::move(issue.copy));
}

bool find_mbarrier(Issue& issue) {
    const Block& block = *issue.w.block;
    if (!is_multiple(issue, issue.mbarrier, 8, "the mbarrier's address")) return false;
    if (!find_shared(issue, issue.mbarrier, 8)) return false;
    issue.copy.mbarrier = static_cast<u32>(issue.mbarrier);
    if (!is_mbarrier(block, issue.copy.mbarrier))
        return issue.w.fail(
            issue.copy.op, Status::launch_failure, "synccheck", "mbarrier not initialised",
            "the mbarrier that this copy reports to was never initialised; let one thread "
            "initialise it, and fence, before the first copy",
            issue.copy.lane, issue.mbarrier);
    // The copy's thread must have seen that it was made.
    if (block.shared_race)
        block.shared_race->use_mbarrier(OneLane(issue, issue.copy.mbarrier, 8).access);
    return true;
}

// ---- handlers ----

/// In Op::detail: the copy is one to shared memory.
constexpr u8 kToShared = 8;

/// Op::a: in shared memory. Op::b: in global memory, or the map. Op::c: the mbarrier. Op::v[0] to
/// [3], Op::d2: coordinates, or in v[0] the size.
Issue begin(Warp& w, const Op* op, int lane) {
    const bool to_shared = op->detail & kToShared;
    Issue issue{
        .w = w,
        .copy = {.op = op, .to_shared = to_shared, .warp = w.index, .lane = lane, .pieces = {}}};
    issue.shared = address_in_space(w.lanes<u64>(op->a)[lane]);
    if (to_shared) issue.mbarrier = address_in_space(w.lanes<u64>(op->c)[lane]);
    return issue;
}

/// What both kinds of copies do when they know how many bytes they take in shared memory. `cut` makes the pieces.
template <class Cut>
bool issue_copy(Issue& issue, u64 bytes, Cut cut) {
    if (!find_shared(issue, issue.shared, bytes)) return false;
    issue.copy.bytes = static_cast<u32>(bytes);
    if (issue.copy.to_shared && !find_mbarrier(issue)) return false;
    if (!issue.w.heard_enough && !cut(static_cast<u32>(issue.shared))) return false;
    note_copy(issue);
    return true;
}

bool copy_box(Warp& w, const Op* op, int lane) {
    Issue issue = begin(w, op, lane);
    const u64 map_address = w.lanes<u64>(op->b)[lane];
    u8 bytes[kTensorMapBytes];
    std::optional<TensorMap> map;
    if (read_bytes(w, map_address, lane, kTensorMapBytes, bytes)) map = decode(bytes);
    if (!map)
        return issue.fail(
            Status::illegal_instruction, "no tensor map",
            "there is no tensor map at this address, or not all of its 128 bytes are as "
            "they were made; make one with cuTensorMapEncodeTiled, and pass it as a const "
            "__grid_constant__ parameter",
            map_address);
    if (map->rank != op->count)
        return issue.fail(Status::illegal_instruction, "no tensor map",
                          "the tensor map has " + std::to_string(map->rank) +
                              " dimensions and the instruction " + std::to_string(op->count),
                          map_address);
    issue.copy.fill = map->fills_with_nan ? ~0u : 0;
    if (!is_multiple(issue, issue.shared, kBoxAlignment, "a box's address in shared memory"))
        return false;
    const Slot slots[kMostDimensions] = {op->v[0], op->v[1], op->v[2], op->v[3], op->d2};
    i32 corner[kMostDimensions] = {};
    for (u32 d = 0; d < map->rank; ++d) corner[d] = static_cast<i32>(w.lanes<u32>(slots[d])[lane]);
    return issue_copy(issue, map->box_bytes(),
                      [&](u32 shared) { return cut_box(issue, *map, corner, shared); });
}

bool copy_run(Warp& w, const Op* op, int lane) {
    Issue issue = begin(w, op, lane);
    const u64 global = w.lanes<u64>(op->b)[lane];
    const u32 bytes = w.lanes<u32>(op->v[0])[lane];
    if (!is_multiple(issue, bytes, kPieceBytes, "the size of a bulk copy") ||
        !is_multiple(issue, global, kPieceBytes, "its address in global memory") ||
        !is_multiple(issue, issue.shared, kPieceBytes, "its address in shared memory"))
        return false;
    if (bytes == 0) return true;
    return issue_copy(issue, bytes,
                      [&](u32 shared) { return cut_run(issue, global, shared, bytes); });
}

template <bool (*Copy)(Warp&, const Op*, int)>
const Op* run_bulk(Warp& w, const Op* op) {
    for (const int l : LanesIn{w.active})
        if (!Copy(w, op, l)) return nullptr;
    w.block->watch->memory_changed();
    return op + 1;
}

const Op* run_bulk_commit(Warp& w, const Op* op) {
    Block::BulkCopies& copies = copies_of(*w.block);
    auto& committed = copies.committed[w.index];
    for (const int l : LanesIn{w.active}) ++committed[l];
    if (!copies.pending.empty()) w.block->watch->memory_changed();
    return op + 1;
}

/// `.read` waits only until shared memory has been read: the same time here.
const Op* run_wait(Warp& w, const Op* op) {
    const u32 left = static_cast<u32>(op->immediate);
    const auto& committed = copies_of(*w.block).committed[w.index];
    finish_those(*w.block, [&](const BulkCopy& copy) {
        return !copy.to_shared && copy.warp == w.index && w.is_active(copy.lane) &&
               u64{copy.group} + left < committed[copy.lane];
    });
    return op + 1;
}

// ---- descriptions ----

/// [shared], [map, {coordinates}], [mbarrier]   or   [map, {coordinates}], [shared]
/// [shared], [global], size, [mbarrier]   or   [global], [shared], size
Description describe_copy(const ptx::Instruction& i, bool to_shared) {
    const bool is_box = i.has("tensor");
    std::size_t rank = 0;
    if (is_box) {
        const std::size_t map_at = to_shared ? 1 : 0;
        if (i.operands.size() <= map_at || i.operands[map_at].elements.size() != 1)
            return std::nullopt;
        rank = i.operands[map_at].elements[0].elements.size();
        if (rank == 0 || rank > kMostDimensions || !i.has(std::to_string(rank) + "d"))
            return std::nullopt;
    }
    std::vector<OperandRole> roles = {
        {Role::address_a, Width::w64},
        is_box ? OperandRole{Role::tensor, Width::w32} : OperandRole{Role::address_b, Width::w64}};
    if (!to_shared) std::swap(roles[0], roles[1]);
    if (!is_box) roles.push_back({Role::v0, Width::w32});
    if (to_shared) roles.push_back({Role::address_c, Width::w64});
    return describe(i, {.run = is_box ? run_bulk<copy_box> : run_bulk<copy_run>,
                        .operands = std::move(roles),
                        .memory = {{.space = StateSpace::global,
                                    .load = to_shared,
                                    .store = !to_shared,
                                    .bytes_per_lane = kPieceBytes},
                                   {.space = StateSpace::shared,
                                    .load = !to_shared,
                                    .store = to_shared,
                                    .bytes_per_lane = kPieceBytes}},
                        .detail = to_shared ? kToShared : u8{0},
                        .count = static_cast<u8>(rank),
                        .has_side_effects = true});
}

}  // namespace

void complete_bulk_copies(Block& block, u32 mbarrier) {
    if (!block.bulk_copies || !waits_for_bytes(block, mbarrier)) return;
    count_wait(block, mbarrier);
    finish_those(block, [&](const BulkCopy& copy) {
        return copy.to_shared && copy.mbarrier == mbarrier && waits_for_bytes(block, mbarrier);
    });
}

u64 pending_bulk_bytes(const Block& block, u32 mbarrier) {
    u64 bytes = 0;
    if (!block.bulk_copies) return bytes;
    for (const BulkCopy& copy : block.bulk_copies->pending)
        if (copy.to_shared && copy.mbarrier == mbarrier) bytes += copy.bytes;
    return bytes;
}

/// The bytes that are left were announced for no phase, if one is over and none of them since.
void tell_not_announced(const Block& block, u32 mbarrier, Report& report) {
    const auto bytes = block.phase_bytes.find(mbarrier);
    if (bytes == block.phase_bytes.end() || bytes->second.announced_before == 0 ||
        bytes->second.announced > 0)
        return;
    const i64 before = bytes->second.announced_before;
    const i64 left = static_cast<i64>(pending_bulk_bytes(block, mbarrier));
    report.message += " Its mbarrier's phase was over when " + std::to_string(before) +
                      " bytes had come, as announced; " + std::to_string(left) +
                      " more were asked for, which no phase waits for.";
    report.cure = "Announce the bytes of all the copies that report to this mbarrier.";
}

void end_bulk_copies(Block& block) {
    if (!block.bulk_copies) return;
    for (const BulkCopy& copy : block.bulk_copies->pending) {
        Warp& warp = block.warps[copy.warp];
        if (!warp.checks.sync || block.launch->failed()) break;
        Report report = warp.describe(
            copy.op, "synccheck", "copy not waited for", copy.lane,
            std::string("The block ends while this copy may still be ") +
                (copy.to_shared ? "writing to" : "reading") +
                " its shared memory, which the next block gets.",
            copy.to_shared ? "Wait at the mbarrier that the copy reports to."
                           : "Commit the copy, and wait with cp.async.bulk.wait_group "
                             "(.read is enough) before the thread ends.");
        if (copy.to_shared) tell_not_announced(block, copy.mbarrier, report);
        reports().add(report);
    }
    finish_those(block, [](const BulkCopy&) { return true; });
}

// cp.async.bulk{.tensor.Nd}.shared::cluster.global.mbarrier::complete_tx::bytes, and back:
// ....global.shared::cta.bulk_group; cp.async.bulk.commit_group; cp.async.bulk.wait_group{.read} N;
// cp.async.bulk.prefetch...: nothing to do
Description describe_bulk_copy(const ptx::Instruction& i) {
    if (i.has("prefetch")) return describe_hint(i, {});
    if (i.has("commit_group"))
        return describe(i, {.run = run_bulk_commit, .has_side_effects = true});
    if (i.has("wait_group"))
        return describe(
            i, {.run = run_wait, .operands = {{Role::constant}}, .has_side_effects = true});
    // What needs more than one block, or changes bytes on the way, is not here.
    for (const char* other : {"reduce", "multicast::cluster", "im2col", "tile::gather4"})
        if (i.has(other)) return std::nullopt;
    const auto first = std::ranges::find_if(i.modifiers, [](const std::string& m) {
        return m == "global" || m == "shared::cta" || m == "shared::cluster";
    });
    if (first == i.modifiers.end() || first + 1 == i.modifiers.end()) return std::nullopt;
    const bool to_shared = *first != "global";
    if (to_shared ? *(first + 1) != "global" : *(first + 1) != "shared::cta") return std::nullopt;
    return describe_copy(i, to_shared);
}

}  // namespace coalesce::sim
