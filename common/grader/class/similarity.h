/// \file
/// Finds similar submissions, which a person must then judge. Most exercises leave only a few lines
/// to write, so many correct answers are identical.
///
/// Each source is converted to tokens. All names become the same token, except names that CUDA and
/// C++ define. Runs of tokens are hashed, and the smallest hash in each window of hashes becomes a
/// fingerprint (winnowing: Schleimer, Wilkerson, Aiken, 2003). Fingerprints that also occur in the
/// skeleton or the solution are ignored.
///
/// Rare fingerprints weigh more than common ones. If half of the class has the same answer, this
/// means nothing. If only two students make the same mistake, it means a lot. The tokens are also
/// compared with their original names, to detect a common answer with unusual names.
#pragma once

#include <string>
#include <vector>

#include "grader/class/results.h"

namespace coalesce::grader {

/// A group of similar submissions: several identical answers, or two answers that share many
/// fingerprints.
struct SimilarSubmissions {
    std::vector<std::size_t> members;  ///< indices of the submissions, at least two
    double common_fraction = 0;        ///< fraction of fingerprints in common, from 0 to 1
    double rarity = 0;                 ///< how unlikely a chance match is: at least this many bits
    bool has_same_names = false;  ///< whether the submissions have the same tokens, including names
    bool is_same_file = false;    ///< whether the files are byte-identical
};

/// Returns groups of similar submissions, with the rarest similarities first. The members of a
/// group share at least the fraction `share` of their fingerprints. Fingerprints that occur in
/// `common` are ignored.
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
