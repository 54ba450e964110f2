// What sentences about a Prediction ask of it, and the parts that they share.
#pragma once

#include <string>
#include <vector>

#include "timing/prediction.h"

namespace coalesce::timing {

/// Runs that are shorter cost memory more than those of a copy.
constexpr double kLongRun = 1024;
/// What is so many times as much is worth a word.
constexpr double kNotablyMore = 1.1;
/// A part of the GPU that is busy for so much of the time counts.
constexpr double kBusy = 0.7;

/// Of 10 nanoseconds at least: anything less is a mistake.
bool has_time(const Prediction& prediction);
/// Loads were under way, at least a byte of them on average.
bool is_on_its_way(const Prediction& prediction);
/// Little's law has something to say: fewer bytes are on their way than memory needs.
bool is_too_little(const Prediction& prediction);
/// No part of the GPU is busy all the time: what counts is what warps wait for.
bool waits(const Prediction& prediction);
bool is_short(double run_bytes);

/// "2 blocks of 1024 threads": those that a multiprocessor holds.
std::string blocks_text(const Prediction& prediction);
/// "1 block", "2 blocks".
std::string count_text(int count, const std::string& one);
/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& things);
/// The first letter of a sentence.
std::string capital(std::string text);

}  // namespace coalesce::timing
