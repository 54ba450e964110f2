// Explains how the predictions of two variants of one program differ.
#pragma once

#include <string>

#include "timing/prediction.h"

namespace coalesce::timing {

/// Returns two or three sentences that explain the difference. They use only numbers in the two
/// predictions, such as bytes in flight and resident blocks. They guess nothing about the source.
std::string compare_predictions(const Prediction& first, const Prediction& second);

}  // namespace coalesce::timing
