// Generates a graph of blocks in which each block may branch to any other: loops with several
// entries, and nested loops that share blocks. A branch to a block with the same or a smaller index
// uses up fuel, so that every kernel terminates.
#include <algorithm>
#include <set>

#include "lab/campaign/ptx/body.h"

namespace coalesce::campaign {

struct PtxBody::Graph {
    struct Node {
        enum class Ends { jumps, branches, by_index } ends = Ends::jumps;
        /// Indices of successor nodes; the number of nodes stands for the exit.
        std::vector<int> next;
        std::vector<Reg> writes;
        std::set<u32>
            /// Indices of the registers in `all` that are written on every path to this node.
            has;
    };
    std::vector<Node> nodes;
    std::vector<int> entries;
    std::vector<Reg> all;  ///< registers that the nodes write
    /// Indices of the registers in `all` that are written on every path to the exit.
    std::set<u32> behind;
    std::vector<int> blocks;  ///< blocks of the nodes, followed by the exit block
    Reg fuel, has_fuel;

    void flow();
};

/// Computes, for each node, which registers have been written on every path to it.
void PtxBody::Graph::flow() {
    const int out = static_cast<int>(nodes.size());
    std::set<u32> everything;
    for (u32 k = 0; k < all.size(); ++k) everything.insert(k);
    std::vector<std::set<u32>> at(nodes.size() + 1, everything);
    const auto intersect = [](std::set<u32>& into, const std::set<u32>& from) {
        const std::size_t before = into.size();
        std::erase_if(into, [&](u32 k) { return !from.contains(k); });
        return into.size() != before;
    };
    for (int e : entries) at[e].clear();
    for (bool changed = true; changed;) {
        changed = false;
        for (int n = 0; n < out; ++n) {
            std::set<u32> end = at[n];
            for (Reg r : nodes[n].writes)
                end.insert(static_cast<u32>(std::find(all.begin(), all.end(), r) - all.begin()));
            for (int to : nodes[n].next) changed |= intersect(at[to], end);
        }
    }
    for (int n = 0; n < out; ++n) nodes[n].has = at[n];
    behind = at[out];
}

void PtxBody::emit_block_graph(const ThreadSet& where) {
    Graph graph = random_graph();
    for (std::size_t n = 0; n <= graph.nodes.size(); ++n) graph.blocks.push_back(text_.new_block());
    enter_graph(graph);
    const AvailableRegisters before = available_registers;
    ThreadSet w = where.after_divergence();
    w.turns *= 5;
    const auto known = [&](const std::set<u32>& written) {
        available_registers = before;
        for (u32 k : written) available_registers.add(graph.all[k]);
    };
    for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n) {
        known(graph.nodes[n].has);
        text_.begin(graph.blocks[n]);
        statements(random_.between(0, 3), w);
        for (Reg r : graph.nodes[n].writes) write_in_graph(r);
        if (random_.percent(60)) fold_random_registers(1);
        leave_node(graph, n);
    }
    known(graph.behind);
    text_.begin(graph.blocks.back());
    for (u32 k : graph.behind)
        if (random_.percent(70)) fold(graph.all[k]);
}

PtxBody::Graph PtxBody::random_graph() {
    Graph graph;
    const int count = static_cast<int>(random_.between(2, 8)), out = count;
    for (u32 k = random_.between(1, 5); k > 0; --k)
        graph.all.push_back(
            text_.make(random_.pick({RegisterKind::word, RegisterKind::word, RegisterKind::wide,
                                     RegisterKind::half, RegisterKind::predicate})));
    const auto forward = [&](int from) {
        return random_.percent(60) ? from + 1
                                   : static_cast<int>(random_.between(static_cast<u32>(from) + 1,
                                                                      static_cast<u32>(out)));
    };
    graph.nodes.resize(count);
    for (int n = 0; n < count; ++n) {
        Graph::Node& node = graph.nodes[n];
        const u32 how = random_.below(100);
        node.ends = how < 20   ? Graph::Node::Ends::jumps
                    : how < 85 ? Graph::Node::Ends::branches
                               : Graph::Node::Ends::by_index;
        node.next.push_back(forward(n));
        if (node.ends != Graph::Node::Ends::jumps) {
            const u32 more = node.ends == Graph::Node::Ends::branches ? 1 : random_.pick({1u, 3u});
            for (u32 k = 0; k < more; ++k)
                node.next.push_back(random_.percent(55)
                                        ? static_cast<int>(random_.below(static_cast<u32>(n) + 1))
                                        : forward(n));
        }
        for (Reg r : graph.all)
            if (random_.percent(40)) node.writes.push_back(r);
    }
    graph.entries = {0};
    for (u32 k = random_.pick({0u, 1u, 1u, 3u}); k > 0; --k)
        graph.entries.push_back(static_cast<int>(random_.below(static_cast<u32>(count))));
    if (graph.entries.size() == 3) graph.entries.push_back(0);
    graph.flow();
    return graph;
}

