// What a prediction says, in a learner's words and figures.
//
// Every sentence is about numbers of the Prediction. One that is missing or rounds to nothing is not spoken of;
// what the source may look like is not guessed at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "timing/gpu.h"
#include "timing/prediction.h"

namespace coalesce::timing {

/// The parts of what is said, for whoever has a place for each; text() for all others.
struct Told {
    std::string kernel;                ///< as the Prediction calls it; may be empty
    std::string time;                  ///< "about 4.6 ms, 43 % of a copy"
    std::string label;                 ///< "predicted, NVIDIA H200, within 8 %"
    std::string verdict;               ///< what binds: "it waits at barriers: 3.4 KB are ..."
    std::vector<std::string> why;      ///< sentences, those for the verdict first
    std::vector<std::string> unknown;  ///< "The model does not know ..."
    std::string cure;                  ///< what could help: a sentence

    /// "padded: about 4.6 ms, 43 % of a copy (predicted, NVIDIA H200, within 8 %). It waits ..."
    std::string headline() const;
    /// All of it in paragraphs, each a line for whoever shows it to wrap.
    std::string text() const;
};

/// `useful_bytes`: what the launch has to read and write at least, together; 0: unknown, as of any CUDA program.
Told told(const Prediction& prediction, const Gpu& gpu, double useful_bytes = 0);

/// What has to stand beside every figure of a prediction: "predicted, unverified, NVIDIA L4, within 20 %".
std::string label_of(const Prediction& prediction);

/// Part of the speed of a copy: 0.43. Nothing where a number for it is missing.
std::optional<double> part_of_copy(const Prediction& prediction, const Gpu& gpu,
                                   double useful_bytes);

// For tables, and for sentences of others.
std::string words_for(Binds binds);      ///< "too few bytes on their way"
std::string words_for(Occupied what);    ///< "registers"
std::string words_for(Unknown unknown);  ///< "how long atomics wait for each other"

/// A kernel's name as it may be printed anywhere: other signs than ASCII's are question marks.
std::string printable(const std::string& name);

}  // namespace coalesce::timing
