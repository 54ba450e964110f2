// Hand-written predictions that resemble those of lessons 04 and 05. In lesson 04, warps wait at
// barriers.
#pragma once

#include <string>

#include "timing/gpu.h"
#include "timing/prediction.h"

namespace coalesce::timing::samples {

/// Returns a fictitious GPU with round numbers, about as large as an H200.
Gpu gpu();
/// Number of bytes that the kernels of lessons 04 and 05 read and write for 32768 x 32768 floats.
constexpr double useful_bytes = 2.0 * 4 * 32768 * 32768;

/// Returns a prediction like lesson 04's: one load per thread followed by a barrier, and two
/// resident blocks of 1024 threads.
Prediction like_04();
/// Returns a prediction like lesson 05's: four loads per thread, and eight resident blocks of 256
/// threads.
Prediction like_05();

/// Returns a prediction with the given bottleneck and no missing numbers.
Prediction that_binds(Bottleneck bottleneck);

inline bool says(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

}  // namespace coalesce::timing::samples
