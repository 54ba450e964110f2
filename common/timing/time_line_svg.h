// Draws the activity of one multiprocessor during the launch, as a complete SVG document.
#pragma once

#include <string>

#include "timing/prediction.h"

namespace coalesce::timing {

/// The drawing is 720 pixels wide. It uses the colours of the course's other diagrams, which the
/// page that shows the drawing can set (--d-ink and so on). Otherwise the drawing follows the light
/// or dark theme of the system.
std::string time_line_svg(const Prediction& prediction);

}  // namespace coalesce::timing
