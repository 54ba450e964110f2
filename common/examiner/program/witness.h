// Defines the environment variables and files through which the examiner and the witness library
// (witness.cpp) communicate.
#pragma once

namespace coalesce::witness {

/// The environment variable that names the folder for the witness's files. If the variable is not
/// set, the witness records nothing.
constexpr const char* kFolderVariable = "COALESCE_WITNESS";
/// The environment variable that makes every launch fail. Any value has this effect, even "".
constexpr const char* kRefuseVariable = "COALESCE_WITNESS_REFUSES";

/// The file to which the witness writes one line for each call. Every line except `asked` ends with
/// the result of the call:
///
///     to-gpu 4000 cudaSuccess                 a copy of 4000 bytes
///     launch 4 1 1 256 1 1 cudaSuccess        blocks, threads per block
///     asked                                   the program asked for the last error
///     to-host 4000 cudaSuccess
///     elsewhere 4000 cudaSuccess              a copy within the host or within the GPU
constexpr const char* kCallsFile = "calls";
/// The files with the data of the last copy in each direction: to the GPU, and to the host.
constexpr const char* kInputFile = "in";
constexpr const char* kOutputFile = "out";

/// The value of every byte of newly allocated GPU memory. A float that consists of these bytes is a
/// NaN.
constexpr unsigned char kPoison = 0xff;

}  // namespace coalesce::witness
