// Names the files and environment variables through which the witness (witness.cpp) and its readers
// communicate.
#pragma once

namespace coalesce::witness {

/// The environment variable that names the folder for the files below. If it is not set, the
/// witness records nothing.
constexpr const char* kFolderVariable = "COALESCE_WITNESS";
/// The environment variable that makes every launch fail, regardless of its value.
constexpr const char* kRefuseVariable = "COALESCE_WITNESS_REFUSES";

/// The file of calls. It has one line per call, which ends with the call's result:
///
///     to-gpu 4000 cudaSuccess                 a copy of 4000 bytes
///     launch 4 1 1 256 1 1 cudaSuccess        blocks, threads per block
///     asked                                   the program asked for the last error
///     to-host 4000 cudaSuccess
///     elsewhere 4000 cudaSuccess              a copy within the host or within the GPU
constexpr const char* kCallsFile = "calls";
/// The files with the data of the last copy to the GPU and the last copy back.
constexpr const char* kInputFile = "in";
constexpr const char* kOutputFile = "out";

/// The byte that fills newly allocated GPU memory. A float that consists of these bytes is a NaN.
constexpr unsigned char kPoison = 0xff;

}  // namespace coalesce::witness
