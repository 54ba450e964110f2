// Generates a graph of blocks in which each block may branch to any other: loops with several
// entries, and nested loops that share blocks. A branch to a block with the same or a smaller index
// uses up fuel, so that every kernel terminates.
#include <algorithm>
#include <set>

#include "lab/campaign/ptx/body.h"

namespace coalesce::campaign {

struct PtxBody::BlockGraph {
    struct Node {
        enum class NodeEnding { jumps, branches, jumps_by_index } ending = NodeEnding::jumps;
        /// Indices of successor nodes; the number of nodes stands for the exit.
        std::vector<int> successors;
        std::vector<Reg> written_registers;
        std::set<u32>
            /// Indices of the registers in `all_written_registers` that are written on every path
            /// to this node.
            registers_at_entry;
    };
    std::vector<Node> nodes;
    std::vector<int> entry_nodes;
    std::vector<Reg> all_written_registers;  ///< registers that the nodes write
    /// Indices of the registers in `all_written_registers` that are written on every path to the
    /// exit.
    std::set<u32> registers_at_exit;
    std::vector<int> blocks;  ///< blocks of the nodes, followed by the exit block
    Reg fuel_register, has_fuel_register;

    void compute_registers_at_entry();
};

/// Computes, for each node, which registers have been written on every path to it.
void PtxBody::BlockGraph::compute_registers_at_entry() {
    const int out = static_cast<int>(nodes.size());
    std::set<u32> all_register_indices;
    for (u32 k = 0; k < all_written_registers.size(); ++k) all_register_indices.insert(k);
    std::vector<std::set<u32>> written_before_node(nodes.size() + 1, all_register_indices);
    const auto keep_common = [](std::set<u32>& set_to_reduce, const std::set<u32>& from) {
        const std::size_t size_before = set_to_reduce.size();
        std::erase_if(set_to_reduce, [&](u32 k) { return !from.contains(k); });
        return set_to_reduce.size() != size_before;
    };
    for (int e : entry_nodes) written_before_node[e].clear();
    for (bool changed = true; changed;) {
        changed = false;
        for (int n = 0; n < out; ++n) {
            std::set<u32> end = written_before_node[n];
            for (Reg r : nodes[n].written_registers)
                end.insert(static_cast<u32>(
                    std::find(all_written_registers.begin(), all_written_registers.end(), r) -
                    all_written_registers.begin()));
            for (int to : nodes[n].successors) changed |= keep_common(written_before_node[to], end);
        }
    }
    for (int n = 0; n < out; ++n) nodes[n].registers_at_entry = written_before_node[n];
    registers_at_exit = written_before_node[out];
}

void PtxBody::emit_block_graph(const ThreadSet& thread_set) {
    BlockGraph graph = make_random_graph();
    for (std::size_t n = 0; n <= graph.nodes.size(); ++n) graph.blocks.push_back(text_.new_block());
    emit_graph_entry(graph);
    const AvailableRegisters registers_before = available_registers;
    ThreadSet w = thread_set.after_divergence();
    w.enclosing_iterations *= 5;
    const auto set_available_registers = [&](const std::set<u32>& written_register_indices) {
        available_registers = registers_before;
        for (u32 k : written_register_indices)
            available_registers.add(graph.all_written_registers[k]);
    };
    for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n) {
        set_available_registers(graph.nodes[n].registers_at_entry);
        text_.begin_block(graph.blocks[n]);
        emit_statements(random_.between(0, 3), w);
        for (Reg r : graph.nodes[n].written_registers) emit_write_in_graph(r);
        if (random_.percent(60)) fold_random_registers(1);
        emit_node_exit(graph, n);
    }
    set_available_registers(graph.registers_at_exit);
    text_.begin_block(graph.blocks.back());
    for (u32 k : graph.registers_at_exit)
        if (random_.percent(70)) fold_into_accumulator(graph.all_written_registers[k]);
}

