// Emits a whole function: its header, its blocks in order, and the edges between them.
#include <algorithm>
#include <utility>

#include "page/ir_to_ptx/emitter.h"
#include "page/ir_to_ptx/names.h"
#include "page/ir_to_ptx/parameters.h"

namespace coalesce::translator {

namespace {

constexpr Emit kEmit[] = {
#define COALESCE_OP(name, form, emit) emit,
    COALESCE_TRANSLATOR_INSTRUCTIONS(COALESCE_OP)
#undef COALESCE_OP
};

struct Copy {
    std::string to, from;
    Register family;
};

std::string move(const Copy& copy) {
    static constexpr std::string_view kNames[] = {"mov.pred ", "mov.b16 ", "mov.b32 ", "mov.b64 "};
    return std::string(kNames[static_cast<int>(copy.family)]) + copy.to + ", " + copy.from;
}

}  // namespace

void emit_instruction(Emitter& emitter, const Instruction& instruction) {
    kEmit[static_cast<std::size_t>(instruction.op)](emitter, instruction);
}

std::string Emitter::text() {
    name_locals();
    find_not_unrolled();
    label_loop_exits();
    label_scopes();
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < function.blocks.size(); ++i) {
        next_block_ = i + 1 < function.blocks.size() ? function.blocks[i + 1] : nullptr;
        emit_block(*function.blocks[i]);
        texts.push_back(std::exchange(body_, {}));
    }
    // Only jump targets get a label, because lanes reconverge at labels.
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto label = labels_.find(function.blocks[i]);
        if (label != labels_.end()) emit_label(label->second);
        body_ += texts[i];
    }
    std::string location;
    if (function.location && function.location->line != 0)
        location = files_.format_location(*function.location);
    std::string begin, end;
    if (!function.debug_variables.empty()) {
        begin = debug_label("begin") + ":\n";
        end = debug_label("end") + ":\n";
    }
    return function_header(function) + "\n{\n" + registers_text() + declarations_ + location +
           begin + prologue_ + body_ + end + "}\n";
}

std::string Emitter::debug_label(const std::string& what) const {
    return "$L__debug_" + what + "_" + ptx_name(function.name);
}

/// Adds labels before and after the instructions of each scope that contains debug variables.
void Emitter::label_scopes() {
    for (const DebugVariable& variable : function.debug_variables) {
        const DebugScope& scope = variable.scope;
        if (function.location && scope.first_line == function.location->line) continue;
        if (scope_labels_.count(scope.node)) continue;
        const Instruction *first = nullptr, *last = nullptr;
        for (const Block* block : function.blocks) {
            for (const Instruction* i : block->instructions) {
                const bool is_inside = i->location && i->location->line >= scope.first_line &&
                                       i->location->line <= scope.last_line &&
                                       i->location->file == variable.file && i->op != Op::alloca;
                if (!is_inside) continue;
                if (!first) first = i;
                last = i;
            }
        }
        if (!first) continue;
        const std::string number = std::to_string(scope_labels_.size());
        const auto labels =
            std::make_pair(debug_label("scope" + number), debug_label("scope_end" + number));
        scope_labels_[scope.node] = labels;
        labels_before_[first].push_back(labels.first);
        labels_after_[last].push_back(labels.second);
    }
}

DebugFunction Emitter::debug_information(const std::vector<const Variable*>& shared) const {
    DebugFunction debug{
        ptx_name(function.name), debug_label("begin"), debug_label("end"), {}, scope_labels_};
    for (const DebugVariable& variable : function.debug_variables)
        debug.variables.push_back({&variable, local_names_.at(variable.memory), false});
    for (const Variable* variable : shared)
        if (variable->debug)
            debug.variables.push_back({&*variable->debug, ptx_name(variable->name), true});
    return debug;
}

std::string Emitter::registers_text() const {
    static constexpr std::string_view kDeclared[] = {".pred \t%p", ".b16 \t%rs", ".b32 \t%r",
                                                     ".b64 \t%rd"};
    std::string text;
    for (std::size_t i = 0; i < 4; ++i) {
        if (register_counts_[i] == 0) continue;
        text += "\t.reg " + std::string(kDeclared[i]) + "<" +
                std::to_string(register_counts_[i] + 1) + ">;\n";
    }
    return text;
}

/// Declares a variable in .local space for each alloca.
void Emitter::name_locals() {
    for (const Block* block : function.blocks) {
        for (const Instruction* i : block->instructions) {
            if (i->op != Op::alloca) continue;
            i64 count = 1;
            if (!i->operands.empty() && !is_number(i->operands[0], count)) {
                fail(*i, "a local array needs a size that is known at compile time");
            }
            const std::string name =
                ptx_name(function.name) + "_local_" + std::to_string(local_names_.size());
            const u64 bytes = std::max<u64>(1, size_of(*i->memory_type) * static_cast<u64>(count));
            declare(".local .align " + std::to_string(std::max(i->align, 1u)) + " .b8 " + name +
                    "[" + std::to_string(bytes) + "]");
            local_names_[i] = name;
        }
    }
}

/// Finds the headers of the loops that a pragma in the source excludes from unrolling.
void Emitter::find_not_unrolled() {
    std::set<const Block*> blocks_above;
    for (const Block* block : function.blocks) {
        blocks_above.insert(block);
        const Instruction& last = *block->last();
        if (!last.is_not_unrolled) continue;
        for (const Block* next : last.blocks) {
            if (blocks_above.count(next)) not_unrolled_.insert(next);
        }
    }
}

