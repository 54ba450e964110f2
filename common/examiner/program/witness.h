// The files and variables by which the witness (witness.cpp) and its readers communicate.
#pragma once

namespace coalesce::witness {

/// An environment variable with the folder for the files below. If it is not set, the witness records nothing.
constexpr const char* kFolder = "COALESCE_WITNESS";
/// An environment variable. If it is set, every launch fails.
constexpr const char* kRefuses = "COALESCE_WITNESS_REFUSES";

/// The file of calls, with a line for each call and its result:
///
///     to-gpu 4000 cudaSuccess                 a copy of 4000 bytes
///     launch 4 1 1 256 1 1 cudaSuccess        blocks, threads per block
///     asked                                   the program asked for the last error
///     to-host 4000 cudaSuccess
///     elsewhere 4000 cudaSuccess              a copy that stays on one side
constexpr const char* kCalls = "calls";
/// The data of the last copy to the GPU and of the last copy back.
constexpr const char* kIn = "in";
constexpr const char* kOut = "out";

/// The byte that fills newly allocated GPU memory; as a float it is a NaN.
constexpr unsigned char kPoison = 0xff;

}  // namespace coalesce::witness
