// Generates operations that involve several threads: exchanges between the lanes of a warp,
// barriers, exchanges of tiles.
#include "lab/campaign/ptx/body.h"

namespace coalesce::campaign {

std::string PtxBody::format_lane_mask(const ThreadSet& thread_set) {
    return thread_set.is_whole_warp ? "0xffffffff" : name_of(*thread_set.lane_mask_register);
}

// ---- lanes ----

/// Emits a shuffle that reads only from participating lanes, or whose result is discarded.
void PtxBody::emit_shuffle(const ThreadSet& thread_set) {
    const std::string lane_mask = format_lane_mask(thread_set);
    const std::string shuffle_mode = random_.pick({"up", "down", "bfly", "idx"});
    const Reg value = pick_register(RegisterKind::word);
    const Reg from = text_.make_register_of(RegisterKind::word),
              shuffled_value = text_.make_register_of(RegisterKind::word);
    const u32 segment_mask = random_.pick({0u, 0u, 16u, 24u, 28u, 30u});
    const u32 segment_and_clamp = segment_mask << 8 | (shuffle_mode == "up" ? 0 : 31);
    const Reg lane_distance = emit_to_new_register(
        RegisterKind::word, "and.b32 $, $, 31",
        {random_.percent(60) ? pick_uniform_register() : pick_register(RegisterKind::word)});
    const Reg lane = emit_to_new_register(RegisterKind::word, "mov.u32 $, %laneid");
    // Compute the source lane. A lane whose source lies outside the segment reads its own value.
    const Reg source_in_segment_predicate = make_register(RegisterKind::predicate);
    emit("shfl.sync.$.b32 $|$, $, $, $, $",
         {shuffle_mode, shuffled_value, source_in_segment_predicate, value, lane_distance,
          segment_and_clamp, lane_mask});
    if (shuffle_mode == "up") emit("sub.s32 $, $, $", {from, lane, lane_distance});
    if (shuffle_mode == "down") emit("add.s32 $, $, $", {from, lane, lane_distance});
    if (shuffle_mode == "bfly") emit("xor.b32 $, $, $", {from, lane, lane_distance});
    if (shuffle_mode == "idx") {
        const Reg high_bits =
            emit_to_new_register(RegisterKind::word, "and.b32 $, $, $", {lane, segment_mask});
        const Reg low_bits = emit_to_new_register(RegisterKind::word, "and.b32 $, $, $",
                                                  {lane_distance, 31 & ~segment_mask});
        emit("or.b32 $, $, $", {from, high_bits, low_bits});
    }
    const Reg source = emit_to_new_register(RegisterKind::word, "selp.b32 $, $, $, $",
                                            {from, lane, source_in_segment_predicate});
    const Reg always_true =
        emit_to_new_register(RegisterKind::predicate, "setp.eq.s32 $, $, $", {lane, lane});
    const Reg participating_lanes = emit_to_new_register(
        RegisterKind::word, "vote.sync.ballot.b32 $, $, $", {always_true, lane_mask});
    const Reg bit =
        emit_to_new_register(RegisterKind::word, "shr.u32 $, $, $", {participating_lanes, source});
    emit("and.b32 $, $, 1", {bit, bit});
    const Reg does_source_participate =
        emit_to_new_register(RegisterKind::predicate, "setp.ne.s32 $, $, 0", {bit});
    emit("selp.b32 $, $, $, $",
         {pick_destination(RegisterKind::word), shuffled_value, value, does_source_participate});
}

void PtxBody::emit_match(const std::string& lane_mask) {
    const bool is_wide = random_.percent(40);
    const Reg few_bits =
        emit_to_new_register(RegisterKind::word, "and.b32 $, $, $",
                             {pick_register(RegisterKind::word), random_.pick({0u, 3u, 7u})});
    const Reg value_64_bits =
        emit_to_new_register(RegisterKind::wide, "cvt.u64.u32 $, $", {few_bits});
    const Reg value = is_wide ? value_64_bits : few_bits;
    const char* const type = is_wide ? "b64" : "b32";
    if (random_.percent(50))
        emit("match.any.sync.$ $, $, $",
             {type, pick_destination(RegisterKind::word), value, lane_mask});
    else if (random_.percent(60))
        emit("match.all.sync.$ $|$, $, $",
             {type, pick_destination(RegisterKind::word), pick_destination(RegisterKind::predicate),
              value, lane_mask});
    else
        emit("match.all.sync.$ $, $, $",
             {type, pick_destination(RegisterKind::word), value, lane_mask});
}

void PtxBody::emit_lane_exchange(const ThreadSet& thread_set) {
    const std::string lane_mask = format_lane_mask(thread_set);
    switch (random_.below(14)) {
        case 0:
        case 1:
        case 2: return emit_shuffle(thread_set);
        case 3:
        case 4: {
            const std::string p = random_negation();
            return emit("vote.sync.$.pred $, $, $",
                        {random_.pick({"all", "any", "uni"}),
                         pick_destination(RegisterKind::predicate), p, lane_mask});
        }
        case 5: {
            const std::string p = random_negation();
            return emit("vote.sync.ballot.b32 $, $, $",
                        {pick_destination(RegisterKind::word), p, lane_mask});
        }
        case 6: return emit_match(lane_mask);
        case 7:
        case 8: {
            const Reg value = pick_register(RegisterKind::word);
            return emit("redux.sync.$ $, $, $",
                        {random_.pick({"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
                                       "max.s32", "and.b32", "or.b32", "xor.b32"}),
                         pick_destination(RegisterKind::word), value, lane_mask});
        }
        case 9:
            return emit("elect.sync $|$, $",
                        {random_.percent(60) ? name_of(pick_destination(RegisterKind::word)) : "_",
                         pick_destination(RegisterKind::predicate), lane_mask});
        case 10: return emit("bar.warp.sync $", {lane_mask});
        case 11:
        case 12: return emit_matrix_instructions(thread_set);
        default: {  // the usual sum over a warp
            Reg sum = pick_register(RegisterKind::word);
            if (!thread_set.is_whole_warp || environment_.launch.threads() % 32) return;
            for (u32 step = 16; step > 0; step /= 2) {
                const Reg next_sum = make_register(RegisterKind::word);
                const Reg received_value =
                    emit_to_new_register(RegisterKind::word, "shfl.sync.bfly.b32 $, $, $, 31, $",
                                         {sum, step, lane_mask});
                emit("add.s32 $, $, $", {next_sum, sum, received_value});
                sum = next_sum;
            }
        }
    }
}

// ---- matrices ----

/// Returns a list of registers such as {%r1, %r2}.
std::string PtxBody::pick_register_list(RegisterKind kind, u32 count, bool are_written) {
    std::string list;
    for (u32 k = 0; k < count; ++k)
        list += (k ? ", " : "{") + name_of(are_written ? make_register(kind) : pick_register(kind));
    return list + "}";
}

/// Emits matrix instructions, which all lanes of a warp execute together. Each thread has its own
/// row in shared memory.
void PtxBody::emit_matrix_instructions(const ThreadSet& thread_set) {
    if (!thread_set.is_whole_warp || environment_.launch.threads() % 32) return;
    const Features& features = environment_.features;
    const bool can_use_shared_rows = features.has_own_shared_memory && !features.uses_mbarriers &&
                                     !features.uses_async_copies && environment_.own_shared_address;
    if (can_use_shared_rows && random_.percent(50)) {
        const u32 count = random_.pick({1u, 2u, 4u});
        const std::string matrix_modifiers = ".sync.aligned.m8n8.x" + format_number(count) +
                                             (random_.percent(50) ? ".trans" : "") + ".shared.b16 ",
                          row = "[" + name_of(*environment_.own_shared_address) + "]";
        emit("bar.warp.sync 0xffffffff");
        if (random_.percent(50))
            emit("ldmatrix$$, $",
                 {matrix_modifiers, pick_register_list(RegisterKind::word, count, true), row});
        else
            emit("stmatrix$$, $",
                 {matrix_modifiers, row, pick_register_list(RegisterKind::word, count, false)});
        emit("bar.warp.sync 0xffffffff");
        return;
    }
    struct MatrixProduct {
        const char* text;
        u32 d, a, b;
        bool has_exact_result;
    };
    const MatrixProduct matrix_product = random_.pick<MatrixProduct>({
        {"m16n8k32.row.col.s32.s8.u8.s32 ", 4, 4, 2, true},
        {"m8n8k16.row.col.satfinite.s32.s8.s8.s32 ", 2, 1, 1, true},
        {"m16n8k64.row.col.s32.u4.s4.s32 ", 4, 4, 2, true},
        {"m16n8k256.row.col.s32.b1.b1.s32.and.popc ", 4, 4, 2, true},
        {"m16n8k16.row.col.f32.f16.f16.f32 ", 4, 4, 2, false},
        {"m16n8k8.row.col.f16.f16.f16.f16 ", 2, 2, 1, false},
        {"m16n8k8.row.col.f32.tf32.tf32.f32 ", 4, 4, 2, false},
    });
    if (features.is_portable && !matrix_product.has_exact_result) return;
    if (random_.percent(20)) {
        const Reg from = pick_register(RegisterKind::word);
        emit("movmatrix.sync.aligned.m8n8.trans.b16 $, $",
             {pick_destination(RegisterKind::word), from});
    }
    const std::string a = pick_register_list(RegisterKind::word, matrix_product.a, false),
                      b = pick_register_list(RegisterKind::word, matrix_product.b, false),
                      c = pick_register_list(RegisterKind::word, matrix_product.d, false),
                      d = pick_register_list(RegisterKind::word, matrix_product.d, true);
    emit("mma.sync.aligned.$$, $, $, $", {matrix_product.text, d, a, b, c});
}

// ---- barriers ----

/// Emits a barrier for all threads of the block.
void PtxBody::emit_barrier() {
    const bool has_only_whole_warps = environment_.launch.threads() % 32 == 0;
    if (environment_.features.is_portable || random_.percent(20)) emit("bar.warp.sync 0xffffffff");
    if (!environment_.features.uses_unusual_barriers || random_.percent(40)) {
        return emit(random_.pick({"bar.sync 0", "bar.sync 0", "barrier.sync 0"}));
    }
    const std::string p = random_negation();
    switch (random_.below(6)) {
        case 0: return emit("bar.red.popc.u32 $, 0, $", {pick_destination(RegisterKind::word), p});
        case 1:
            return emit("bar.red.and.pred $, 0, $", {pick_destination(RegisterKind::predicate), p});
        case 2:
            return emit("barrier.red.or.pred $, 0, $",
                        {pick_destination(RegisterKind::predicate), p});
        case 3: return emit("barrier.sync $", {random_.below(8)});
        case 4:
            return environment_.features.blocks_per_cluster > 1 ? emit("bar.sync 0")
                                                                : emit_cluster_barrier();
        default:
            emit("bar.sync $$",
                 {random_.between(1, 7),
                  has_only_whole_warps ? ", " + format_number(environment_.launch.threads()) : ""});
    }
}

/// Returns a register that holds a permutation of the block's thread indices: every thread gets a
/// different index.
Reg PtxBody::emit_permuted_thread_index() {
    const u32 threads = environment_.launch.threads();
    const bool is_power_of_two = (threads & (threads - 1)) == 0;
    const Reg thread = environment_.thread_index;
    const u32 permutation_choice = random_.below(6);
    if (permutation_choice == 0)
        return emit_to_new_register(RegisterKind::word, "sub.s32 $, $, $", {threads - 1, thread});
    if (permutation_choice == 1 && is_power_of_two)
        return emit_to_new_register(RegisterKind::word, "xor.b32 $, $, $",
                                    {thread, random_.below(threads)});
    if (permutation_choice == 2 && is_power_of_two) {
        const u32 factor = 2 * random_.below(50) + 1;
        const Reg product =
            emit_to_new_register(RegisterKind::word, "mul.lo.s32 $, $, $", {thread, factor});
        return emit_to_new_register(RegisterKind::word, "and.b32 $, $, $", {product, threads - 1});
    }
    if (permutation_choice < 4)
        return emit_to_new_register(RegisterKind::word, "mov.u32 $, $", {thread});
    // Rotate the indices by a different distance in every block.
    const Reg rotation_distance = emit_to_new_register(
        RegisterKind::word, "and.b32 $, $, 1023",
        {random_.percent(60) ? environment_.block_index : pick_uniform_register()});
    const Reg rotated_index =
        emit_to_new_register(RegisterKind::word, "add.s32 $, $, $", {thread, rotation_distance});
    return emit_to_new_register(RegisterKind::word, "rem.u32 $, $, $", {rotated_index, threads});
}

/// Generates an exchange in which each thread writes one element of the tile. After a barrier,
/// every thread may read the whole tile.
void PtxBody::emit_tile_exchange(const ThreadSet& thread_set) {
    const bool is_filled_by_async_copy =
        environment_.features.uses_async_copies && random_.percent(30);
    const u32 size = is_filled_by_async_copy ? random_.pick({4u, 8u, 16u})
                                             : random_.pick({1u, 2u, 4u, 4u, 8u, 16u});
    // A barrier must precede every write except the first.
    if (thread_set.depth > 0 || is_tile_in_use_ || random_.percent(30)) emit_barrier();
    is_tile_in_use_ = true;
    const Reg element_index =
        random_.percent(50) ? environment_.thread_index : emit_permuted_thread_index();
    const Reg offset = emit_scaled_index(element_index, size);
    const std::string address = "[" + name_of(emit_array_address("tile", offset)) + "]";
    if (is_filled_by_async_copy) {
        const Reg from =
            emit_indexed_address(*environment_.input_address, emit_index_below(2048 / size), size);
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
             {address,
              pick_register(environment_.features.is_portable ? RegisterKind::word : kind)});
    } else if (size == 2) {
        emit("st.shared.b16 $, $", {address, pick_register(RegisterKind::half)});
    } else if (size == 4) {
        emit("st.shared.b32 $, $", {address, pick_register(RegisterKind::word)});
    } else if (size == 8) {
        if (random_.percent(50))
            emit("st.shared.b64 $, $", {address, pick_register(RegisterKind::wide)});
        else
            emit("st.shared.v2.b32 $, $",
                 {address, pick_register_list(RegisterKind::word, 2, false)});
    } else if (random_.percent(50)) {
        emit("st.shared.v2.b64 $, $", {address, pick_register_list(RegisterKind::wide, 2, false)});
    } else {
        emit("st.shared.v4.b32 $, $", {address, pick_register_list(RegisterKind::word, 4, false)});
    }
    emit_barrier();
    available_registers.written_tile_bytes =
        std::max(available_registers.written_tile_bytes, size * environment_.launch.threads());
    for (u32 k = random_.between(1, 3); k > 0; --k) emit_tile_read();
    fold_into_accumulator(pick_register(RegisterKind::word));
}

