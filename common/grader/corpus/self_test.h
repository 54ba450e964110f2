/// \file
/// Tests the grader on submissions with known verdicts: hostile ones, broken ones, and honest ones that look unusual.
///
/// The submissions are data files in cases/: kernels, and archives as students hand them in. case_text.h expands
/// kernels that are large by design. cases.txt has a line for each:
///
///     file  exercise  verdict  failure        `-` as failure: nothing is wrong
///                                             `a|b`: either is right
///
/// If time or memory may run out first, depending on the computer, the case has two failures. An exercise
/// ("03_tiled", or "async" whatever its number) is judged as in the course, with additional hidden shapes, on which
/// the grader reports only the kind of failure. Archives belong to an assignment of 02_naive and 03_tiled.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "examiner/compile.h"
#include "grader/judge/judge.h"

namespace coalesce::grader {

/// A submission with the required verdict.
struct CorpusCase {
    std::string file;          ///< its file in cases/
    std::string exercise;      ///< "03_tiled"
    bool is_by_clang = false;  ///< its line is from cases_by_clang.txt
    std::string verdict;       ///< "WA"
    /// Allowed failures, such as "indices-not-swapped"; none if nothing is wrong.
    std::vector<std::string> failures;
    /// Reports whether the submission is right.
    bool is_right() const { return verdict == "OK"; }
    /// Returns the failure as in its line of cases.txt, or "".
    std::string failure() const;
    /// Reports whether both require the same result.
    bool has_the_end_of(const CorpusCase& other) const {
        return verdict == other.verdict && failures == other.failures;
    }
};

/// Parses a cases.txt. Throws std::runtime_error that names the line.
std::vector<CorpusCase> corpus_cases(const std::string& text);

/// Returns all cases for a compiler: those of cases.txt, replaced by those of cases_by_clang.txt for clang.
std::vector<CorpusCase> cases_of(Compiler compiler);

/// Returns the exercises of the corpus: the course's, with hidden shapes that the cases know, by their names with and
/// without the number.
std::map<std::string, Assigned> corpus_exercises();

/// Judges every submission of the corpus, and looks for processes, cgroups and files that are left behind. Writes
/// what is wrong, and a summary. Returns 0 if all is well, 1 if not, 2 if nothing can be judged here. `every` = 5
/// judges a sample of one in five, and all whose result depends on the compiler. `only` = "atomic_" judges those
/// whose file names begin with it.
int self_test(std::ostream& out, const JudgeOptions& options, int every = 1,
              const std::string& only = "");

}  // namespace coalesce::grader
