// Draws the activity of one multiprocessor during the launch, as a complete SVG document.
#pragma once

#include <string>

#include "timing/prediction.h"

namespace coalesce::timing {

/// Returns a drawing that is 720 pixels wide. A page can set its colours, which are CSS variables.
/// Otherwise the drawing follows the system's light or dark theme.
std::string time_line_svg(const Prediction& prediction);

}  // namespace coalesce::timing
