/// \file
/// Tests the grader on submissions with known verdicts. Some are hostile, some are broken, and some
/// are correct but look unusual.
///
/// The submissions are files in cases/. Each line of cases.txt contains a file, an exercise, the
/// required verdict and the required failure. The failure `-` means that nothing is wrong, and
/// `a|b` allows either of the failures `a` and `b`.
///
/// An exercise is named with its number ("03_tiled") or without it ("async"), because the numbers
/// may change. It is judged with the requirements of the course, and with additional hidden shapes.
/// Archives are submissions to an assignment that consists of 02_naive and 03_tiled.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "examiner/compile.h"
#include "grader/judge/judge.h"

namespace coalesce::grader {

/// A submission and its required verdict.
struct CorpusCase {
    std::string file;          ///< the submission's file in cases/
    std::string exercise;      ///< such as "03_tiled"
    bool is_by_clang = false;  ///< whether the case comes from cases_by_clang.txt
    std::string verdict;       ///< code of the required verdict, such as "WA"
    /// Allowed failures, such as "indices-not-swapped". Empty if nothing is wrong.
    std::vector<std::string> failures;
    /// Reports whether the submission is correct.
    bool is_correct() const { return verdict == "OK"; }
    /// Returns the failure as written in cases.txt, or "" if there is none.
    std::string failure() const;
    /// Reports whether both cases require the same verdict and failure.
    bool has_same_outcome_as(const CorpusCase& other) const {
        return verdict == other.verdict && failures == other.failures;
    }
};

/// Parses the text of cases.txt. Throws a std::runtime_error that names the faulty line.
std::vector<CorpusCase> parse_corpus_cases(const std::string& text);

/// Returns all cases for a compiler. For clang, cases in cases_by_clang.txt replace the
/// corresponding cases in cases.txt.
std::vector<CorpusCase> cases_for_compiler(Compiler compiler);

/// Returns the exercises of the corpus, keyed by name both with and without the number. The
/// exercises have fixed hidden shapes, on which the cases rely.
std::map<std::string, AssignedExercise> corpus_exercises();

/// The cases of the corpus to judge. These are every `step`-th case, beginning with the case number
/// `first`, and all cases whose results depend on the compiler. Cases in files whose names do not
/// start with `file_prefix` are left out.
struct CaseSample {
    int step = 1, first = 0;
    std::string file_prefix = "";
};

/// Judges submissions of the corpus, and looks for leftover processes, cgroups and files. Returns 0
/// if every submission gets its required verdict and nothing is left over, 1 if not, and 2 if
/// nothing can be judged on this computer.
int self_test(std::ostream& out, const JudgeOptions& options, const CaseSample& sample = {});

}  // namespace coalesce::grader