void PtxBody::emit_cluster_barrier() {
    emit(random_.pick({"barrier.cluster.arrive", "barrier.cluster.arrive.release"}));
    emit(random_.pick({"barrier.cluster.wait", "barrier.cluster.wait.acquire"}));
}

/// Returns a register that holds the generic or shared address corresponding to `own_address` in
/// another block of the cluster.
Reg PtxBody::emit_address_in_other_block(Reg own_address, Reg other_block,
                                         bool is_generic_address) {
    if (!is_generic_address)
        return emit_to_new_register(RegisterKind::word, "mapa.shared::cluster.u32 $, $, $",
                                    {own_address, other_block});
    const Reg address_64_bits =
        emit_to_new_register(RegisterKind::wide, "cvt.u64.u32 $, $", {own_address});
    const Reg generic_own_address =
        emit_to_new_register(RegisterKind::wide, "cvta.shared.u64 $, $", {address_64_bits});
    return emit_to_new_register(RegisterKind::wide, "mapa.u64 $, $, $",
                                {generic_own_address, other_block});
}

/// Generates an exchange between the blocks of a cluster: each block loads from, stores to or adds
/// to another block's shared memory.
void PtxBody::emit_cluster_exchange() {
    const Reg base = emit_to_new_register(RegisterKind::word, "mov.u32 $, handed");
    const Reg to = emit_to_new_register(RegisterKind::word, "mad.lo.s32 $, $, 4, $",
                                        {environment_.thread_index, base});
    emit("st.shared.b32 [$], $", {to, pick_register(RegisterKind::word)});
    emit_cluster_barrier();
    const u32 access_choice = random_.below(4);
    const Reg block_rank = emit_to_new_register(RegisterKind::word, "mov.u32 $, %cluster_ctarank");
    // A word that is stored to must have exactly one writer, so each thread stores to the word of
    // the thread with the same index in another block. For each index, the distance between the
    // ranks of the two blocks is fixed.
    const bool does_target_vary_by_thread = access_choice == 2 || random_.percent(50);
    const Reg sum =
        emit_to_new_register(RegisterKind::word, "add.u32 $, $, $",
                             {block_rank, does_target_vary_by_thread ? environment_.thread_index
                                                                     : pick_uniform_register()});
    const Reg other_block_rank = emit_to_new_register(
        RegisterKind::word, "rem.u32 $, $, $", {sum, environment_.features.blocks_per_cluster});
    const Reg word_index =
        access_choice == 2 ? environment_.thread_index : emit_permuted_thread_index();
    const Reg own_address =
        emit_to_new_register(RegisterKind::word, "mad.lo.s32 $, $, 4, $", {word_index, base});
    const bool is_generic_address = random_.percent(40);
    const Reg address_in_other =
        emit_address_in_other_block(own_address, other_block_rank, is_generic_address);
    const std::string state_space = is_generic_address ? "" : ".shared::cluster";
    if (access_choice < 2)
        emit("ld$.b32 $, [$]",
             {state_space, pick_destination(RegisterKind::word), address_in_other});
    if (access_choice == 2)
        emit("st$.b32 [$], $", {state_space, address_in_other, pick_register(RegisterKind::word)});
    if (access_choice == 3)
        emit("red$.$ [$], $",
             {state_space,
              random_.pick({"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"}),
              address_in_other, pick_register(RegisterKind::word)});
    if (!is_generic_address && random_.percent(50))
        emit("getctarank.shared::cluster.u32 $, $",
             {pick_destination(RegisterKind::word), address_in_other});
    emit_cluster_barrier();
    if (access_choice >= 2)
        emit("ld.shared.b32 $, [$]", {pick_destination(RegisterKind::word), to});
}

