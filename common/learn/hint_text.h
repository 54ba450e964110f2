/// \file
/// Formats the levels of a hint for printing.
#pragma once

#include <string>

#include "examiner/course/exercise.h"

namespace coalesce::learn {

/// Returns the name by which the learner's progress refers to the hint: the first failure that the
/// hint explains, or "all" if the hint applies to every failure.
inline std::string name_of(const Hint& hint) {
    return hint.failures.empty() ? "all" : hint.failures.front();
}

/// Returns the text of a level. Levels are numbered from 1.
inline std::string text_of(const Hint& hint, int level) {
    const std::string& text = hint.levels[static_cast<std::size_t>(level - 1)];
    return text.substr(text.find_first_not_of('\n'));
}

/// Reports whether the text of a level consists of sentences, which may be wrapped. Pictures and
/// lines of code are printed unchanged.
inline bool is_sentence(const std::string& text, int level) {
    const std::string name = kHintLevels[static_cast<std::size_t>(level - 1)];
    return name == "question" || name == "api" || !text.starts_with("  ");
}

}  // namespace coalesce::learn
