// Draws the activity of one multiprocessor during the launch, as a complete SVG document.
#pragma once

#include <string>

#include "timing/prediction.h"

namespace coalesce::timing {

/// Returns a drawing that is 720 pixels wide. Its colours are CSS variables, which a page can set.
/// If the page does not set them, the drawing follows the system's light or dark theme.
std::string time_line_svg(const Prediction& prediction);

}  // namespace coalesce::timing