/// Generates an exchange through global memory: each thread writes to its own 16 bytes of scratch
/// memory, which other threads of its block read.
void PtxBody::emit_global_exchange() {
    emit_barrier();
    const u32 word = 48 + 4 * random_.below(4);
    emit("st.global.b32 [$+$], $",
         {*environment_.own_scratch_address, word, pick_register(RegisterKind::word)});
    emit_barrier();
    const Reg thread_index = emit_permuted_thread_index();
    const Reg address = emit_indexed_address(*environment_.block_scratch_address, thread_index,
                                             kScratchBytesPerThread);
    emit("ld.global.b32 $, [$+$]", {pick_destination(RegisterKind::word), address, word});
    emit_barrier();
}

/// Generates a named barrier. Some warps write and continue. The other warps wait for these writes,
/// and then read.
void PtxBody::emit_named_barriers() {
    const u32 threads = environment_.launch.threads();
    if (threads % 32 || threads < 64) return;
    emit_barrier();
    is_tile_in_use_ = true;
    const u32 writing_threads = 32 * random_.between(1, threads / 32 - 1);
    // Use a barrier ID that emit_barrier() does not use. A warp that only arrives might reach the
    // next emit_barrier() before the named barrier is complete.
    const std::string id = format_number(random_.between(8, 15));
    const Reg value = pick_register(RegisterKind::word), d = pick_destination(RegisterKind::word);
    const Reg base = emit_to_new_register(RegisterKind::word, "mov.u32 $, tile");
    const Reg p = emit_to_new_register(RegisterKind::predicate, "setp.lt.u32 $, $, $",
                                       {environment_.thread_index, writing_threads});
    const int writing_block = text_.new_block(), reading_block = text_.new_block(),
              after_block = text_.new_block();
    text_.end_with_branch(p, false, writing_block, reading_block);
    text_.begin_block(writing_block);
    const Reg sum = emit_to_new_register(RegisterKind::word, "mad.lo.s32 $, $, 4, $",
                                         {environment_.thread_index, base});
    emit("st.shared.b32 [$], $", {sum, value});
    emit("mov.b32 $, $", {d, value});
    const bool do_only_writers_wait = random_.percent(30);
    if (do_only_writers_wait) {  // the writers synchronize only with each other
        emit("bar.sync $, $", {id, writing_threads});
        emit("ld.shared.b32 $, [$+$]", {d, base, 4 * random_.below(writing_threads)});
    } else {
        emit("$$, $", {random_.percent(50) ? "bar.arrive " : "barrier.arrive ", id, threads});
    }
    text_.end_with_jump(after_block);
    text_.begin_block(reading_block);
    if (do_only_writers_wait) {
        emit("mov.b32 $, 5", {d});
    } else {
        emit("bar.sync $, $", {id, threads});
        emit("ld.shared.b32 $, [$+$]", {d, base, 4 * random_.below(writing_threads)});
    }
    text_.end_with_jump(after_block);
    text_.begin_block(after_block);
    available_registers.written_tile_bytes =
        std::max(available_registers.written_tile_bytes, 4 * writing_threads);
    emit_barrier();
}

