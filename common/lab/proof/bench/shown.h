/// \file
/// What the charts show: what bench measured, and what was predicted for the same GPU beside it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "lab/proof/bench/charts.h"

namespace coalesce::proof {

/// Rows of results, measured or not.
struct Shown {
    Json results = {};                 ///< rows with "gbps", of the largest square
    std::map<int, Json> squares = {};  ///< such rows, by side
    std::string gpu = "";
    double copy_gbps = 0, peak_gbps = 0;
    bool is_predicted = false;

    std::string words() const;    ///< "NVIDIA H200, measured"
    std::string caption() const;  ///< "NVIDIA H200, 32768 x 32768 floats, measured"
    double most_gbps() const;     ///< the next thousand above the peak
    /// The row of the same variant at the same square; nullptr when there is none.
    const Json* row(const Json& of) const;
};

/// What is drawn, and beside it what is predicted of the same GPU; nothing when that is all there is.
struct Both {
    Shown shown;
    std::optional<Shown> predicted;
};

/// Throws what Json throws when the files are something else.
Both both_of(const ChartResults& results);

bool is_rival(const Json& result);
/// It was right, and has a bandwidth.
bool is_timed(const Json& result);

}  // namespace coalesce::proof
