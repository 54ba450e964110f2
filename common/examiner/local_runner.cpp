#include <cstdlib>

#include "base/errors.h"
#include "examiner/cache.h"
#include "examiner/loaded_kernel.h"
#include "examiner/runner.h"
#include "examiner/verdict_codec.h"
#include "harness/device.h"

namespace coalesce {

void LocalRunner::prepare_process() {
    setenv("COALESCE_SIM_THREADS", "1", 0);
}

LocalRunner::LocalRunner(Options options) : options_(std::move(options)) {
    if (is_simulated()) return;
    if (const std::string gpu_problem = find_gpu_problem(); !gpu_problem.empty()) {
        throw UsageError("there is no device to run the kernel on: " + gpu_problem +
                         ". Use the simulated GPU: --device sim");
    }
}

Compiled LocalRunner::compile(const Source& source, const Signature& kernel) {
    CompileOptions options{.kernel = kernel,
                           .cache = options_.cache,
                           .compiler = options_.compiler,
                           .keeps_variables = options_.keeps_variables};
    if (!is_simulated()) options.architecture = native_architecture();
    return coalesce::compile(source, options);
}

std::optional<Predicted> LocalRunner::predict(const Compiled& kernel, const Produces& task,
                                              Shape shape) {
    if (!is_simulated()) return std::nullopt;
    const std::string key = shape.name() + "\n" + kernel.ptx;
    if (auto cached = read_cached<Predicted>(load_cached("predicted", key))) return cached;
    const auto predicted = LaunchingRunner::predict(kernel, task, shape);
    if (predicted) save_cached("predicted", key, codec::write(*predicted));
    return predicted;
}

std::optional<std::string> LocalRunner::load_cached(const std::string& kind,
                                                    const std::string& key) {
    return Cache(options_.cache).find(kind, simulated::identity() + "\n" + key);
}

void LocalRunner::save_cached(const std::string& kind, const std::string& key,
                              const std::string& text) {
    Cache(options_.cache).save_cached(kind, simulated::identity() + "\n" + key, text);
}

}  // namespace coalesce
