// What the witness (witness.cpp) writes down, and how it is told where: for it and for who reads it.
#pragma once

namespace coalesce::witness {

/// A variable of the environment: the folder that gets the files below. Not set: it does nothing.
constexpr const char* kFolder = "COALESCE_WITNESS";
/// Another one: when it is set, no launch is possible.
constexpr const char* kRefuses = "COALESCE_WITNESS_REFUSES";

/// A line for each call, and how it ended:
///     to-gpu 4000 cudaSuccess                 a copy of so many bytes
///     launch 4 1 1 256 1 1 cudaSuccess        blocks, threads per block
///     asked                                   for the last error, as a launch leaves it
///     to-host 4000 cudaSuccess
///     elsewhere 4000 cudaSuccess              a copy that stays on one side
constexpr const char* kCalls = "calls";
/// What the last copy to the GPU and the last one back have moved.
constexpr const char* kIn = "in";
constexpr const char* kOut = "out";

/// Memory of the GPU is full of this byte when the program gets it: its floats are no numbers.
constexpr unsigned char kPoison = 0xff;

}  // namespace coalesce::witness