/// Emits a load of one of the block's sums, to which all threads have added values.
void PtxBody::emit_shared_sums_read() {
    emit_barrier();
    const Reg offset = emit_scaled_index(emit_index_below(32), 4);
    const Reg sum = emit_array_address("sums_here", offset), d = make_register(RegisterKind::word);
    emit("ld.shared.b32 $, [$]", {d, sum});
    fold_into_accumulator(d);
    emit_barrier();
}

// ---- asynchronous copies and mbarriers ----

/// Emits an asynchronous copy into the thread's own 16 bytes of shared memory.
void PtxBody::emit_async_copy() {
    const u32 size = random_.pick({4u, 8u, 16u});
    const Reg from =
        emit_indexed_address(*environment_.input_address, emit_index_below(2048 / 16), 16);
    std::string remaining_operands = ", " + format_number(size);
    std::string cache_operator = size == 16 && random_.percent(50) ? "cg" : "ca";
    const u32 tail_kind = random_.below(4);
    if (tail_kind == 0) {
        const Reg bytes = emit_to_new_register(RegisterKind::word, "and.b32 $, $, $",
                                               {pick_register(RegisterKind::word), size - 1});
        remaining_operands += ", " + name_of(bytes);
    }
    if (tail_kind == 1)
        remaining_operands += ", " + name_of(pick_register(RegisterKind::predicate));
    if (random_.percent(20)) cache_operator += ".L2::128B";
    const std::string guard = random_.percent(20) ? random_guard() : "";
    emit("$cp.async.$.shared.global [$], [$]$",
         {guard, cache_operator, *environment_.own_shared_address, from, remaining_operands});
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
    emit("ld.shared.b32 $, [$]",
         {pick_destination(RegisterKind::word), *environment_.own_shared_address});
}

