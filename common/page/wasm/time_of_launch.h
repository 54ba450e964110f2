// The predicted time of a launch, for the page: figures, explanations, and the timeline as a
// picture and as text.
#pragma once

#include <string>

#include "simulator/execute/recorder.h"
#include "timing/recording.h"
#include "timing/words.h"

namespace coalesce::simulator {

/// Records the next launch.
class LaunchRecording {
public:
    explicit LaunchRecording(Recorder::RecordMode mode) { recorder().begin(mode); }
    /// Ends the recording and discards the reports. If only the recorded blocks run, a block may
    /// fail because other blocks' results are missing, which is not an error of the kernel.
    ~LaunchRecording();
    LaunchRecording(const LaunchRecording&) = delete;
    LaunchRecording& operator=(const LaunchRecording&) = delete;
    /// Throws std::runtime_error if nothing was recorded.
    const timing::Recording& recording() const;
};

/// Returns JSON: {"prediction": in the format of coalescePredict, "of_copy": the speed as a
/// fraction of a copy's or null, "told": {"kernel", "time", "label", "verdict", "why", "unknown",
/// "cure"}, "svg", "text"}. `gpu` is the name of a GPU that has a file in gpus/, or the text of
/// such a file. `useful_bytes` is the minimum number of bytes that the launch must read and write,
/// or 0 if it is unknown. Throws timing::GpuError.
std::string time_of_launch(const timing::Recording& recording, const std::string& gpu,
                           double useful_bytes);

/// Returns the "told" object in the JSON that time_of_launch() returns.
std::string explanation_json(const timing::TimeExplanation& explanation);

}  // namespace coalesce::simulator