PtxBody::BlockGraph PtxBody::make_random_graph() {
    BlockGraph graph;
    const int count = static_cast<int>(random_.between(2, 8)), out = count;
    for (u32 k = random_.between(1, 5); k > 0; --k)
        graph.all_written_registers.push_back(text_.make_register_of(
            random_.pick({RegisterKind::word, RegisterKind::word, RegisterKind::wide,
                          RegisterKind::half, RegisterKind::predicate})));
    const auto random_later_node = [&](int from) {
        return random_.percent(60) ? from + 1
                                   : static_cast<int>(random_.between(static_cast<u32>(from) + 1,
                                                                      static_cast<u32>(out)));
    };
    graph.nodes.resize(count);
    for (int n = 0; n < count; ++n) {
        BlockGraph::Node& node = graph.nodes[n];
        const u32 ending_percent = random_.below(100);
        node.ending = ending_percent < 20   ? BlockGraph::Node::NodeEnding::jumps
                      : ending_percent < 85 ? BlockGraph::Node::NodeEnding::branches
                                            : BlockGraph::Node::NodeEnding::jumps_by_index;
        node.successors.push_back(random_later_node(n));
        if (node.ending != BlockGraph::Node::NodeEnding::jumps) {
            const u32 added_successors =
                node.ending == BlockGraph::Node::NodeEnding::branches ? 1 : random_.pick({1u, 3u});
            for (u32 k = 0; k < added_successors; ++k)
                node.successors.push_back(
                    random_.percent(55) ? static_cast<int>(random_.below(static_cast<u32>(n) + 1))
                                        : random_later_node(n));
        }
        for (Reg r : graph.all_written_registers)
            if (random_.percent(40)) node.written_registers.push_back(r);
    }
    graph.entry_nodes = {0};
    for (u32 k = random_.pick({0u, 1u, 1u, 3u}); k > 0; --k)
        graph.entry_nodes.push_back(static_cast<int>(random_.below(static_cast<u32>(count))));
    if (graph.entry_nodes.size() == 3) graph.entry_nodes.push_back(0);
    graph.compute_registers_at_entry();
    return graph;
}

/// Emits code that initializes the fuel and jumps to one of the entries.
void PtxBody::emit_graph_entry(BlockGraph& graph) {
    const Reg fuel_register = graph.fuel_register = text_.make_register_of(RegisterKind::word);
    graph.has_fuel_register = text_.make_register_of(RegisterKind::predicate);
    const bool is_count_random = random_.percent(70);
    if (is_count_random) {
        const Reg low_bits = emit_to_new_register(RegisterKind::word, "and.b32 $, $, 7",
                                                  {pick_register(RegisterKind::word)});
        emit("add.s32 $, $, $", {fuel_register, low_bits, random_.between(1, 3)});
    } else {
        emit("mov.u32 $, $", {fuel_register, random_.between(2, 8)});
    }
    available_registers.add(fuel_register);
    std::vector<int> to;
    for (int e : graph.entry_nodes) to.push_back(graph.blocks[e]);
    if (to.size() == 1) {
        text_.end_with_jump(to[0]);
    } else if (to.size() == 2) {
        text_.end_with_branch(pick_register(RegisterKind::predicate), random_.percent(50), to[0],
                              to[1]);
    } else {
        const Reg entry_index = emit_to_new_register(RegisterKind::word, "and.b32 $, $, 3",
                                                     {pick_register(RegisterKind::word)});
        text_.end_with_indexed_jump(entry_index, to);
    }
}

void PtxBody::emit_write_in_graph(Reg r) {
    const RegisterKind kind = r.kind;
    const Reg a = pick_register(kind), b = pick_register(kind);
    if (kind == RegisterKind::predicate)
        emit("xor.pred $, $, $", {r, a, b});
    else
        emit("$$$, $, $", {random_.percent(50) ? "add.s" : "sub.s", bits_of(kind), r, a, b});
    available_registers.add(r);
}

/// Emits a branch to one of the node's successors.
void PtxBody::emit_node_exit(const BlockGraph& graph, int n) {
    const BlockGraph::Node& node = graph.nodes[n];
    const std::string fuel_name = name_of(graph.fuel_register),
                      has_fuel = name_of(graph.has_fuel_register);
    bool can_go_back = false;
    for (int to : node.successors) can_go_back |= to <= n;
    std::vector<int> to;
    for (int successor : node.successors) to.push_back(graph.blocks[successor]);
    if (node.ending == BlockGraph::Node::NodeEnding::jumps) return text_.end_with_jump(to[0]);
    if (can_go_back) emit("add.s32 $, $, -1", {fuel_name, fuel_name});
    if (node.ending == BlockGraph::Node::NodeEnding::branches) {
        Reg deciding_predicate = random_predicate(false);
        if (can_go_back) {
            emit("setp.gt.and.s32 $, $, 0, $", {has_fuel, fuel_name, deciding_predicate});
            deciding_predicate = graph.has_fuel_register;
        }
        return text_.end_with_branch(deciding_predicate, false, to[1], to[0]);
    }
    Reg successor_index = text_.make_register_of(RegisterKind::word);
    emit("and.b32 $, $, $",
         {successor_index, pick_register(RegisterKind::word), static_cast<u32>(to.size()) - 1});
    if (can_go_back) {
        emit("setp.gt.s32 $, $, 0", {has_fuel, fuel_name});
        const Reg guarded_index = emit_to_new_register(RegisterKind::word, "selp.b32 $, $, 0, $",
                                                       {successor_index, has_fuel});
        successor_index = guarded_index;
    }
    text_.end_with_indexed_jump(successor_index, to);
}

}  // namespace coalesce::campaign
