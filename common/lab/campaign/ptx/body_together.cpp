// Generates operations that involve several threads: exchanges between the lanes of a warp,
// barriers, exchanges of tiles.
#include "lab/campaign/ptx/body.h"

namespace coalesce::campaign {

std::string PtxBody::lane_mask(const ThreadSet& where) {
    return where.whole_warp ? "0xffffffff" : name_of(*where.members);
}

// ---- lanes ----

/// Emits a shuffle that reads only from participating lanes, or whose result is discarded.
void PtxBody::shuffle(const ThreadSet& where) {
    const std::string members = lane_mask(where);
    const std::string mode = random_.pick({"up", "down", "bfly", "idx"});
    const Reg value = pick_register(RegisterKind::word);
    const Reg from = text_.make(RegisterKind::word), got = text_.make(RegisterKind::word);
    const u32 segment = random_.pick({0u, 0u, 16u, 24u, 28u, 30u});
    const u32 clamp = segment << 8 | (mode == "up" ? 0 : 31);
    const Reg distance = emit_to_new_register(
        RegisterKind::word, "and.b32 $, $, 31",
        {random_.percent(60) ? pick_uniform_register() : pick_register(RegisterKind::word)});
    const Reg lane = emit_to_new_register(RegisterKind::word, "mov.u32 $, %laneid");
    // Compute the source lane. A lane whose source lies outside the segment reads its own value.
    const Reg inside = make_register(RegisterKind::predicate);
    emit("shfl.sync.$.b32 $|$, $, $, $, $", {mode, got, inside, value, distance, clamp, members});
    if (mode == "up") emit("sub.s32 $, $, $", {from, lane, distance});
    if (mode == "down") emit("add.s32 $, $, $", {from, lane, distance});
    if (mode == "bfly") emit("xor.b32 $, $, $", {from, lane, distance});
    if (mode == "idx") {
        const Reg high =
            emit_to_new_register(RegisterKind::word, "and.b32 $, $, $", {lane, segment});
        const Reg low =
            emit_to_new_register(RegisterKind::word, "and.b32 $, $, $", {distance, 31 & ~segment});
        emit("or.b32 $, $, $", {from, high, low});
    }
    const Reg source =
        emit_to_new_register(RegisterKind::word, "selp.b32 $, $, $, $", {from, lane, inside});
    const Reg always =
        emit_to_new_register(RegisterKind::predicate, "setp.eq.s32 $, $, $", {lane, lane});
    const Reg ballot =
        emit_to_new_register(RegisterKind::word, "vote.sync.ballot.b32 $, $, $", {always, members});
    const Reg bit = emit_to_new_register(RegisterKind::word, "shr.u32 $, $, $", {ballot, source});
    emit("and.b32 $, $, 1", {bit, bit});
    const Reg is_there =
        emit_to_new_register(RegisterKind::predicate, "setp.ne.s32 $, $, 0", {bit});
    emit("selp.b32 $, $, $, $", {pick_destination(RegisterKind::word), got, value, is_there});
}

void PtxBody::emit_match(const std::string& members) {
    const bool wide = random_.percent(40);
    const Reg few =
        emit_to_new_register(RegisterKind::word, "and.b32 $, $, $",
                             {pick_register(RegisterKind::word), random_.pick({0u, 3u, 7u})});
    const Reg wider = emit_to_new_register(RegisterKind::wide, "cvt.u64.u32 $, $", {few});
    const Reg value = wide ? wider : few;
    const char* const type = wide ? "b64" : "b32";
    if (random_.percent(50))
        emit("match.any.sync.$ $, $, $",
             {type, pick_destination(RegisterKind::word), value, members});
    else if (random_.percent(60))
        emit("match.all.sync.$ $|$, $, $",
             {type, pick_destination(RegisterKind::word), pick_destination(RegisterKind::predicate),
              value, members});
    else
        emit("match.all.sync.$ $, $, $",
             {type, pick_destination(RegisterKind::word), value, members});
}

void PtxBody::exchange_between_lanes(const ThreadSet& where) {
    const std::string members = lane_mask(where);
    switch (random_.below(14)) {
        case 0:
        case 1:
        case 2: return shuffle(where);
        case 3:
        case 4: {
            const std::string p = maybe_negated();
            return emit("vote.sync.$.pred $, $, $",
                        {random_.pick({"all", "any", "uni"}),
                         pick_destination(RegisterKind::predicate), p, members});
        }
        case 5: {
            const std::string p = maybe_negated();
            return emit("vote.sync.ballot.b32 $, $, $",
                        {pick_destination(RegisterKind::word), p, members});
        }
        case 6: return emit_match(members);
        case 7:
        case 8: {
            const Reg value = pick_register(RegisterKind::word);
            return emit("redux.sync.$ $, $, $",
                        {random_.pick({"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
                                       "max.s32", "and.b32", "or.b32", "xor.b32"}),
                         pick_destination(RegisterKind::word), value, members});
        }
        case 9:
            return emit("elect.sync $|$, $",
                        {random_.percent(60) ? name_of(pick_destination(RegisterKind::word)) : "_",
                         pick_destination(RegisterKind::predicate), members});
        case 10: return emit("bar.warp.sync $", {members});
        case 11:
        case 12: return emit_matrix_instructions(where);
        default: {  // the usual sum over a warp
            Reg sum = pick_register(RegisterKind::word);
            if (!where.whole_warp || env_.launch.threads() % 32) return;
            for (u32 step = 16; step > 0; step /= 2) {
                const Reg next = make_register(RegisterKind::word);
                const Reg other = emit_to_new_register(
                    RegisterKind::word, "shfl.sync.bfly.b32 $, $, $, 31, $", {sum, step, members});
                emit("add.s32 $, $, $", {next, sum, other});
                sum = next;
            }
        }
    }
}

// ---- matrices ----

/// Returns a list of registers such as {%r1, %r2}.
std::string PtxBody::register_list(RegisterKind kind, u32 count, bool written) {
    std::string list;
    for (u32 k = 0; k < count; ++k)
        list += (k ? ", " : "{") + name_of(written ? make_register(kind) : pick_register(kind));
    return list + "}";
}

/// Emits matrix instructions, which all lanes of a warp execute together. Each thread has its own
/// row in shared memory.
void PtxBody::emit_matrix_instructions(const ThreadSet& where) {
    if (!where.whole_warp || env_.launch.threads() % 32) return;
    const Features& has = env_.features;
    const bool has_rows = has.own_shared && !has.mbarriers && !has.async_copies && env_.own_shared;
    if (has_rows && random_.percent(50)) {
        const u32 count = random_.pick({1u, 2u, 4u});
        const std::string how = ".sync.aligned.m8n8.x" + number(count) +
                                (random_.percent(50) ? ".trans" : "") + ".shared.b16 ",
                          row = "[" + name_of(*env_.own_shared) + "]";
        emit("bar.warp.sync 0xffffffff");
        if (random_.percent(50))
            emit("ldmatrix$$, $", {how, register_list(RegisterKind::word, count, true), row});
        else
            emit("stmatrix$$, $", {how, row, register_list(RegisterKind::word, count, false)});
        emit("bar.warp.sync 0xffffffff");
        return;
    }
    struct Product {
        const char* text;
        u32 d, a, b;
        bool is_exact;
    };
    const Product product = random_.pick<Product>({
        {"m16n8k32.row.col.s32.s8.u8.s32 ", 4, 4, 2, true},
        {"m8n8k16.row.col.satfinite.s32.s8.s8.s32 ", 2, 1, 1, true},
        {"m16n8k64.row.col.s32.u4.s4.s32 ", 4, 4, 2, true},
        {"m16n8k256.row.col.s32.b1.b1.s32.and.popc ", 4, 4, 2, true},
        {"m16n8k16.row.col.f32.f16.f16.f32 ", 4, 4, 2, false},
        {"m16n8k8.row.col.f16.f16.f16.f16 ", 2, 2, 1, false},
        {"m16n8k8.row.col.f32.tf32.tf32.f32 ", 4, 4, 2, false},
    });
    if (has.is_portable && !product.is_exact) return;
    if (random_.percent(20)) {
        const Reg from = pick_register(RegisterKind::word);
        emit("movmatrix.sync.aligned.m8n8.trans.b16 $, $",
             {pick_destination(RegisterKind::word), from});
    }
    const std::string a = register_list(RegisterKind::word, product.a, false),
                      b = register_list(RegisterKind::word, product.b, false),
                      c = register_list(RegisterKind::word, product.d, false),
                      d = register_list(RegisterKind::word, product.d, true);
    emit("mma.sync.aligned.$$, $, $, $", {product.text, d, a, b, c});
}

// ---- barriers ----

/// Emits a barrier for all threads of the block.
void PtxBody::barrier() {
    const bool whole_warps = env_.launch.threads() % 32 == 0;
    if (env_.features.is_portable || random_.percent(20)) emit("bar.warp.sync 0xffffffff");
    if (!env_.features.odd_barriers || random_.percent(40)) {
        return emit(random_.pick({"bar.sync 0", "bar.sync 0", "barrier.sync 0"}));
    }
    const std::string p = maybe_negated();
    switch (random_.below(6)) {
        case 0: return emit("bar.red.popc.u32 $, 0, $", {pick_destination(RegisterKind::word), p});
        case 1:
            return emit("bar.red.and.pred $, 0, $", {pick_destination(RegisterKind::predicate), p});
        case 2:
            return emit("barrier.red.or.pred $, 0, $",
                        {pick_destination(RegisterKind::predicate), p});
        case 3: return emit("barrier.sync $", {random_.below(8)});
        case 4: return env_.features.cluster > 1 ? emit("bar.sync 0") : cluster_barrier();
        default:
            emit("bar.sync $$",
                 {random_.between(1, 7), whole_warps ? ", " + number(env_.launch.threads()) : ""});
    }
}

/// Returns a register that holds a permutation of the block's thread indices: every thread gets a
/// different index.
Reg PtxBody::permuted_thread() {
    const u32 threads = env_.launch.threads();
    const bool power = (threads & (threads - 1)) == 0;
    const Reg thread = env_.thread;
    const u32 how = random_.below(6);
    if (how == 0)
        return emit_to_new_register(RegisterKind::word, "sub.s32 $, $, $", {threads - 1, thread});
    if (how == 1 && power)
        return emit_to_new_register(RegisterKind::word, "xor.b32 $, $, $",
                                    {thread, random_.below(threads)});
    if (how == 2 && power) {
        const u32 factor = 2 * random_.below(50) + 1;
        const Reg product =
            emit_to_new_register(RegisterKind::word, "mul.lo.s32 $, $, $", {thread, factor});
        return emit_to_new_register(RegisterKind::word, "and.b32 $, $, $", {product, threads - 1});
    }
    if (how < 4) return emit_to_new_register(RegisterKind::word, "mov.u32 $, $", {thread});
    // Rotate the indices by a different distance in every block.
    const Reg distance =
        emit_to_new_register(RegisterKind::word, "and.b32 $, $, 1023",
                             {random_.percent(60) ? env_.block : pick_uniform_register()});
    const Reg moved =
        emit_to_new_register(RegisterKind::word, "add.s32 $, $, $", {thread, distance});
    return emit_to_new_register(RegisterKind::word, "rem.u32 $, $, $", {moved, threads});
}

/// Generates an exchange in which each thread writes one element of the tile. After a barrier,
/// every thread may read the whole tile.
void PtxBody::emit_tile_exchange(const ThreadSet& where) {
    const bool fills_by_copy = env_.features.async_copies && random_.percent(30);
    const u32 size =
        fills_by_copy ? random_.pick({4u, 8u, 16u}) : random_.pick({1u, 2u, 4u, 4u, 8u, 16u});
    // A barrier must precede every write except the first.
    if (where.depth > 0 || tile_was_touched_ || random_.percent(30)) barrier();
    tile_was_touched_ = true;
    const Reg place = random_.percent(50) ? env_.thread : permuted_thread();
    const Reg offset = scaled(place, size);
    const std::string address = "[" + name_of(array_element("tile", offset)) + "]";
    if (fills_by_copy) {
        const Reg from = indexed_address(*env_.in, index_below(2048 / size), size);
        emit("cp.async.ca.shared.global $, [$], $", {address, from, size});
        if (random_.percent(50)) {
            emit("cp.async.commit_group");
            emit("cp.async.wait_group 0");
        } else {
            emit("cp.async.wait_all");
        }
    } else if (size == 1) {
        const RegisterKind kind = random_.pick({RegisterKind::half, RegisterKind::word});
        emit("st.shared.u8 $, $",
             {address, pick_register(env_.features.is_portable ? RegisterKind::word : kind)});
    } else if (size == 2) {
        emit("st.shared.b16 $, $", {address, pick_register(RegisterKind::half)});
    } else if (size == 4) {
        emit("st.shared.b32 $, $", {address, pick_register(RegisterKind::word)});
    } else if (size == 8) {
        if (random_.percent(50))
            emit("st.shared.b64 $, $", {address, pick_register(RegisterKind::wide)});
        else
            emit("st.shared.v2.b32 $, $", {address, register_list(RegisterKind::word, 2, false)});
    } else if (random_.percent(50)) {
        emit("st.shared.v2.b64 $, $", {address, register_list(RegisterKind::wide, 2, false)});
    } else {
        emit("st.shared.v4.b32 $, $", {address, register_list(RegisterKind::word, 4, false)});
    }
    barrier();
    available_registers.tile_bytes =
        std::max(available_registers.tile_bytes, size * env_.launch.threads());
    for (u32 k = random_.between(1, 3); k > 0; --k) read_tile();
    fold(pick_register(RegisterKind::word));
}

void PtxBody::cluster_barrier() {
    emit(random_.pick({"barrier.cluster.arrive", "barrier.cluster.arrive.release"}));
    emit(random_.pick({"barrier.cluster.wait", "barrier.cluster.wait.acquire"}));
}

/// Returns a register that holds the generic or shared address corresponding to `own` in another
/// block of the cluster.
Reg PtxBody::address_in_other_block(Reg own, Reg other, bool generic) {
    if (!generic)
        return emit_to_new_register(RegisterKind::word, "mapa.shared::cluster.u32 $, $, $",
                                    {own, other});
    const Reg wide = emit_to_new_register(RegisterKind::wide, "cvt.u64.u32 $, $", {own});
    const Reg available_registers =
        emit_to_new_register(RegisterKind::wide, "cvta.shared.u64 $, $", {wide});
    return emit_to_new_register(RegisterKind::wide, "mapa.u64 $, $, $",
                                {available_registers, other});
}

/// Generates an exchange between the blocks of a cluster: each block loads from, stores to or adds
/// to another block's shared memory.
void PtxBody::cluster_exchange() {
    const Reg base = emit_to_new_register(RegisterKind::word, "mov.u32 $, handed");
    const Reg to =
        emit_to_new_register(RegisterKind::word, "mad.lo.s32 $, $, 4, $", {env_.thread, base});
    emit("st.shared.b32 [$], $", {to, pick_register(RegisterKind::word)});
    cluster_barrier();
    const u32 what = random_.below(4);
    const Reg rank = emit_to_new_register(RegisterKind::word, "mov.u32 $, %cluster_ctarank");
    // A word that is stored to must have exactly one writer, so each thread stores to the word of
    // the thread with the same index in another block. For each index, the distance between the
    // ranks of the two blocks is fixed.
    const bool by_thread = what == 2 || random_.percent(50);
    const Reg sum = emit_to_new_register(RegisterKind::word, "add.u32 $, $, $",
                                         {rank, by_thread ? env_.thread : pick_uniform_register()});
    const Reg other =
        emit_to_new_register(RegisterKind::word, "rem.u32 $, $, $", {sum, env_.features.cluster});
    const Reg place = what == 2 ? env_.thread : permuted_thread();
    const Reg own =
        emit_to_new_register(RegisterKind::word, "mad.lo.s32 $, $, 4, $", {place, base});
    const bool generic = random_.percent(40);
    const Reg there = address_in_other_block(own, other, generic);
    const std::string space = generic ? "" : ".shared::cluster";
    if (what < 2) emit("ld$.b32 $, [$]", {space, pick_destination(RegisterKind::word), there});
    if (what == 2) emit("st$.b32 [$], $", {space, there, pick_register(RegisterKind::word)});
    if (what == 3)
        emit(
            "red$.$ [$], $",
            {space, random_.pick({"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"}),
             there, pick_register(RegisterKind::word)});
    if (!generic && random_.percent(50))
        emit("getctarank.shared::cluster.u32 $, $", {pick_destination(RegisterKind::word), there});
    cluster_barrier();
    if (what >= 2) emit("ld.shared.b32 $, [$]", {pick_destination(RegisterKind::word), to});
}

/// Generates an exchange through global memory: each thread writes to its own 16 bytes of scratch
/// memory, which other threads of its block read.
void PtxBody::global_exchange() {
    barrier();
    const u32 word = 48 + 4 * random_.below(4);
    emit("st.global.b32 [$+$], $", {*env_.scratch, word, pick_register(RegisterKind::word)});
    barrier();
    const Reg place = permuted_thread();
    const Reg address = indexed_address(*env_.scratch_block, place, kScratchBytes);
    emit("ld.global.b32 $, [$+$]", {pick_destination(RegisterKind::word), address, word});
    barrier();
}

/// Generates a named barrier. Some warps write and continue. The other warps wait for these writes,
/// and then read.
void PtxBody::named_barriers() {
    const u32 threads = env_.launch.threads();
    if (threads % 32 || threads < 64) return;
    barrier();
    tile_was_touched_ = true;
    const u32 writers = 32 * random_.between(1, threads / 32 - 1);
    // Use a barrier ID that barrier() does not use. A warp that only arrives might reach the next
    // barrier() before the named barrier is complete.
    const std::string id = number(random_.between(8, 15));
    const Reg value = pick_register(RegisterKind::word), d = pick_destination(RegisterKind::word);
    const Reg base = emit_to_new_register(RegisterKind::word, "mov.u32 $, tile");
    const Reg p = emit_to_new_register(RegisterKind::predicate, "setp.lt.u32 $, $, $",
                                       {env_.thread, writers});
    const int write = text_.new_block(), read = text_.new_block(), after = text_.new_block();
    text_.branch(p, false, write, read);
    text_.begin(write);
    const Reg sum =
        emit_to_new_register(RegisterKind::word, "mad.lo.s32 $, $, 4, $", {env_.thread, base});
    emit("st.shared.b32 [$], $", {sum, value});
    emit("mov.b32 $, $", {d, value});
    const bool subset = random_.percent(30);
    if (subset) {  // the writers synchronize only with each other
        emit("bar.sync $, $", {id, writers});
        emit("ld.shared.b32 $, [$+$]", {d, base, 4 * random_.below(writers)});
    } else {
        emit("$$, $", {random_.percent(50) ? "bar.arrive " : "barrier.arrive ", id, threads});
    }
    text_.jump(after);
    text_.begin(read);
    if (subset) {
        emit("mov.b32 $, 5", {d});
    } else {
        emit("bar.sync $, $", {id, threads});
        emit("ld.shared.b32 $, [$+$]", {d, base, 4 * random_.below(writers)});
    }
    text_.jump(after);
    text_.begin(after);
    available_registers.tile_bytes = std::max(available_registers.tile_bytes, 4 * writers);
    barrier();
}

/// Emits a load of one of the block's sums, to which all threads have added values.
void PtxBody::read_shared_sums() {
    barrier();
    const Reg offset = scaled(index_below(32), 4);
    const Reg sum = array_element("sums_here", offset), d = make_register(RegisterKind::word);
    emit("ld.shared.b32 $, [$]", {d, sum});
    fold(d);
    barrier();
}

// ---- asynchronous copies and mbarriers ----

/// Emits an asynchronous copy into the thread's own 16 bytes of shared memory.
void PtxBody::async_copy() {
    const u32 size = random_.pick({4u, 8u, 16u});
    const Reg from = indexed_address(*env_.in, index_below(2048 / 16), 16);
    std::string rest = ", " + number(size);
    std::string how = size == 16 && random_.percent(50) ? "cg" : "ca";
    const u32 tail = random_.below(4);
    if (tail == 0) {
        const Reg bytes = emit_to_new_register(RegisterKind::word, "and.b32 $, $, $",
                                               {pick_register(RegisterKind::word), size - 1});
        rest += ", " + name_of(bytes);
    }
    if (tail == 1) rest += ", " + name_of(pick_register(RegisterKind::predicate));
    if (random_.percent(20)) how += ".L2::128B";
    const std::string guarded = random_.percent(20) ? random_guard() : "";
    emit("$cp.async.$.shared.global [$], [$]$", {guarded, how, *env_.own_shared, from, rest});
    switch (random_.below(3)) {
        case 0:
            emit("cp.async.commit_group");
            emit("cp.async.wait_group 0");
            break;
        case 1:
            emit("cp.async.commit_group");
            emit("cp.async.commit_group");
            emit("cp.async.wait_group 1");
            break;
        default: emit("cp.async.wait_all");
    }
    emit("ld.shared.b32 $, [$]", {pick_destination(RegisterKind::word), *env_.own_shared});
}

/// Generates the use of an mbarrier in the thread's own slot of shared memory, from its
/// initialization to its invalidation.
void PtxBody::emit_own_mbarrier() {
    const std::string at = "[" + name_of(*env_.own_shared) + "]";
    const u32 count = random_.between(1, 3);
    const std::string state = name_of(text_.make(RegisterKind::wide));
    emit("mbarrier.init.shared.b64 $, $", {at, count});
    for (u32 k = 0; k < count; ++k) {
        const u32 how = random_.below(5);
        if (how == 0) {
            emit("mbarrier.arrive.expect_tx.shared.b64 $, $, 16", {state, at});
            emit("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 $, 16", {at});
        } else if (how == 1) {
            emit("mbarrier.expect_tx.relaxed.cta.shared.b64 $, 8", {at});
            emit("mbarrier.complete_tx.shared::cta.relaxed.cta.b64 $, 8", {at});
            emit("mbarrier.arrive.shared.b64 $, $", {state, at});
        } else if (how == 2) {
            emit("mbarrier.arrive_drop.shared.b64 $, $", {state, at});
        } else if (how == 3) {
            emit("mbarrier.arrive.release.cta.shared::cta.b64 $, $, 1", {state, at});
        } else {
            emit("mbarrier.arrive.shared.b64 $, $", {state, at});
        }
    }
    emit("mbarrier.pending_count.b64 $, $", {pick_destination(RegisterKind::word), state});
    const std::string p = name_of(pick_destination(RegisterKind::predicate));
    switch (random_.below(4)) {
        case 0: emit("mbarrier.test_wait.shared.b64 $, $, $", {p, at, state}); break;
        case 1: emit("mbarrier.test_wait.parity.shared.b64 $, $, 0", {p, at}); break;
        case 2: emit("mbarrier.try_wait.shared.b64 $, $, $", {p, at, state}); break;
        default: emit("mbarrier.try_wait.parity.acquire.cta.shared.b64 $, $, 0", {p, at});
    }
    emit("mbarrier.inval.shared.b64 $", {at});
    emit("st.shared.v2.b64 $, {$, $}",
         {at, pick_register(RegisterKind::wide), pick_register(RegisterKind::wide)});
}

/// Emits an mbarrier at which all threads of the block arrive and wait for each other.
void PtxBody::emit_block_mbarrier() {
    const std::string state = name_of(text_.make(RegisterKind::wide));
    const Reg p = text_.make(RegisterKind::predicate);
    emit("mbarrier.arrive.shared.b64 $, [everybody]", {state});
    const int wait = text_.new_block(), after = text_.new_block();
    text_.jump(wait);
    text_.begin(wait);
    emit("$.shared.b64 $, [everybody], $",
         {random_.percent(50) ? "mbarrier.test_wait" : "mbarrier.try_wait", p, state});
    text_.branch(p, false, after, wait);
    text_.begin(after);
}

}  // namespace coalesce::campaign
