// Predictions made by hand, like those of two lessons: 04 waits, 05 does not.
#pragma once

#include <string>

#include "timing/gpu.h"
#include "timing/prediction.h"

namespace coalesce::timing::samples {

/// Not any that is: round numbers of the size of an H200's.
Gpu gpu();
/// What 04 and 05 read and write, together, of 32768 x 32768 floats.
constexpr double useful_bytes = 2.0 * 4 * 32768 * 32768;

/// One load per thread, then a barrier; two blocks of 1024 threads.
Prediction like_04();
/// Four loads per thread; eight blocks of 256 threads.
Prediction like_05();

/// Everything has a value, and `binds` is what is busy or waited for.
Prediction that_binds(Binds binds);

inline bool says(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

}  // namespace coalesce::timing::samples
