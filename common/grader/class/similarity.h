/// \file Finds similar submissions for a person to judge. Most exercises leave only a few lines to
/// write, so many correct answers are identical.
///
/// The source is converted to tokens, with the same token for all names except names of CUDA and
/// C++. Runs of tokens are hashed, and the smallest hash in each window of hashes becomes a
/// fingerprint (winnowing: Schleimer, Wilkerson, Aiken, 2003). Fingerprints that also occur in the
/// skeleton or the solution are ignored. The fewer students share a fingerprint, the more it
/// weighs: an answer that half of the class found means nothing, but a mistake that only two
/// students made means a lot. Tokens with their original names are compared too, so that a common
/// answer with unusual names is noticed.
#pragma once

#include <string>
#include <vector>

#include "grader/class/results.h"

namespace coalesce::grader {

/// Similar submissions: the same answer from several students, or two answers that have much in
/// common.
struct SimilarSubmissions {
    std::vector<std::size_t> members;  ///< indices of the submissions, at least two
    double share = 0;                  ///< fraction of fingerprints in common, from 0 to 1
    double rarity = 0;            ///< how unlikely a match by chance is, in bits (a lower bound)
    bool has_same_names = false;  ///< whether all tokens are equal, including names
    bool is_same_file = false;    ///< whether the files are byte-identical
};

/// Returns the groups of submissions that have at least the given fraction of fingerprints in
/// common, the rarest first. Fingerprints of the sources in `common`, which are the skeleton and
/// the solution, are ignored.
std::vector<SimilarSubmissions> find_similar(const std::vector<std::string>& sources,
                                             const std::vector<std::string>& common,
                                             double share = 0.6);

/// Returns the indices of the sources that equal `published` apart from comments and white space.
/// If `names_differ` is false, names of variables and functions are not compared.
std::vector<std::size_t> find_copies(const std::vector<std::string>& sources,
                                     const std::string& published, bool names_differ = true);

/// Returns the similarity report on a class as Markdown. Copies of the published solution come
/// first.
std::string similarity_markdown(const ClassResults& results);

}  // namespace coalesce::grader
