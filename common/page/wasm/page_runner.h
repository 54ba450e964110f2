// Runs the output of the page's compiler on the linked-in simulator.
#pragma once

#include <nlohmann/json.hpp>

#include "examiner/compiled_from.h"
#include "examiner/runner.h"

namespace coalesce::page {

/// The output of the page's compiler.
struct FromCompiler {
    std::string compiler;  ///< "clang 22.0.0"
    RawOutput raw;
};

class PageRunner : public LaunchingRunner {
public:
    /// `solution` contains the precomputed costs of the solution, or is null if there are none.
    PageRunner(const FromCompiler& learners, const nlohmann::json& solution);

    // Each of these functions is a step. The page is told when a step starts, so that it can end
    // one that takes too long.

    /// Returns the learner's text, which has been compiled already.
    Compiled compile(const Source& source, const Signature& kernel) override;
    Trial run(const Compiled& kernel, const Produces& task, const TrialRequest& order) override;
    std::optional<Predicted> predict(const Compiled& kernel, const Produces& task,
                                     Shape shape) override;
    std::optional<std::string> load_cached(const std::string& kind, const std::string& of) override;

    /// Returns the result of `compile`.
    const Compiled& compiled() const { return compiled_; }

private:
    const FromCompiler& compiler_output_;
    const nlohmann::json& solution_;
    Compiled compiled_;
};

/// Creates the device once, with the small size that a page needs.
void prepare_device();

}  // namespace coalesce::page
