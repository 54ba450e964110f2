/// \file
/// What became of public programs on the simulated GPU: docs/results/public/programs.json, and its tables in the
/// book. The programs themselves, and what builds them, are not here: a row names them.
#pragma once

#include <string>
#include <vector>

namespace coalesce::proof {

/// The first four count for "runs"; the last three are not to happen.
enum class Outcome {
    verified,   ///< ran to its end, and said that its results are right
    ran,        ///< ran to its end; it does not check itself
    bug_found,  ///< ran, and a report about it is true: `detail` says why
    own_error,  ///< ran to its end, and said itself that it fails, as on a GPU: `detail` says why
    slow,       ///< was ended at the limit
    needs_library,  ///< needs another closed library, or graphics
    needs_feature,  ///< needs what is not simulated
    needs_input,    ///< needs a file or arguments that its repository has not
    not_built,      ///< does not compile with CUDA 13, or not alone
    false_alarm,
    wrong,
    crash
};
constexpr Outcome last_of(Outcome) {
    return Outcome::crash;
}

struct PublicProgram {
    std::string repository, commit, file, arguments;
    Outcome outcome = Outcome::ran;
    std::string detail;  ///< what is missing, or what was found
};

struct PublicPrograms {
    std::string simulator;  ///< the commit of this project that ran them
    std::string how;        ///< a sentence: how they were built and run
    std::vector<PublicProgram> programs;
};

/// Throws UsageError that names the row: an unknown key or outcome, a row twice, one that does not say what is
/// missing.
PublicPrograms read_public_programs(const std::string& json);

/// How many there are of each outcome, and the part that runs of those that can.
std::string totals_table(const PublicPrograms& all);
/// For each repository a heading with its address, and a row for each program.
std::string programs_tables(const PublicPrograms& all);

}  // namespace coalesce::proof
