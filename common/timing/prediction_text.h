// Predictions as text, for the interface between the simulator and other programs. See
// prediction_codec.h.
#pragma once

#include <string>

#include "timing/prediction.h"

namespace coalesce::timing {

std::string write_predictions(const Predictions& predictions);
/// Parses the predictions in `text`. If the text is invalid, throws a std::runtime_error that
/// states the position of the error.
Predictions parse_predictions(const std::string& text);

}  // namespace coalesce::timing
