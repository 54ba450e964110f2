/// \file
/// Finds similar submissions for a person to judge. An exercise leaves only a few lines to write, so many right
/// answers are equal.
///
/// A source is converted to tokens, in which all names except those of CUDA and C++ are equal. Runs of tokens are
/// hashed, and of each window of hashes the smallest is kept (winnowing: Schleimer, Wilkerson, Aiken, 2003). Parts of
/// the skeleton and the solution do not count. A common part weighs more, the fewer students have it: an answer that
/// half of the class found says nothing, and a mistake that only two students made says much. Tokens with their
/// original names are compared too, so that a common answer with unusual names is noticed.
#pragma once

#include <string>
#include <vector>

#include "grader/class/results.h"

namespace coalesce::grader {

/// Similar submissions: one answer of several students, or two answers that have much in common.
struct Alike {
    std::vector<std::size_t> who;  ///< their indices in the list, at least two
    double share = 0;              ///< common fraction of their fingerprints, 0 to 1
    double rarity = 0;             ///< lower bound, in bits, of how unlikely this is by chance
    bool has_same_names = false;   ///< equal token by token, including names
    bool is_same_file = false;     ///< equal byte by byte
};

/// Returns the submissions that have at least that fraction in common, the rarest first. Parts of the sources in
/// `common`, the skeleton and the solution, do not count.
std::vector<Alike> alike(const std::vector<std::string>& sources,
                         const std::vector<std::string>& common, double share = 0.6);

/// Returns the report on a class as Markdown.
std::string similarity_markdown(const ClassResults& results);

}  // namespace coalesce::grader
