// Computes on the host the output that a random kernel should produce.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/campaign/streams/kernel.h"

namespace coalesce::timing {

using ByteVector = std::vector<unsigned char>;

/// The value of every byte of `out` before the launch.
constexpr unsigned char kUnwrittenByte = 0xa5;

/// Returns the input matrix. If the kernel computes with floats, the matrix consists of floats
/// between 1 and 2. Otherwise, it consists of random words.
ByteVector make_input(const Computation& work, std::size_t bytes);
/// Returns the expected contents of `out` after the launch. For kernels that compute a sum, use
/// `expected_sum` instead.
ByteVector expected_output(const Computation& work, const MatrixLaunch& run, const ByteVector& in);
/// Returns the expected sum of all words of `in`. The sum wraps around on overflow.
std::uint32_t expected_sum(const Computation& work, const MatrixLaunch& run, const ByteVector& in);

/// Describes the first wrong element, or returns an empty string if the output is correct.
std::string describe_wrong_element(const Computation& work, const MatrixLaunch& run,
                                   const ByteVector& in, const ByteVector& out);

}  // namespace coalesce::timing
