// The table of special registers.
#include "execute/special_registers.h"

#include <map>

#include "base/device_model.h"
#include "execute/block.h"

namespace coalesce::sim {

namespace {

/// A warp of one block issues an instruction about every fourth cycle.
constexpr u64 kCyclesPerInstruction = 4;

const Launch& launch_of(const Warp& w) {
    return *w.block->launch;
}

template <u32 Dim3::*Axis>
u64 thread_index(const Warp& w, int lane) {
    return w.thread_of(lane).*Axis;
}
template <u32 Dim3::*Axis>
u64 block_size(const Warp& w, int) {
    return launch_of(w).config.block.*Axis;
}
template <u32 Dim3::*Axis>
u64 block_index(const Warp& w, int) {
    return w.block->index.*Axis;
}
template <u32 Dim3::*Axis>
u64 grid_size(const Warp& w, int) {
    return launch_of(w).config.grid.*Axis;
}

template <u64 Value>
u64 constant(const Warp&, int) {
    return Value;
}

u64 lane_number(const Warp&, int lane) {
    return static_cast<u64>(lane);
}
u64 warp_number(const Warp& w, int) {
    return w.index;
}
/// Blocks go to the multiprocessors in turn.
u64 multiprocessor(const Warp& w, int) {
    return w.block->linear % DeviceModel::multiprocessors;
}
u64 grid_number(const Warp& w, int) {
    return launch_of(w).number;
}

u64 this_lane(const Warp&, int lane) {
    return 1u << lane;
}
u64 lanes_below(const Warp&, int lane) {
    return (1u << lane) - 1;
}
u64 lanes_up_to(const Warp&, int lane) {
    return (2u << lane) - 1;
}
u64 lanes_above(const Warp&, int lane) {
    return static_cast<u32>(~((2u << lane) - 1));
}
u64 lanes_from(const Warp&, int lane) {
    return static_cast<u32>(~((1u << lane) - 1));
}

u64 clock_64(const Warp& w, int) {
    return clock_of(w);
}
u64 clock_low(const Warp& w, int) {
    return static_cast<u32>(clock_of(w));
}
u64 clock_high(const Warp& w, int) {
    return clock_of(w) >> 32;
}

u64 dynamic_shared(const Warp& w, int) {
    return launch_of(w).config.dynamic_shared;
}
/// In units of 128 bytes, as an H200 gives it out.
u64 all_shared(const Warp& w, int) {
    return round_up(w.block->shared_bytes, 128);
}
/// Not rounded there, as an H200 answers.
u64 shared_with_reserved(const Warp& w, int) {
    return w.block->shared_bytes + DeviceModel::shared_reserved_per_block;
}

/// cooperative_groups finds its grid barrier through %envreg1 (high half) and %envreg2 (low half).
u64 workspace_high(const Warp& w, int) {
    return launch_of(w).grid_workspace >> 32;
}
u64 workspace_low(const Warp& w, int) {
    return static_cast<u32>(launch_of(w).grid_workspace);
}

using Table = std::map<std::string, SpecialRegister>;

void add_axes(Table& table, const std::string& name, Varies varies, u64 (*x)(const Warp&, int),
              u64 (*y)(const Warp&, int), u64 (*z)(const Warp&, int)) {
    table[name + ".x"] = {varies, Width::w32, x};
    table[name + ".y"] = {varies, Width::w32, y};
    table[name + ".z"] = {varies, Width::w32, z};
}

Table make_table() {
    using enum Varies;
    using M = DeviceModel;
    constexpr Width w32 = Width::w32, w64 = Width::w64;
    constexpr u64 kReserved = M::shared_reserved_begin;
    Table t = {
        {"%laneid", {thread, w32, lane_number}},
        {"%warpid", {thread, w32, warp_number}},
        {"%nwarpid", {launch, w32, constant<DeviceModel::max_threads_per_multiprocessor / kLanes>}},
        {"%smid", {block, w32, multiprocessor}},
        {"%nsmid", {launch, w32, constant<DeviceModel::multiprocessors>}},
        {"%gridid", {launch, w64, grid_number}},
        {"%lanemask_eq", {thread, w32, this_lane}},
        {"%lanemask_lt", {thread, w32, lanes_below}},
        {"%lanemask_le", {thread, w32, lanes_up_to}},
        {"%lanemask_gt", {thread, w32, lanes_above}},
        {"%lanemask_ge", {thread, w32, lanes_from}},
        {"%clock", {always, w32, clock_low}},
        {"%clock_hi", {always, w32, clock_high}},
        {"%clock64", {always, w64, clock_64}},
        {"%globaltimer", {always, w64, clock_64}},
        {"%globaltimer_lo", {always, w32, clock_low}},
        {"%globaltimer_hi", {always, w32, clock_high}},
        {"%dynamic_smem_size", {launch, w32, dynamic_shared}},
        {"%total_smem_size", {block, w32, all_shared}},
        {"%aggr_smem_size", {block, w32, shared_with_reserved}},
        {"%reserved_smem_offset_begin", {launch, w32, constant<kReserved>, true}},
        {"%reserved_smem_offset_end", {launch, w32, constant<kReserved + M::shared_reserved_used>}},
        {"%reserved_smem_offset_cap", {launch, w32, constant<M::shared_reserved_per_block>}},
        {"%reserved_smem_offset_0", {launch, w32, constant<kReserved>, true}},
        {"%reserved_smem_offset_1", {launch, w32, constant<kReserved>, true}},
        {"%cluster_ctarank", {launch, w32, constant<0>}},
        {"%cluster_nctarank", {launch, w32, constant<1>}},
        {"%is_explicit_cluster", {launch, Width::predicate, constant<0>}},
        {"%current_graph_exec", {launch, w64, constant<0>}},
    };
    add_axes(t, "%tid", thread, thread_index<&Dim3::x>, thread_index<&Dim3::y>,
             thread_index<&Dim3::z>);
    add_axes(t, "%ntid", launch, block_size<&Dim3::x>, block_size<&Dim3::y>, block_size<&Dim3::z>);
    add_axes(t, "%ctaid", block, block_index<&Dim3::x>, block_index<&Dim3::y>,
             block_index<&Dim3::z>);
    add_axes(t, "%nctaid", launch, grid_size<&Dim3::x>, grid_size<&Dim3::y>, grid_size<&Dim3::z>);
    // A cluster is one block.
    add_axes(t, "%clusterid", block, block_index<&Dim3::x>, block_index<&Dim3::y>,
             block_index<&Dim3::z>);
    add_axes(t, "%nclusterid", launch, grid_size<&Dim3::x>, grid_size<&Dim3::y>,
             grid_size<&Dim3::z>);
    add_axes(t, "%cluster_ctaid", launch, constant<0>, constant<0>, constant<0>);
    add_axes(t, "%cluster_nctaid", launch, constant<1>, constant<1>, constant<1>);
    for (int i = 0; i < 32; ++i) t["%envreg" + std::to_string(i)] = {launch, w32, constant<0>};
    t["%envreg1"].value = workspace_high;
    t["%envreg2"].value = workspace_low;
    return t;
}

}  // namespace

const SpecialRegister* find_special_register(const std::string& name) {
    static const Table table = make_table();
    const auto found = table.find(name);
    return found == table.end() ? nullptr : &found->second;
}

const Op* run_read_special(Warp& w, const Op* op) {
    w.count(op);  // the clock has to see what came before
    const auto* special = reinterpret_cast<const SpecialRegister*>(op->immediate);
    // One reading for the whole warp: its lanes read the clock in the same cycle.
    if (special->varies == Varies::always) {
        const u64 now = special->value(w, w.first_active());
        if (special->width == Width::w64)
            w.write<u64>(op->d, [=](int) { return now; });
        else
            w.write<u32>(op->d, [=](int) { return static_cast<u32>(now); });
        return op + 1;
    }
    if (special->width == Width::predicate)
        w.write_predicate(op->d, special->value(w, w.first_active()) ? kAllLanes : 0);
    else if (special->width == Width::w64)
        w.write<u64>(op->d, [&](int l) { return special->value(w, l); });
    else
        w.write<u32>(op->d, [&](int l) { return static_cast<u32>(special->value(w, l)); });
    return op + 1;
}

u64 clock_of(const Warp& warp) {
    const Block& block = *warp.block;
    u64 executed = 0;
    for (const Warp& w : block.warps) executed += w.executed;
    return block.launch->started_at + block.launch->leapt + block.cycles +
           kCyclesPerInstruction * executed;
}

}  // namespace coalesce::sim