/// Generates the use of an mbarrier in the thread's own slot of shared memory, from its
/// initialization to its invalidation.
void PtxBody::emit_own_mbarrier() {
    const std::string barrier_address = "[" + name_of(*environment_.own_shared_address) + "]";
    const u32 count = random_.between(1, 3);
    const std::string barrier_state = name_of(text_.make_register_of(RegisterKind::wide));
    emit("mbarrier.init.shared.b64 $, $", {barrier_address, count});
    for (u32 k = 0; k < count; ++k) {
        const u32 arrival_choice = random_.below(5);
        if (arrival_choice == 0) {
            emit("mbarrier.arrive.expect_tx.shared.b64 $, $, 16", {barrier_state, barrier_address});
            emit("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 $, 16", {barrier_address});
        } else if (arrival_choice == 1) {
            emit("mbarrier.expect_tx.relaxed.cta.shared.b64 $, 8", {barrier_address});
            emit("mbarrier.complete_tx.shared::cta.relaxed.cta.b64 $, 8", {barrier_address});
            emit("mbarrier.arrive.shared.b64 $, $", {barrier_state, barrier_address});
        } else if (arrival_choice == 2) {
            emit("mbarrier.arrive_drop.shared.b64 $, $", {barrier_state, barrier_address});
        } else if (arrival_choice == 3) {
            emit("mbarrier.arrive.release.cta.shared::cta.b64 $, $, 1",
                 {barrier_state, barrier_address});
        } else {
            emit("mbarrier.arrive.shared.b64 $, $", {barrier_state, barrier_address});
        }
    }
    emit("mbarrier.pending_count.b64 $, $", {pick_destination(RegisterKind::word), barrier_state});
    const std::string p = name_of(pick_destination(RegisterKind::predicate));
    switch (random_.below(4)) {
        case 0:
            emit("mbarrier.test_wait.shared.b64 $, $, $", {p, barrier_address, barrier_state});
            break;
        case 1: emit("mbarrier.test_wait.parity.shared.b64 $, $, 0", {p, barrier_address}); break;
        case 2:
            emit("mbarrier.try_wait.shared.b64 $, $, $", {p, barrier_address, barrier_state});
            break;
        default:
            emit("mbarrier.try_wait.parity.acquire.cta.shared.b64 $, $, 0", {p, barrier_address});
    }
    emit("mbarrier.inval.shared.b64 $", {barrier_address});
    emit("st.shared.v2.b64 $, {$, $}",
         {barrier_address, pick_register(RegisterKind::wide), pick_register(RegisterKind::wide)});
}

/// Emits an mbarrier at which all threads of the block arrive and wait for each other.
void PtxBody::emit_block_mbarrier() {
    const std::string barrier_state = name_of(text_.make_register_of(RegisterKind::wide));
    const Reg p = text_.make_register_of(RegisterKind::predicate);
    emit("mbarrier.arrive.shared.b64 $, [everybody]", {barrier_state});
    const int waiting_block = text_.new_block(), after_block = text_.new_block();
    text_.end_with_jump(waiting_block);
    text_.begin_block(waiting_block);
    emit("$.shared.b64 $, [everybody], $",
         {random_.percent(50) ? "mbarrier.test_wait" : "mbarrier.try_wait", p, barrier_state});
    text_.end_with_branch(p, false, after_block, waiting_block);
    text_.begin_block(after_block);
}

}  // namespace coalesce::campaign
