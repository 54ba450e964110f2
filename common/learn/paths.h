/// \file
/// Where the command finds what it works on.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::learn {

/// The root of the repository that this command was built from.
std::filesystem::path repository();

/// The program of a step, "02_naive", beside the command itself.
std::filesystem::path program_of(const std::string& step);

}  // namespace coalesce::learn
