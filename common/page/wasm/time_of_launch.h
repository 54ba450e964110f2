// The predicted time of a launch, for the page: figures, explanations, and the timeline as a
// picture and as text.
#pragma once

#include <string>

#include "simulator/execute/recorder.h"
#include "timing/recording.h"
#include "timing/words.h"

namespace coalesce::simulator {

/// A recording of the next launch. It begins when the object is created.
class LaunchRecording {
public:
    explicit LaunchRecording(Recorder::RecordMode mode) { recorder().begin_recording(mode); }
    /// Ends the recording and discards the reports. While recording, a block may fail because the
    /// results of other blocks are missing. Such a failure is not an error of the kernel.
    ~LaunchRecording();
    LaunchRecording(const LaunchRecording&) = delete;
    LaunchRecording& operator=(const LaunchRecording&) = delete;
    /// Throws std::runtime_error if nothing was recorded.
    const timing::Recording& recording() const;
};

/// Returns the prediction, the explanation and the pictures as JSON: {"prediction", "of_copy",
/// "told": {"kernel", "time", "label", "verdict", "why", "unknown", "cure"}, "svg", "text"}. `gpu`
/// is the name of a known GPU, or the text of a file in gpus/. `useful_bytes` is the minimum number
/// of bytes that the launch must read and write, or 0 if it is unknown.
std::string time_of_launch(const timing::Recording& recording, const std::string& gpu,
                           double useful_bytes);

/// Returns the "told" object in the JSON that time_of_launch() returns.
std::string explanation_json(const timing::TimeExplanation& explanation);

}  // namespace coalesce::simulator
