/// \file
/// Finds similar submissions for a person to judge. In most exercises only a few lines are left to
/// write, so many correct answers are equal.
///
/// The source is converted to tokens, in which all names except those of CUDA and C++ are equal.
/// Runs of tokens are hashed, and the smallest hash in each window of hashes becomes a fingerprint
/// (winnowing: Schleimer, Wilkerson, Aiken, 2003). Fingerprints that the skeleton or the solution
/// has are ignored. A shared fingerprint weighs more, the fewer students have it: an answer that
/// half of the class found says nothing, and a mistake that only two students made says much.
/// Tokens with their original names are compared too, so that a common answer with unusual names is
/// noticed.
#pragma once

#include <string>
#include <vector>

#include "grader/class/results.h"

namespace coalesce::grader {

/// Similar submissions: the same answer from several students, or two answers that have much in
/// common.
struct Alike {
    std::vector<std::size_t> who;  ///< indices of the submissions, at least two
    double share = 0;              ///< fraction of fingerprints in common, from 0 to 1
    double rarity = 0;             ///< bits by which a match by chance is unlikely, at least
    bool has_same_names = false;   ///< whether all tokens are equal, including names
    bool is_same_file = false;     ///< equal byte by byte
};

/// Returns the groups of submissions that have at least the given fraction of fingerprints in
/// common, the rarest first. Fingerprints of the sources in `common`, which are the skeleton and
/// the solution, are ignored.
std::vector<Alike> alike(const std::vector<std::string>& sources,
                         const std::vector<std::string>& common, double share = 0.6);

/// Returns the similarity report on a class as Markdown.
std::string similarity_markdown(const ClassResults& results);

}  // namespace coalesce::grader
