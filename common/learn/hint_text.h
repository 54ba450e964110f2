/// \file
/// A hint's levels, as they are shown.
#pragma once

#include <string>

#include "examiner/course/exercise.h"

namespace coalesce::learn {

/// Under which name the levels seen are counted: the first failure that it is for, or "all".
inline std::string name_of(const Hint& hint) {
    return hint.failures.empty() ? "all" : hint.failures.front();
}

/// What it says at a level, from 1.
inline std::string text_of(const Hint& hint, int level) {
    const std::string& text = hint.levels[static_cast<std::size_t>(level - 1)];
    return text.substr(text.find_first_not_of('\n'));
}

/// Whether that text flows. A picture and a line of code are shown as they are.
inline bool is_sentence(const std::string& text, int level) {
    const std::string name = kHintLevels[static_cast<std::size_t>(level - 1)];
    return name == "question" || name == "api" || !text.starts_with("  ");
}

}  // namespace coalesce::learn
