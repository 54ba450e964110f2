/// \file
/// The parts of questions and answers that exercises and a reader's own launches share: the task
/// for the page's compiler, its output, and the verdict as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "examiner/verdict.h"
#include "page_runner.h"

namespace coalesce::page {

/// Returns the task for clang that compiles `source`. `sizes` are the parameters of `configure`.
nlohmann::json task_for_clang(const Source& source, const std::vector<std::string>& sizes);

/// Returns the compiler's output, which is part of `answer`. A page sends LLVM IR, as "ir". Tests
/// use a compiler with its own back end and send PTX, as "ptx".
CompilerOutput parse_compiler_output(const nlohmann::json& question, const nlohmann::json& answer);

/// Returns the verdict as the answer of `examine`, which README.md describes.
nlohmann::json verdict_json(const Verdict& verdict, const Compiled& compiled);

}  // namespace coalesce::page
