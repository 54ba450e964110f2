// Predictions as text, between the simulator and what asks it: see prediction_codec.h.
#pragma once

#include <string>

#include "timing/prediction.h"

namespace coalesce::timing {

std::string text_of(const Predictions& predictions);
/// Throws std::runtime_error, with the place in the text that makes no sense.
Predictions predictions_in(const std::string& text);

}  // namespace coalesce::timing
