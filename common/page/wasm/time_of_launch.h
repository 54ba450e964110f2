// What the page is told of a launch's predicted time: figures, words, and the time line as a picture and as text.
#pragma once

#include <string>

#include "timing/recording.h"
#include "timing/words.h"

namespace coalesce::simulator {

/// JSON: {"prediction": as coalescePredict writes it, "of_copy": 0.43 or null, "told": {"kernel", "time",
/// "label", "verdict", "why", "unknown", "cure"}, "svg", "text"}. `gpu`: a name of gpus/, or the text of such
/// a file. `useful_bytes`: what the launch has to read and write at least; 0: unknown. Throws
/// timing::GpuError.
std::string time_of_launch(const timing::Recording& recording, const std::string& gpu,
                           double useful_bytes);

/// "told" alone.
std::string told_json(const timing::Told& told);

}  // namespace coalesce::simulator
