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
#include <utility>
// Long: a copy is checked, counted, kept and moved by one description of it.
#include "simulator/execute/access_listener.h"
#include "simulator/execute/async_copy.h"
#include "simulator/execute/cluster.h"
#include "simulator/execute/describe.h"
#include "simulator/execute/memory_access.h"
#include "simulator/memory/tensor_map.h"

namespace coalesce::simulator {

using ptx::StateSpace;

namespace {

constexpr u32 kBoxAlignment = 128;

/// 16 bytes of a copy, or all of st.async.
struct Piece {
    u64 global = 0;   ///< device address; 0: outside of the array
    u32 shared = 0;   ///< offset in the block's shared memory
    u32 inside = 16;  ///< of its bytes, those within the array; the others come after them
    u32 size = 16;
    u8* host = nullptr;
};

struct BulkCopy {
    const Op* op = nullptr;
    bool to_shared = false;
    bool from_shared = false;  ///< of the block that issued it
    Block* issuer = nullptr;
    Block* home = nullptr;  ///< whose shared memory it writes, or reads into global memory
    u32 warp = 0;           ///< of the issuer
    int lane = 0;
    u32 group = 0;     ///< groups that its thread had committed before (to global memory)
    u32 mbarrier = 0;  ///< offset of the one that is told (to shared memory)
    u32 bytes = 0;
    u32 race_ticket = 0, source_ticket = 0;
    u64 issued = 0;  ///< for the race check of global memory
    u32 fill = 0;    ///< what stands for 4 bytes outside of the array
    std::vector<Piece> pieces;
    std::vector<u8> values;  ///< of st.async, to which its piece points

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

void carry_out(const BulkCopy& copy) {
    for (const Piece& piece : copy.pieces) {
        u8* shared = copy.home->shared + piece.shared;
        if (!copy.to_shared) {
            if (!copy.home->launch->only_heard) std::memcpy(piece.host, shared, piece.inside);
            continue;
        }
        if (piece.host) std::memcpy(shared, piece.host, piece.inside);
        for (u32 at = piece.host ? piece.inside : 0; at < piece.size; ++at)
            shared[at] = static_cast<u8>(copy.fill >> at % 4 * 8);
    }
}

/// Counts a wait for the copies that report to this mbarrier, if there are any: see async_copy.h.
void count_wait(Block& block, u32 mbarrier) {
    for (const BulkCopy& copy : block.bulk_copies->pending) {
        if (!copy.to_shared || copy.mbarrier != mbarrier) continue;
        ++copy.issuer->warps[copy.warp].counters[copy.shared_site()].waits;
        return;
    }
}

void finish(Block& block, BulkCopy& copy) {
    carry_out(copy);
    block.watch->memory_changed();
    if (block.shared_race) {
        if (copy.from_shared) block.shared_race->bulk_end(copy.source_ticket, false, 0);
        block.shared_race->bulk_end(copy.race_ticket, copy.to_shared,
                                    shared_address(block, copy.mbarrier));
    }
    if (copy.to_shared) {
        if (GlobalRace* race = block.launch->global_race; race && copy.issuer == &block)
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

/// The bytes of shared memory that the copy takes must be those of its block.
bool find_shared(Issue& issue, u64 address, u64 bytes) {
    const Block& home = *issue.copy.home;
    const u64 within = offset_in_block(address);
    if (!home.has_ended && rank_in(address) == home.rank && within <= home.shared_bytes &&
        bytes <= home.shared_bytes - within)
        return true;
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
            if (!find_shared(issue, shared_address(*issue.copy.home, piece.shared), kPieceBytes))
                return false;
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

/// `again`: another destination of the same multicast.
void count(Issue& issue, bool again) {
    if (issue.copy.from_shared) {
        SiteCounters& remote = issue.w.counters[issue.copy.shared_site()];
        if (issue.copy.home == issue.w.block) return;
        ++remote.remote_requests;
        remote.remote_sectors += (issue.shared % 32 + issue.copy.bytes + 31) / 32;
        remote.remote_useful_bytes += issue.copy.bytes;
        return;
    }
    SiteCounters& counters = issue.w.counters[issue.copy.global_site()];
    counters.requests += !again;
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
        access.warp = race_warp(issue.w);
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
        const u32 address = shared_address(*issue.copy.home, piece.shared);
        const u32 undefined = issue.copy.to_shared
                                  ? memory.unwritten_bytes(piece.global, piece.inside)
                                  : race->unwritten_bytes(address, piece.inside);
        if (undefined == (1u << piece.inside) - 1) continue;
        if (issue.copy.to_shared)
            race->mark_unwritten({.active = 1, .addresses = &address}, &undefined);
        else
            memory.mark_bytes_unwritten(piece.global, undefined);
    }
}

/// Shows the race check what a copy reads in its own block.
void note_source(Issue& issue, u32 from) {
    SharedRace* race = issue.w.block->shared_race;
    if (!race) return;
    const OneLane source(issue, from, issue.copy.bytes);
    issue.copy.source_ticket = race->bulk_begin(source.access, false);
}

void note_copy(Issue& issue, bool again) {
    count(issue, again);
    if (!issue.copy.from_shared) note_global(issue);
    note_shared(issue);
    if (!issue.copy.from_shared) pass_on_undefined(issue);
    Block& block = *issue.copy.home;
    if (GlobalRace* race = block.launch->global_race; race && issue.copy.to_shared)
        issue.copy.issued = race->copy_issued(block.global_race);
    Block::BulkCopies& copies = copies_of(block);
    issue.copy.group = copies.committed[issue.w.index][issue.copy.lane];
    if (issue.copy.to_shared) block.copy_bytes_under_way += issue.copy.bytes;
    copies.pending.push_back(std::move(issue.copy));
}

bool find_mbarrier(Issue& issue) {
    const Block& block = *issue.copy.home;
    if (!is_multiple(issue, issue.mbarrier, 8, "the mbarrier's address")) return false;
    if (!find_shared(issue, issue.mbarrier, 8)) return false;
    issue.copy.mbarrier = offset_in_block(issue.mbarrier);
    if (!is_mbarrier(block, issue.copy.mbarrier))
        return issue.w.fail(
            issue.copy.op, Status::launch_failure, "synccheck", "mbarrier not initialised",
            "the mbarrier that this copy reports to was never initialised; let one thread "
            "initialise it, and fence, before the first copy",
            issue.copy.lane, issue.mbarrier);
    // The copy's thread must have seen that it was made.
    if (block.shared_race)
        block.shared_race->use_mbarrier(OneLane(issue, static_cast<u32>(issue.mbarrier), 8).access);
    return true;
}

// ---- handlers ----

/// In Op::detail: the copy is one to shared memory; it comes from there; Op::members has the ranks
/// that it goes to, a bit for each.
constexpr u8 kToShared = 8, kFromShared = 16, kMulticast = 32;

/// Op::a: in shared memory. Op::b: in global memory, or the map. Op::c: the mbarrier. Op::v[0] to
/// [3], Op::d2: coordinates, or in v[0] the size.
Issue begin(Warp& w, const Op* op, int lane) {
    const bool to_shared = op->detail & kToShared;
    Issue issue{.w = w,
                .copy = {.op = op,
                         .to_shared = to_shared,
                         .from_shared = (op->detail & kFromShared) != 0,
                         .issuer = w.block,
                         .home = w.block,
                         .warp = w.index,
                         .lane = lane,
                         .pieces = {},
                         .values = {}}};
    issue.shared = address_in_space(w.lanes<u64>(op->a)[lane]);
    if (to_shared) issue.mbarrier = address_in_space(w.lanes<u64>(op->c)[lane]);
    return issue;
}

/// What both kinds of copies do when they know how many bytes they take in shared memory. `cut` makes the pieces.
template <class Cut>
bool issue_one(Issue& issue, u64 bytes, Cut cut, bool again) {
    if (!find_shared(issue, issue.shared, bytes)) return false;
    issue.copy.bytes = static_cast<u32>(bytes);
    if (issue.copy.to_shared && !find_mbarrier(issue)) return false;
    if (!issue.w.heard_enough && !cut(issue, offset_in_block(issue.shared))) return false;
    note_copy(issue, again);
    return true;
}

/// The same to the block that the address belongs to, or to each of a multicast.
template <class Cut>
bool issue_copy(Issue& issue, u64 bytes, Cut cut) {
    Block& block = *issue.w.block;
    const Op* op = issue.copy.op;
    if (!(op->detail & kMulticast)) {
        if (Block* owner = owner_of(block, issue.shared); owner && issue.copy.to_shared)
            issue.copy.home = owner;
        return issue_one(issue, bytes, cut, false);
    }
    bool again = false;
    const u32 ranks = issue.w.lanes<u32>(op->members)[issue.copy.lane] & 0xffff;
    for (const int rank : LanesIn{ranks}) {
        const u64 at = static_cast<u64>(rank) * kWindowBytes;
        Issue each = issue;
        each.shared = at + offset_in_block(issue.shared);
        each.mbarrier = at + offset_in_block(issue.mbarrier);
        if (Block* owner = owner_of(block, at)) each.copy.home = owner;
        if (!issue_one(each, bytes, cut, std::exchange(again, true))) return false;
    }
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
                      [&](Issue& each, u32 shared) { return cut_box(each, *map, corner, shared); });
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
    return issue_copy(issue, bytes, [&](Issue& each, u32 shared) {
        return cut_run(each, global, shared, bytes);
    });
}

/// From this block's shared memory to that of any block of the cluster.
bool copy_between_blocks(Warp& w, const Op* op, int lane) {
    Issue issue = begin(w, op, lane);
    const u64 from = address_in_space(w.lanes<u64>(op->b)[lane]);
    const u32 bytes = w.lanes<u32>(op->v[0])[lane];
    if (!is_multiple(issue, bytes, kPieceBytes, "the size of a bulk copy") ||
        !is_multiple(issue, from, kPieceBytes, "the address that it reads") ||
        !is_multiple(issue, issue.shared, kPieceBytes, "the address that it writes"))
        return false;
    if (bytes == 0) return true;
    if (!find_shared(issue, from, bytes)) return false;
    return issue_copy(issue, bytes, [&](Issue& each, u32 shared) {
        for (u32 byte = 0; byte < bytes; byte += kPieceBytes)
            each.copy.pieces.push_back(
                {.shared = shared + byte, .host = w.block->shared + offset_in_block(from) + byte});
        note_source(each, static_cast<u32>(from));
        return true;
    });
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
Description describe_copy(const ptx::Instruction& i, bool to_shared, bool from_shared) {
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
    const bool multicast = i.has("multicast::cluster");
    if (multicast) roles.push_back({Role::members, Width::w32});
    const u8 detail = to_shared ? kToShared : 0;
    return describe(i, {.run = from_shared ? run_bulk<copy_between_blocks>
                               : is_box    ? run_bulk<copy_box>
                                           : run_bulk<copy_run>,
                        .operands = std::move(roles),
                        .memory = {{.space = from_shared ? StateSpace::shared : StateSpace::global,
                                    .load = to_shared,
                                    .store = !to_shared,
                                    .bytes_per_lane = kPieceBytes},
                                   {.space = StateSpace::shared,
                                    .load = !to_shared,
                                    .store = to_shared,
                                    .bytes_per_lane = kPieceBytes}},
                        .detail = static_cast<u8>(detail | (from_shared ? kFromShared : 0) |
                                                  (multicast ? kMulticast : 0)),
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
        Warp& warp = copy.issuer->warps[copy.warp];
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

void end_copies_from(Block& block) {
    for (Block* other : block.cluster->blocks) {
        if (other == &block || !other->bulk_copies) continue;
        for (const BulkCopy& copy : other->bulk_copies->pending) {
            Warp& warp = block.warps[copy.warp];
            if (copy.issuer != &block || !copy.from_shared || !warp.checks.sync) continue;
            reports().add(warp.describe(
                copy.op, "synccheck", "copy not waited for", copy.lane,
                "The block ends while this copy may still be reading its shared memory, which the "
                "next block gets.",
                "Let the block that the copy goes to wait for it, and then let both meet: "
                "cluster.sync()."));
        }
        finish_those(*other, [&](const BulkCopy& copy) {
            return copy.issuer == &block && copy.from_shared;
        });
    }
}

bool store_later(Warp& w, const Op* op, int lane, const AsyncStore& store) {
    Issue issue{.w = w,
                .copy = {.op = op,
                         .to_shared = true,
                         .issuer = w.block,
                         .home = w.block,
                         .warp = w.index,
                         .lane = lane,
                         .pieces = {},
                         .values = {store.value, store.value + store.bytes}}};
    issue.shared = store.address;
    issue.mbarrier = store.mbarrier;
    if (Block* owner = owner_of(*w.block, store.address)) issue.copy.home = owner;
    if (!is_multiple(issue, store.address, store.bytes, "the address that st.async writes") ||
        !find_shared(issue, store.address, store.bytes))
        return false;
    issue.copy.bytes = store.bytes;
    if (!find_mbarrier(issue)) return false;
    Block& home = *issue.copy.home;
    if (store.is_done) {
        // The value is there; the mbarrier hears of its bytes later.
        if (w.block->shared_race)
            w.block->shared_race->mbarrier_arrive(race_warp(w), static_cast<u32>(store.mbarrier));
    } else {
        issue.copy.pieces.push_back({.shared = offset_in_block(store.address),
                                     .inside = store.bytes,
                                     .size = store.bytes,
                                     .host = issue.copy.values.data()});
        if (w.block->shared_race) {
            OneLane access(issue, static_cast<u32>(store.address), store.bytes);
            access.access.site = op->site;
            issue.copy.race_ticket = w.block->shared_race->bulk_begin(access.access, true);
        }
    }
    if (GlobalRace* race = w.block->launch->global_race)
        race->cluster_arrive(w.block->global_race, w.index);
    home.copy_bytes_under_way += store.bytes;
    copies_of(home).pending.push_back(std::move(issue.copy));
    return true;
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
    // What changes bytes on the way is not here.
    for (const char* other : {"reduce", "im2col", "tile::gather4"})
        if (i.has(other)) return std::nullopt;
    const auto first = std::ranges::find_if(i.modifiers, [](const std::string& m) {
        return m == "global" || m == "shared::cta" || m == "shared::cluster";
    });
    if (first == i.modifiers.end() || first + 1 == i.modifiers.end()) return std::nullopt;
    const bool to_shared = *first != "global";
    const std::string& from = *(first + 1);
    const bool between_blocks = *first == "shared::cluster" && from == "shared::cta";
    if (to_shared ? from != "global" && !between_blocks : from != "shared::cta")
        return std::nullopt;
    if (between_blocks && i.has("tensor")) return std::nullopt;
    return describe_copy(i, to_shared, between_blocks);
}

}  // namespace coalesce::simulator
