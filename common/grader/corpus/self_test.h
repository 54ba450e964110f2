/// \file
/// The grader tried on submissions whose verdicts are known: hostile ones, broken ones, and honest
/// ones that look unusual.
///
/// The submissions are data files in cases/: kernels, and archives that students hand in. cases.txt
/// names them, a line each (of kernels that are large by design, case_text.h makes the text):
///
///     file  exercise  verdict  failure        `-` as failure: nothing is wrong
///                                             `a|b`: either is right
///
/// What runs out first, time or memory, depends on the computer: such cases have two failures.
/// An exercise ("03_tiled", or "async" whatever its number is) is asked as it stands in the course, with
/// hidden shapes more; what is found on those may be told by its kind alone. Archives are of an
/// assignment that has 02_naive and 03_tiled.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "examiner/compile.h"
#include "grader/judge/judge.h"

namespace coalesce::grader {

/// One submission with what must be found in it.
struct CorpusCase {
    std::string file;          ///< in cases/
    std::string exercise;      ///< "03_tiled"
    bool is_by_clang = false;  ///< its line is one of cases_by_clang.txt
    std::string verdict;       ///< "WA"
    /// "indices-not-swapped"; any of them is right; none: nothing is wrong.
    std::vector<std::string> failures;
    /// Whether it is an honest one.
    bool is_right() const { return verdict == "OK"; }
    /// "indices-not-swapped", as its line in cases.txt has it; "" for nothing.
    std::string failure() const;
    /// The same one ought to come of both.
    bool has_the_end_of(const CorpusCase& other) const {
        return verdict == other.verdict && failures == other.failures;
    }
};

/// Reads the text of a cases.txt. Throws std::runtime_error that names the line.
std::vector<CorpusCase> corpus_cases(const std::string& text);

/// All cases, as they come out by that compiler: cases.txt, and cases_by_clang.txt in its place.
std::vector<CorpusCase> cases_of(Compiler compiler);

/// What the corpus asks: the course's exercises with hidden shapes that its cases know. By their names
/// ("03_tiled"), and by these without a number.
std::map<std::string, Assigned> corpus_exercises();

/// Judges every submission of the corpus, and looks for what it leaves behind: processes, cgroups,
/// files. Writes what is not as it should be, and a summary. 0: all is well; 1: it is not; 2: nothing
/// can be judged here. `every` 5: a sample, one submission of five, and those that come out otherwise by the
/// compiler at hand; `only` "atomic_": those whose files begin with that.
int self_test(std::ostream& out, const JudgeOptions& options, int every = 1,
              const std::string& only = "");

}  // namespace coalesce::grader