/// Emits code that initializes the fuel and jumps to one of the entries.
void PtxBody::enter_graph(Graph& graph) {
    const Reg fuel = graph.fuel = text_.make(RegisterKind::word);
    graph.has_fuel = text_.make(RegisterKind::predicate);
    const bool varies = random_.percent(70);
    if (varies) {
        const Reg low = emit_to_new_register(RegisterKind::word, "and.b32 $, $, 7",
                                             {pick_register(RegisterKind::word)});
        emit("add.s32 $, $, $", {fuel, low, random_.between(1, 3)});
    } else {
        emit("mov.u32 $, $", {fuel, random_.between(2, 8)});
    }
    available_registers.add(fuel);
    std::vector<int> to;
    for (int e : graph.entries) to.push_back(graph.blocks[e]);
    if (to.size() == 1) {
        text_.jump(to[0]);
    } else if (to.size() == 2) {
        text_.branch(pick_register(RegisterKind::predicate), random_.percent(50), to[0], to[1]);
    } else {
        const Reg index = emit_to_new_register(RegisterKind::word, "and.b32 $, $, 3",
                                               {pick_register(RegisterKind::word)});
        text_.jump_by_index(index, to);
    }
}

void PtxBody::write_in_graph(Reg r) {
    const RegisterKind kind = r.kind;
    const Reg a = pick_register(kind), b = pick_register(kind);
    if (kind == RegisterKind::predicate)
        emit("xor.pred $, $, $", {r, a, b});
    else
        emit("$$$, $, $", {random_.percent(50) ? "add.s" : "sub.s", bits_of(kind), r, a, b});
    available_registers.add(r);
}

/// Emits a branch to one of the node's successors.
void PtxBody::leave_node(const Graph& graph, int n) {
    const Graph::Node& node = graph.nodes[n];
    const std::string fuel = name_of(graph.fuel), has_fuel = name_of(graph.has_fuel);
    bool goes_back = false;
    for (int to : node.next) goes_back |= to <= n;
    std::vector<int> to;
    for (int next : node.next) to.push_back(graph.blocks[next]);
    if (node.ends == Graph::Node::Ends::jumps) return text_.jump(to[0]);
    if (goes_back) emit("add.s32 $, $, -1", {fuel, fuel});
    if (node.ends == Graph::Node::Ends::branches) {
        Reg decides = random_predicate(false);
        if (goes_back) {
            emit("setp.gt.and.s32 $, $, 0, $", {has_fuel, fuel, decides});
            decides = graph.has_fuel;
        }
        return text_.branch(decides, false, to[1], to[0]);
    }
    Reg index = text_.make(RegisterKind::word);
    emit("and.b32 $, $, $",
         {index, pick_register(RegisterKind::word), static_cast<u32>(to.size()) - 1});
    if (goes_back) {
        emit("setp.gt.s32 $, $, 0", {has_fuel, fuel});
        const Reg chosen =
            emit_to_new_register(RegisterKind::word, "selp.b32 $, $, 0, $", {index, has_fuel});
        index = chosen;
    }
    text_.jump_by_index(index, to);
}

}  // namespace coalesce::campaign
