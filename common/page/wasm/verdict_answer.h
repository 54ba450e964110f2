/// \file
/// Functions for questions about exercises and about a reader's own launches. They create the task
/// for the page's compiler, read the compiler's output, and write the verdict as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "examiner/verdict.h"
#include "page_runner.h"

namespace coalesce::page {

/// Returns the task for clang that compiles `source`. `sizes` are the parameters of `configure`. If
/// `keeps_variables` is true, clang does not optimize, so that variables stay in memory.
nlohmann::json task_for_clang(const Source& source, const std::vector<std::string>& sizes,
                              bool keeps_variables = false);

/// Returns the compiler's output, which is part of `answer`. If a page asks, `answer` contains LLVM
/// IR, as "ir". Tests use a compiler with a back end of its own, so their `answer` contains PTX, as
/// "ptx".
CompilerOutput parse_compiler_output(const nlohmann::json& question, const nlohmann::json& answer);

/// Returns the verdict in the format of the answer to `examine` (README.md).
nlohmann::json verdict_json(const Verdict& verdict, const Compiled& compiled);

}  // namespace coalesce::page
