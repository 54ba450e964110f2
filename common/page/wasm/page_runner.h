// Runs the output of the page's compiler on the simulator. The simulator is linked into the same
// program as this code.
#pragma once

#include <nlohmann/json.hpp>

#include "examiner/compiled_from.h"
#include "examiner/runner.h"

namespace coalesce::page {

/// The output of the page's compiler.
struct CompilerOutput {
    std::string compiler;  ///< such as "clang 22.0.0"
    RawOutput raw;
};

class PageRunner : public LaunchingRunner {
public:
    /// `learners` and `reference` are the compiler's outputs for the learner's kernel and for the
    /// reference. `reference` is empty for a transpose, which needs none. `solution` contains the
    /// costs of the solution, or null.
    PageRunner(const CompilerOutput& learners, const CompilerOutput& reference,
               const nlohmann::json& solution);

    // Each of the following functions is a step of the examination. The page is notified when a
    // step starts, so that it can stop a step that takes too long.

    /// Returns a compiled kernel: the reference if `kernel` is the reference's signature, and
    /// otherwise the learner's kernel.
    Compiled compile(const Source& source, const Signature& kernel) override;
    Trial run(const Compiled& kernel, const Produces& task, const TrialRequest& order) override;
    Trial run_with(const Compiled& kernel, const std::vector<CallArgument>& arguments,
                   const TrialRequest& order) override;
    std::optional<Predicted> predict(const Compiled& kernel, const Produces& task,
                                     Shape shape) override;
    std::optional<std::string> load_cached(const std::string& kind, const std::string& of) override;

    /// Returns the learner's compiled kernel. Call compile() first.
    const Compiled& compiled() const { return compiled_; }
    /// Returns the compiled reference. Call compile() first.
    const Compiled& compiled_reference() const { return compiled_reference_; }

private:
    const CompilerOutput& compiler_output_;
    const CompilerOutput& reference_output_;
    const nlohmann::json& solution_;
    Compiled compiled_, compiled_reference_;
};

/// Sets the simulator's options for a page, such as a device memory of only 48 MB.
void prepare_device();

}  // namespace coalesce::page
