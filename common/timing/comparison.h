// Explains how the predictions of two variants of one program differ.
#pragma once

#include <string>

#include "timing/prediction.h"

namespace coalesce::timing {

/// Returns up to three sentences that explain why the predicted times differ. The sentences mention
/// only numbers from the two predictions, such as bytes in flight and resident blocks. They guess
/// nothing about the source.
std::string compare_predictions(const Prediction& first, const Prediction& second);

}  // namespace coalesce::timing
