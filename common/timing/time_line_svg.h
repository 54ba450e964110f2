// What happens on one multiprocessor while the launch runs, as a drawing that stands for itself.
#pragma once

#include <string>

#include "timing/prediction.h"

namespace coalesce::timing {

/// 720 wide. Its colours are those of the course's other diagrams: a page that shows it may set them (--d-ink and so
/// on); alone it follows the system's light or dark.
std::string time_line_svg(const Prediction& prediction);

}  // namespace coalesce::timing