/// If several edges lead to the branch at the end of a loop, LLVM's back end moves this branch to
/// the start of the loop. The exit of the loop is then a jump target, at which lanes reconverge, so
/// the exit needs a label.
void Emitter::label_loop_exits() {
    const Dominators dominators(function);
    const auto predecessors_of_block = predecessors(function);
    for (const Block* end : function.blocks) {
        const Instruction& branch = *end->last();
        if (branch.op != Op::br || branch.blocks.size() != 2) continue;
        for (const std::size_t way : {0, 1}) {
            const Block* first = branch.blocks[way];
            if (first == end || !dominators.dominates(first, end)) continue;
            if (predecessors_of_block.at(end).size() > 1) block_label(*branch.blocks[1 - way]);
        }
    }
}

void Emitter::emit_block(Block& block) {
    if (not_unrolled_.count(&block)) emit_ptx(".pragma \"nounroll\"");
    for (const Instruction* i : block.instructions) {
        if (const auto label_list = labels_before_.find(i); label_list != labels_before_.end())
            for (const std::string& label : label_list->second) body_ += label + ":\n";
        const auto after = labels_after_.find(i);
        // The last instruction is a branch. Place the label of the scope's end before it, because
        // the branch ends its block.
        if (after != labels_after_.end() && i->ends_block())
            for (const std::string& label : after->second) body_ += label + ":\n";
        if (is_folded(i) || i->op == Op::phi || i->op == Op::alloca) continue;
        if (i->location) location_ = i->location;
        emit_instruction(*this, *i);
        if (after != labels_after_.end() && !i->ends_block())
            for (const std::string& label : after->second) body_ += label + ":\n";
    }
}

// ---- edges ----

bool Emitter::sets_phis(const Block& from, const Block& to) const {
    for (const Instruction* phi : to.instructions) {
        if (phi->op != Op::phi) break;
        for (std::size_t i = 0; i < phi->blocks.size(); ++i) {
            const Value* value = phi->operands[i];
            if (phi->blocks[i] != &from || value->has_kind(Value::Kind::undefined)) continue;
            if (register_sharing_.representative(value) != register_sharing_.representative(phi))
                return true;
        }
    }
    return false;
}

bool Emitter::can_set_phis_early(const Block& from, const Block& to, const Block& other) const {
    std::set<const Value*> used;
    for (const Value* value : liveness_.find_alive_between(&from, &other))
        used.insert(register_sharing_.representative(value));
    for (const Value* value : folding_.find_read_values(*from.last()))
        used.insert(register_sharing_.representative(value));
    for (const Instruction* phi : other.instructions) {
        if (phi->op == Op::phi) used.insert(register_sharing_.representative(phi));
    }
    for (const Instruction* phi : to.instructions) {
        if (phi->op != Op::phi) break;
        const auto way = std::find(phi->blocks.begin(), phi->blocks.end(), &from);
        if (way == phi->blocks.end()) continue;
        const Value* value = phi->operands[static_cast<std::size_t>(way - phi->blocks.begin())];
        const bool is_set_already =
            value->has_kind(Value::Kind::undefined) ||
            register_sharing_.representative(value) == register_sharing_.representative(phi);
        if (!is_set_already && used.count(register_sharing_.representative(phi))) return false;
    }
    return true;
}

/// Sets all phis at once, so that no copy overwrites a value that another one still has to read.
void Emitter::set_phis(const Block& from, const Block& to) {
    std::vector<Copy> copies;
    for (const Instruction* phi : to.instructions) {
        if (phi->op != Op::phi) break;
        const auto way = std::find(phi->blocks.begin(), phi->blocks.end(), &from);
        if (way == phi->blocks.end())
            fail(*phi, "a phi has no value for one of the preceding blocks");
        const Value* value = phi->operands[static_cast<std::size_t>(way - phi->blocks.begin())];
        if (value->has_kind(Value::Kind::undefined)) continue;
        const auto read = parts(value), written = parts(phi);
        const auto families = register_families(*phi->type);
        for (std::size_t i = 0; i < written.size(); ++i) {
            if (read[i] != written[i]) copies.push_back({written[i], read[i], families[i]});
        }
    }
    while (!copies.empty()) {
        const auto is_free = [&](const Copy& copy) {
            return std::none_of(copies.begin(), copies.end(), [&](const Copy& other) {
                return &other != &copy && other.from == copy.to;
            });
        };
        const auto next = std::find_if(copies.begin(), copies.end(), is_free);
        if (next != copies.end()) {
            emit_ptx(move(*next));
            copies.erase(next);
            continue;
        }
        // The copies form a cycle. Save one value in a temporary register.
        Copy& first = copies.front();
        const std::string saved_register = make_register(first.family);
        emit_ptx(move({saved_register, first.to, first.family}));
        for (Copy& copy : copies) {
            if (copy.from == first.to) copy.from = saved_register;
        }
    }
}

void Emitter::emit_edge(const Block& from, const Block& to) {
    set_phis(from, to);
    if (next_block_ != &to) emit_ptx("bra.uni " + block_label(to));
}

}  // namespace coalesce::translator
