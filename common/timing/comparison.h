// Explains how the predictions of two variants of one program differ.
#pragma once

#include <string>

#include "timing/prediction.h"

namespace coalesce::timing {

/// Returns two or three sentences that explain the difference. The reasons come only from the two
/// predictions: bytes in flight, where warps spend their time, resident blocks, utilization of each
/// unit, and the lengths of runs in memory. Nothing is guessed about the source.
std::string compare_predictions(const Prediction& one, const Prediction& other);

}  // namespace coalesce::timing
