#include "lab/campaign/ptx/function_text.h"

#include <algorithm>
#include <utility>

namespace coalesce::campaign {

std::string name_of(Reg reg) {
    static const char* const register_prefixes[] = {"%p", "%h", "%r", "%d"};
    return register_prefixes[static_cast<int>(reg.kind)] + std::to_string(reg.number);
}

std::string fill_operands(const std::string& pattern,
                          const std::vector<PatternArgument>& operands) {
    std::string text;
    auto next_operand = operands.begin();
    for (const char letter : pattern)
        text += letter == '$' ? (next_operand++)->text : std::string(1, letter);
    return text;
}

FunctionText::FunctionText(std::string prefix, bool has_source_lines)
    : prefix_(std::move(prefix)), has_source_lines_(has_source_lines) {
    new_block();
}

int FunctionText::new_block() {
    blocks_.emplace_back();
    return static_cast<int>(blocks_.size()) - 1;
}

void FunctionText::append_instruction(const std::string& instruction) {
    std::string& lines = blocks_[current_block_].lines;
    if (has_source_lines_) lines += "\t.loc 1 " + std::to_string(next_source_line_++) + " 1\n";
    lines += "\t" + instruction + "\n";
}

void FunctionText::end_block(Block&& ending_block) {
    ending_block.lines = std::move(blocks_[current_block_].lines);
    blocks_[current_block_] = std::move(ending_block);
}

void FunctionText::end_with_jump(int to) {
    end_block({.ending = BlockEnding::jump, .targets = {to}});
}

void FunctionText::end_with_branch(Reg predicate, bool is_negated, int yes, int no) {
    end_block({.ending = BlockEnding::branch,
               .predicate = predicate,
               .is_negated = is_negated,
               .targets = {yes, no}});
}

void FunctionText::end_with_indexed_jump(Reg index, std::vector<int> to) {
    end_block({.ending = BlockEnding::by_index, .predicate = index, .targets = std::move(to)});
}

void FunctionText::end_with_exit(const std::string& instruction) {
    end_block({.ending = BlockEnding::leave, .exit_instruction = instruction});
}

std::string FunctionText::label_of_block(int block) const {
    return "$" + prefix_ + std::to_string(block);
}

std::string FunctionText::format_terminator(int index, int next_block, Random& random) const {
    const Block& b = blocks_[index];
    const auto jump_to = [&](int to) {
        return to == next_block && random.percent(90) ? std::string()
                                                      : "\tbra " + label_of_block(to) + ";\n";
    };
    switch (b.ending) {
        case BlockEnding::jump: return jump_to(b.targets[0]);
        case BlockEnding::leave: return "\t" + b.exit_instruction + ";\n";
        case BlockEnding::branch: {
            const bool are_targets_swapped = b.targets[0] == next_block || random.percent(25);
            const std::string guard =
                (b.is_negated != are_targets_swapped ? "\t@!" : "\t@") + name_of(b.predicate);
            const std::string branch_opcode = random.percent(10) ? " bra.uni " : " bra ";
            // .uni promises that lanes do not diverge, which is certain only if both targets are
            // equal.
            return guard + (b.targets[0] == b.targets[1] ? branch_opcode : " bra ") +
                   label_of_block(b.targets[are_targets_swapped]) + ";\n" +
                   jump_to(b.targets[!are_targets_swapped]);
        }
        case BlockEnding::by_index: {
            const std::string list = "T" + prefix_ + std::to_string(index);
            std::string text = list + ": .branchtargets ";
            for (std::size_t k = 0; k < b.targets.size(); ++k)
                text += (k ? ", " : "") + label_of_block(b.targets[k]);
            return text + ";\n\tbrx.idx " + name_of(b.predicate) + ", " + list + ";\n";
        }
        case BlockEnding::none: break;
    }
    return "\tret;\n";
}

std::string FunctionText::format_text(Random& random, BlockLayout layout) const {
    std::string text;
    static const char* const register_types[] = {".pred %p", ".b16 %h", ".b32 %r", ".b64 %d"};
    for (int k = 0; k < kKinds; ++k)
        if (register_counts_[k])
            text += "\t.reg " + std::string(register_types[k]) + "<" +
                    std::to_string(register_counts_[k]) + ">;\n";

    std::vector<int> order;
    for (int k = 1; k < static_cast<int>(blocks_.size()); ++k) order.push_back(k);
    if (layout == BlockLayout::reversed) std::reverse(order.begin(), order.end());
    if (layout == BlockLayout::shuffled)
        for (std::size_t k = order.size(); k > 1; --k)
            std::swap(order[k - 1], order[random.below(static_cast<u32>(k))]);
    if (layout == BlockLayout::neighbours_swapped)
        for (std::size_t k = 1; k < order.size(); ++k)
            if (random.percent(40)) std::swap(order[k - 1], order[k]);
    order.insert(order.begin(), 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
        const int next_block = k + 1 < order.size() ? order[k + 1] : -1;
        text += label_of_block(order[k]) + ":\n" + blocks_[order[k]].lines +
                format_terminator(order[k], next_block, random);
    }
    return text;
}

}  // namespace coalesce::campaign
