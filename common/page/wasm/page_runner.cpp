#include "page_runner.h"

#include <emscripten.h>

#include "examiner/elements/element_trials.h"
#include "examiner/verdict_codec.h"
#include "harness/counters_json.h"
#include "simulator/base/options.h"
#include "simulator/report/reports.h"

// Notifies the page that a step has started: calls `onStep`, if the code that created the module
// has set it.
EM_JS(void, tell_page_of_step, (), {
    if (Module.onStep) Module.onStep();
});

namespace coalesce::page {

PageRunner::PageRunner(const CompilerOutput& learners, const CompilerOutput& reference,
                       const nlohmann::json& solution)
    : compiler_output_(learners), reference_output_(reference), solution_(solution) {}

Compiled PageRunner::compile(const Source& source, const Signature& kernel) {
    tell_page_of_step();
    const bool is_reference = kernel.kernel == kReferenceKernel;
    const CompilerOutput& made = is_reference ? reference_output_ : compiler_output_;
    return (is_reference ? compiled_reference_ : compiled_) =
               finish_compilation(source, kernel, made.compiler, made.raw);
}

Trial PageRunner::run(const Compiled& kernel, const Produces& task, const TrialRequest& order) {
    tell_page_of_step();
    return LaunchingRunner::run(kernel, task, order);
}

Trial PageRunner::run_with(const Compiled& kernel, const std::vector<CallArgument>& arguments,
                           const TrialRequest& order) {
    tell_page_of_step();
    return LaunchingRunner::run_with(kernel, arguments, order);
}

std::optional<Predicted> PageRunner::predict(const Compiled& kernel, const Produces& task,
                                             Shape shape) {
    tell_page_of_step();
    return LaunchingRunner::predict(kernel, task, shape);
}

std::optional<std::string> PageRunner::load_cached(const std::string& kind, const std::string&) {
    const auto& known = solution_.at(kind == "time" ? "predicted" : kind);
    return known.is_null() ? std::nullopt : std::optional(known.dump());
}

void prepare_device() {
    static const bool once = [] {
        simulator::Options& options = simulator::options();
        options.memory_bytes = 48ull << 20;
        options.worker_count = 1;
        options.is_quiet = true;
        simulator::reports().print_immediately(false);
        return true;
    }();
    static_cast<void>(once);
}

}  // namespace coalesce::page
