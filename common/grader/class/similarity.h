/// \file
/// Which submissions are alike, for a person to judge: an exercise leaves a few lines to write, and
/// many right answers are the same.
///
/// A source becomes tokens, in which every name is the same but those of CUDA and C++; runs of
/// some tokens become numbers, and of each window of some numbers the least stays (winnowing:
/// Schleimer, Wilkerson, Aiken, 2003). What the skeleton and the solution have is left out. What two
/// submissions have in common weighs the more, the fewer of the class have it: an answer that half of the
/// class found says nothing, and a mistake that only two made says much. With their names in them tokens
/// are compared as well, so that a common answer in two people's uncommon words is seen.
#pragma once

#include <string>
#include <vector>

#include "grader/class/results.h"

namespace coalesce::grader {

/// Submissions that are alike: the same answer from several, or two answers that have much in common.
struct Alike {
    std::vector<std::size_t> who;  ///< their places in the list, two at least
    double share = 0;              ///< of their fingerprints, 0 to 1
    double rarity = 0;  ///< bits: how unlikely it is that so much is the same by chance, at most
    bool has_same_names = false;  ///< token for token, names included
    bool is_same_file = false;    ///< byte for byte
};

/// Those that have at least that share in common, the rarest first. `common` are sources whose parts
/// count for nothing: the skeleton, the solution.
std::vector<Alike> alike(const std::vector<std::string>& sources,
                         const std::vector<std::string>& common, double share = 0.6);

/// The report on a class, as Markdown.
std::string similarity_markdown(const ClassResults& results);

}  // namespace coalesce::grader
