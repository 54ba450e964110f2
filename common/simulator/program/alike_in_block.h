// Which values all threads of a block have alike, those among them that each turn of a loop changes.
//
// Idea   value_classes.h asks where a value may be computed once, and so knows none that is written twice. A loop's
//        counter is alike for all threads if what it begins with is, and what is added to it: alike is all
//        that no thread's own number and no memory leads to.
// Watch  Nobody asks which threads come to where a value is written.
#pragma once

#include <vector>

#include "program/value_classes.h"

namespace coalesce::sim {

class AlikeInBlock {
public:
    AlikeInBlock(const ptx::Function& function, const Registers& registers);

    /// Whatever the instruction writes.
    bool is_alike(const ptx::Instruction& instruction) const;

private:
    const Registers& registers_;
    std::vector<bool> alike_;  ///< by value
};

}  // namespace coalesce::sim
