// Runs what a page's compiler made, on the simulator that is linked in.
#pragma once

#include <nlohmann/json.hpp>

#include "examiner/compiled_from.h"
#include "examiner/runner.h"

namespace coalesce::page {

/// The answer of the page's compiler.
struct FromCompiler {
    std::string compiler;  ///< "clang 22.0.0"
    RawOutput raw;
};

class PageRunner : public LaunchingRunner {
public:
    /// `solution`: what is compiled in of the solution's costs; null where there is nothing to compare with.
    PageRunner(const FromCompiler& learners, const nlohmann::json& solution);

    // Each of these three is a step, whose beginning the page is told: it ends what does not end.

    /// Of the learner's text, which was compiled before.
    Compiled compile(const Source& source, const std::string& kernel) override;
    Trial run(const Compiled& kernel, const Produces& task, const TrialOrder& order) override;
    std::optional<Predicted> predict(const Compiled& kernel, const Produces& task,
                                     Shape shape) override;
    std::optional<std::string> kept(const std::string& kind, const std::string& of) override;

    /// What came of it.
    const Compiled& compiled() const { return compiled_; }

private:
    const FromCompiler& learners_;
    const nlohmann::json& solution_;
    Compiled compiled_;
};

/// Makes the device as small as a page wants it, once.
void prepare_device();

}  // namespace coalesce::page
