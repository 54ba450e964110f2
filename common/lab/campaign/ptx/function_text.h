// The text of one PTX function while it is generated: registers, and basic blocks that are laid out
// last, in any order.
#pragma once

#include <string>
#include <vector>

#include "lab/campaign/given.h"
#include "lab/campaign/random.h"

namespace coalesce::campaign {

enum class Kind : unsigned char { predicate, half, word, wide };
inline constexpr int kKinds = 4;

struct Reg {
    Kind kind = Kind::word;
    u32 number = 0;
    bool operator==(const Reg&) const = default;
};
std::string name_of(Reg reg);

inline std::string number(u32 value) {
    return std::to_string(value);
}

/// Each $ of the pattern of an instruction stands for the next of what is given.
std::string filled(const std::string& pattern, const std::vector<Given>& given);

/// Where blocks stand in the text.
enum class Layout { natural, shuffled, reversed, neighbours_swapped };

class FunctionText {
public:
    /// Labels begin with `prefix`; with `lines`, every instruction gets a source line of its own.
    FunctionText(std::string prefix, bool lines);

    Reg make(Kind kind) { return {kind, made_[static_cast<int>(kind)]++}; }

    int new_block();
    /// Instructions go there from now on.
    void begin(int block) { current_ = block; }
    int current() const { return current_; }
    void line(const std::string& instruction);

    // ---- how the current block ends ----
    void jump(int to);
    void branch(Reg predicate, bool negated, int yes, int no);
    void jump_by_index(Reg index, std::vector<int> to);
    /// `ret`, `exit`.
    void leave(const std::string& how);

    /// Declarations of registers and all blocks, the first one first.
    std::string text(Random& random, Layout layout) const;

private:
    enum class Ending { none, jump, branch, by_index, leave };
    struct Block {
        std::string lines = {};
        Ending ending = Ending::none;
        Reg predicate = {};  ///< or the index
        bool negated = false;
        std::vector<int> targets = {};
        std::string leaves_by = {};
    };
    std::string label(int block) const;
    std::string ending_of(int index, int next, Random& random) const;
    void end(Block&& how);

    std::string prefix_;
    bool has_lines_;
    u32 next_line_ = 1;
    u32 made_[kKinds] = {};
    std::vector<Block> blocks_;
    int current_ = 0;
};

}  // namespace coalesce::campaign
