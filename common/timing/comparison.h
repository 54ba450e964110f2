// How the predictions of two variants of one program differ, and why.
#pragma once

#include <string>

#include "timing/prediction.h"

namespace coalesce::timing {

/// Two or three sentences. Why is told by what the two Predictions show: bytes on their way, lives of warps, blocks
/// on a multiprocessor, what is busy and for how long, memory's runs. What the sources look like is not guessed at.
std::string compared(const Prediction& one, const Prediction& other);

}  // namespace coalesce::timing
