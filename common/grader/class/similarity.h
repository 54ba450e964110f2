/// \file
/// Finds similar submissions, which a person must then judge. Most exercises leave only a few lines
/// to write, so many correct answers are identical.
///
/// Each source is converted to tokens. All names become the same token, except names that CUDA and
/// C++ define. Runs of tokens are hashed, and the smallest hash in each window of hashes becomes a
/// fingerprint (winnowing: Schleimer, Wilkerson, Aiken, 2003). Fingerprints that also occur in the
/// skeleton or the solution are ignored.
///
/// Rare fingerprints weigh more than common ones. An answer that half of the class has proves
/// nothing, but a mistake that only two students make proves a lot. The tokens are also compared
/// with their original names, because even a common answer is suspicious if two students use the
/// same unusual names.
#pragma once

#include <string>
#include <vector>

#include "grader/class/results.h"

namespace coalesce::grader {

/// A group of similar submissions: several identical answers, or two answers that share many
/// fingerprints.
struct SimilarSubmissions {
    std::vector<std::size_t> members;  ///< indices of the submissions, at least two
    /// fraction of the fingerprints that the members share, from 0 to 1
    double common_fraction = 0;
    /// how unlikely it is that the match is a coincidence, in bits; higher is less likely
    double rarity = 0;
    bool has_same_names = false;  ///< whether the submissions have the same tokens, including names
    bool is_same_file = false;    ///< whether the files are byte-identical
};

/// Returns groups of similar submissions, with the rarest similarities first. The members of a
/// group share at least the fraction `min_common_fraction` of their fingerprints. Fingerprints that
/// occur in `common` are ignored.
std::vector<SimilarSubmissions> find_similar(const std::vector<std::string>& sources,
                                             const std::vector<std::string>& common,
                                             double min_common_fraction = 0.6);

/// Returns the indices of the sources whose tokens equal those of `published`. Comments and white
/// space are ignored. If `distinguishes_names` is false, the names of variables and functions are
/// ignored too.
std::vector<std::size_t> find_copies(const std::vector<std::string>& sources,
                                     const std::string& published, bool distinguishes_names = true);

/// Returns the similarity report on a class as Markdown. Copies of the published solution come
/// first.
std::string similarity_markdown(const ClassResults& results);

}  // namespace coalesce::grader
