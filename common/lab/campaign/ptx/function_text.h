// The text of a PTX function that is being generated: its registers and basic blocks. The order of
// the blocks is chosen at the end.
#pragma once

#include <string>
#include <vector>

#include "lab/campaign/given.h"
#include "lab/campaign/random.h"

namespace coalesce::campaign {

enum class RegisterKind : unsigned char { predicate, half, word, wide };
inline constexpr int kKinds = 4;

struct Reg {
    RegisterKind kind = RegisterKind::word;
    u32 number = 0;
    bool operator==(const Reg&) const = default;
};
std::string name_of(Reg reg);

inline std::string format_number(u32 value) {
    return std::to_string(value);
}

/// Replaces each $ of an instruction's pattern with the next of the given operands.
std::string fill_operands(const std::string& pattern, const std::vector<PatternArgument>& operands);

/// The order of blocks in the text.
enum class BlockLayout { natural, shuffled, reversed, neighbours_swapped };

class FunctionText {
public:
    /// Creates an empty function. Labels begin with `prefix`. If `has_source_lines` is true, each
    /// instruction gets its own source line.
    FunctionText(std::string prefix, bool has_source_lines);

    Reg make_register_of(RegisterKind kind) {
        return {kind, register_counts_[static_cast<int>(kind)]++};
    }

    int new_block();
    /// Makes `block` the block to which new instructions are appended.
    void begin_block(int block) { current_block_ = block; }
    int current_block() const { return current_block_; }
    void append_instruction(const std::string& instruction);

    // ---- terminators of the current block ----
    void end_with_jump(int to);
    void end_with_branch(Reg predicate, bool is_negated, int yes, int no);
    void end_with_indexed_jump(Reg index, std::vector<int> to);
    /// Ends the block with `ret` or `exit`.
    void end_with_exit(const std::string& instruction);

    /// Returns the register declarations and all blocks as text. The entry block comes first.
    std::string format_text(Random& random, BlockLayout layout) const;

private:
    enum class BlockEnding { none, jump, branch, by_index, leave };
    struct Block {
        std::string lines = {};
        BlockEnding ending = BlockEnding::none;
        Reg predicate = {};  ///< condition or index of the branch
        bool is_negated = false;
        std::vector<int> targets = {};
        std::string exit_instruction = {};
    };
    std::string label_of_block(int block) const;
    std::string format_terminator(int index, int next, Random& random) const;
    void end_block(Block&& ending_block);

    std::string prefix_;
    bool has_source_lines_;
    u32 next_source_line_ = 1;
    u32 register_counts_[kKinds] = {};
    std::vector<Block> blocks_;
    int current_block_ = 0;
};

}  // namespace coalesce::campaign
