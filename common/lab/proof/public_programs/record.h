/// \file
/// What became of public programs on the simulated GPU: docs/results/public/programs.json, and its tables in the
/// book. The programs themselves, and what builds them, are not here: a row names them.
#pragma once

#include <string>
#include <vector>

namespace coalesce::proof {

/// What can become of a program.
struct Outcome {
    const char* name;       ///< in the record
    const char* words;      ///< in the book
    bool runs = false;      ///< to its end
    bool could_run = true;  ///< it compiles, has what it reads, and needs no closed library
};

struct PublicProgram {
    std::string repository, commit, file, arguments;
    const Outcome* outcome = nullptr;
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
