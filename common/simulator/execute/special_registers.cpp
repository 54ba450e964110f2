// The table of special registers.
#include "simulator/execute/special_registers.h"

#include <map>

#include "simulator/base/device_model.h"
#include "simulator/execute/cluster.h"
#include "simulator/execute/local_memory.h"

namespace coalesce::simulator {

namespace {

Dim3 thread_index(const Warp& w, int lane) {
    return w.thread_index(lane);
}
Dim3 block_size(const Warp& w, int) {
    return w.block->dimensions();
}
Dim3 block_index(const Warp& w, int) {
    return w.block->index;
}
Dim3 grid_size(const Warp& w, int) {
    return w.block->grid();
}
Dim3 cluster_size(const Warp& w, int) {
    return w.block->launch->config.cluster;
}
Dim3 cluster_count(const Warp& w, int) {
    return count_clusters(w.block->launch->config);
}
Dim3 cluster_index(const Warp& w, int) {
    const Dim3 block_index = w.block->index, size = w.block->launch->config.cluster;
    return {block_index.x / size.x, block_index.y / size.y, block_index.z / size.z};
}
Dim3 index_in_cluster(const Warp& w, int) {
    return w.block->launch->config.cluster.position_of(w.block->rank);
}

template <u64 Value>
u64 make_constant(const Warp&, int) {
    return Value;
}

u64 clock_64(const Warp& w, int) {
    return read_clock(w);
}
u64 clock_low(const Warp& w, int) {
    return static_cast<u32>(read_clock(w));
}
u64 clock_high(const Warp& w, int) {
    return read_clock(w) >> 32;
}

using Table = std::map<std::string, SpecialRegister>;

template <Dim3 (*Of)(const Warp&, int)>
void add_axes(Table& table, const std::string& name, ValueScope scope) {
    table[name + ".x"].compute_value = [](const Warp& w, int lane) -> u64 { return Of(w, lane).x; };
    table[name + ".y"].compute_value = [](const Warp& w, int lane) -> u64 { return Of(w, lane).y; };
    table[name + ".z"].compute_value = [](const Warp& w, int lane) -> u64 { return Of(w, lane).z; };
    for (const char* axis : {".x", ".y", ".z"}) table[name + axis].scope = scope;
}

// Long: the table has an entry for every register.
Table make_table() {
    using enum ValueScope;
    using M = DeviceModel;
    constexpr Width w32 = Width::w32, w64 = Width::w64;
    constexpr u64 kReserved = M::shared_reserved_begin;
    Table t = {
        {"%laneid", {thread, w32, [](const Warp&, int l) -> u64 { return l; }}},
        {"%warpid", {thread, w32, [](const Warp& w, int) -> u64 { return w.index; }}},
        {"%nwarpid", {launch, w32, make_constant<M::max_threads_per_multiprocessor / kLanes>}},
        // Blocks are assigned to the multiprocessors in turn.
        {"%smid",
         {block, w32,
          [](const Warp& w, int) -> u64 { return w.block->linear_index % M::multiprocessors; }}},
        {"%nsmid", {launch, w32, make_constant<M::multiprocessors>}},
        {"%gridid",
         {launch, w64, [](const Warp& w, int) -> u64 { return w.block->launch->launch_number; }}},
        {"%lanemask_eq", {thread, w32, [](const Warp&, int l) -> u64 { return 1u << l; }}},
        {"%lanemask_lt", {thread, w32, [](const Warp&, int l) -> u64 { return (1u << l) - 1; }}},
        {"%lanemask_le", {thread, w32, [](const Warp&, int l) -> u64 { return (2u << l) - 1; }}},
        {"%lanemask_gt", {thread, w32, [](const Warp&, int l) -> u64 { return ~((2u << l) - 1); }}},
        {"%lanemask_ge", {thread, w32, [](const Warp&, int l) -> u64 { return ~((1u << l) - 1); }}},
        {"%clock", {every_read, w32, clock_low}},
        {"%clock_hi", {every_read, w32, clock_high}},
        {"%clock64", {every_read, w64, clock_64}},
        {"%globaltimer", {every_read, w64, clock_64}},
        {"%globaltimer_lo", {every_read, w32, clock_low}},
        {"%globaltimer_hi", {every_read, w32, clock_high}},
        {"%dynamic_smem_size",
         {launch, w32,
          [](const Warp& w, int) -> u64 { return w.block->launch->config.dynamic_shared_bytes; }}},
        // An H200 allocates shared memory in units of 128 bytes. It rounds %total_smem_size up to
        // such a unit, but not %aggr_smem_size.
        {"%total_smem_size",
         {block, w32,
          [](const Warp& w, int) -> u64 { return round_up(w.block->shared_bytes, 128); }}},
        {"%aggr_smem_size",
         {block, w32,
          [](const Warp& w, int) -> u64 {
              return w.block->shared_bytes + M::shared_reserved_per_block;
          }}},
        {"%reserved_smem_offset_begin", {launch, w32, make_constant<kReserved>, true}},
        {"%reserved_smem_offset_end",
         {launch, w32, make_constant<kReserved + M::shared_reserved_used>}},
        {"%reserved_smem_offset_cap", {launch, w32, make_constant<M::shared_reserved_per_block>}},
        {"%reserved_smem_offset_0", {launch, w32, make_constant<kReserved>, true}},
        {"%reserved_smem_offset_1", {launch, w32, make_constant<kReserved>, true}},
        {"%cluster_ctarank", {block, w32, [](const Warp& w, int) -> u64 { return w.block->rank; }}},
        {"%cluster_nctarank",
         {launch, w32, [](const Warp& w, int) { return w.block->launch->config.cluster.count(); }}},
        {"%is_explicit_cluster",
         {launch, Width::predicate,
          [](const Warp& w, int) -> u64 { return w.block->launch->config.has_explicit_cluster; }}},
        {"%current_graph_exec", {launch, w64, make_constant<0>}},
        // kLocalWindowRegister is not a PTX register. It contains the generic address of the
        // thread's local memory, which cvta uses.
        {kLocalWindowRegister, {thread, w64, local_window_address}},
    };
    add_axes<thread_index>(t, "%tid", thread);
    add_axes<block_size>(t, "%ntid", launch);
    add_axes<block_index>(t, "%ctaid", block);
    add_axes<grid_size>(t, "%nctaid", launch);
    add_axes<cluster_index>(t, "%clusterid", block);
    add_axes<cluster_count>(t, "%nclusterid", launch);
    add_axes<index_in_cluster>(t, "%cluster_ctaid", block);
    add_axes<cluster_size>(t, "%cluster_nctaid", launch);
    for (int i = 0; i < 32; ++i) t["%envreg" + std::to_string(i)] = {launch, w32, make_constant<0>};
    // cooperative_groups finds its grid barrier through %envreg1 and %envreg2, which hold the high
    // and the low half of the barrier's address.
    t["%envreg1"].compute_value = [](const Warp& w, int) {
        return w.block->launch->grid_workspace >> 32;
    };
    t["%envreg2"].compute_value = [](const Warp& w, int) -> u64 {
        return static_cast<u32>(w.block->launch->grid_workspace);
    };
    return t;
}

}  // namespace

const SpecialRegister* find_special_register(const std::string& name) {
    static const Table table = make_table();
    const auto entry = table.find(name);
    return entry == table.end() ? nullptr : &entry->second;
}

void read_special_register(Warp& w, const SpecialRegister& special, Slot slot) {
    // Read the register once for the whole warp unless it depends on the lane. All lanes must read
    // the clock in the same cycle.
    const u64 first_value = special.compute_value(w, w.first_active());
    const auto value = [&](int l) {
        return special.scope == ValueScope::thread ? special.compute_value(w, l) : first_value;
    };
    if (special.width == Width::predicate)
        w.write_predicate(slot, first_value ? kAllLanes : 0);
    else if (special.width == Width::w64)
        w.write<u64>(slot, value);
    else
        w.write<u32>(slot, [&](int l) { return static_cast<u32>(value(l)); });
}

const Op* run_read_special_register(Warp& w, const Op* op) {
    // First count the instructions up to this one, because the clock is computed from the number of
    // executed instructions.
    w.count_straight_line_run(op);
    read_special_register(w, *reinterpret_cast<const SpecialRegister*>(op->immediate), op->d);
    return op + 1;
}

u64 read_clock(const Warp& warp) {
    const Block& block = *warp.block;
    u64 executed_instructions = 0;
    for (const Warp& w : block.warps) executed_instructions += w.executed_instructions;
    return block.launch->start_cycles + block.launch->skipped_cycles + block.cycles +
           block.launch->cycles_per_instruction * executed_instructions;
}

}  // namespace coalesce::simulator
