// Hand-made predictions, similar to those of lessons 04 and 05. Lesson 04's kernel waits, and 05's
// does not.
#pragma once

#include <string>

#include "timing/gpu.h"
#include "timing/prediction.h"

namespace coalesce::timing::samples {

/// Returns a fictitious GPU with round numbers, about as large as an H200.
Gpu gpu();
/// The bytes that 04 and 05 read and write for 32768 x 32768 floats.
constexpr double useful_bytes = 2.0 * 4 * 32768 * 32768;

/// Like lesson 04: one load per thread, then a barrier, and two resident blocks of 1024 threads.
Prediction like_04();
/// Like lesson 05: four loads per thread, and eight resident blocks of 256 threads.
Prediction like_05();

/// Returns a prediction in which every number has a value, with the given bottleneck.
Prediction that_binds(Bottleneck bottleneck);

inline bool says(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

}  // namespace coalesce::timing::samples
