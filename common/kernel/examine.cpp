#include "kernel/examine.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/device.h"
#include "harness/errors.h"
#include "harness/text.h"
#include "kernel/block_order.h"
#include "kernel/cache.h"
#include "kernel/causes.h"
#include "kernel/costs.h"
#include "kernel/output_capture.h"
#include "kernel/simulated.h"
#include "kernel/solution_counters.h"
#include "kernel/stretch.h"
#include "kernel/trial.h"

namespace coalesce {
namespace {

/// The steps of one examination, in their order. Each says whether to go on.
class Examiner {
public:
    Examiner(const Source& source, const Request& request) : source_(source), request_(request) {
        found_.file = source.name;
        found_.kernel = request.kernel;
        found_.source = source.text;
    }

    Examination run();

private:
    bool compile_it();
    bool load_it();
    bool try_shapes();
    bool count();
    void hold_against_limits();

    void fail(Failure failure);
    void look_into(const Trial& trial);
    TrialConditions conditions() const;
    Trial try_on(Shape shape, Watch watch);

    const Source& source_;
    const Request& request_;
    Examination found_;
    Compiled compiled_;
    std::unique_ptr<LoadedKernel> kernel_;
    LaunchShape counted_launch_;
    bool was_right_on_whole_tiles_ = false;
};

void Examiner::fail(Failure failure) {
    const bool is_learners = failure.kind != FailureKind::no_compiler &&
                             failure.kind != FailureKind::environment_problem;
    found_.outcome =
        is_learners ? Examination::Outcome::failed : Examination::Outcome::not_examined;
    found_.failures.push_back(std::move(failure));
}

TrialConditions Examiner::conditions() const {
    return {.file_name = source_.name,
            .kernel = request_.kernel,
            .produces = request_.produces,
            .seed = request_.seed,
            .is_simulated = found_.is_simulated,
            .seconds_on_gpu = request_.seconds_on_gpu};
}

Trial Examiner::try_on(Shape shape, Watch watch) {
    return run_trial(*kernel_, conditions(), shape, watch);
}

bool Examiner::compile_it() {
    const Stretch stretch(found_.milliseconds.compile);
    CompileOptions options{
        .kernel = request_.kernel, .cache = request_.cache, .compiler = request_.compiler};
    if (!found_.is_simulated) options.architecture = native_architecture();
    compiled_ = compile(source_, options);
    found_.compiler = compiled_.compiler;
    found_.messages = compiled_.messages;
    if (!compiled_.ok()) fail(compiled_.failure);
    return compiled_.ok();
}

bool Examiner::load_it() {
    const Stretch stretch(found_.milliseconds.load);
    kernel_ = std::make_unique<LoadedKernel>(compiled_, source_.name);
    if (kernel_->problem().kind != FailureKind::none) fail(kernel_->problem());
    return kernel_->problem().kind == FailureKind::none;
}

/// A launch that was not good becomes the one failure that is told.
void Examiner::look_into(const Trial& trial) {
    // What broke a real GPU's context ends all that this process can do with it: nothing is tried
    // again there.
    const auto is_right_on_large_tiles = [&] {
        return found_.is_simulated && try_on(request_.counted, Watch::everything).is_good();
    };
    const auto result_without_checks = [&]() -> std::optional<Comparison> {
        if (!found_.is_simulated) return trial.comparison;
        return try_on(trial.shape, Watch::result_alone).comparison;
    };
    const Surroundings around{.file_name = source_.name,
                              .was_right_on_whole_tiles = was_right_on_whole_tiles_,
                              .is_right_on_large_tiles = is_right_on_large_tiles,
                              .result_without_checks = result_without_checks};
    fail(cause_of(trial, around));
}

bool Examiner::try_shapes() {
    const Stretch stretch(found_.milliseconds.shapes);
    const std::vector<Shape> shapes =
        request_.shapes.empty() ? usual_shapes(request_.rows_multiple, request_.cols_multiple)
                                : request_.shapes;
    for (const Shape shape : shapes) {
        const Trial trial = try_on(shape, Watch::everything);
        found_.shapes.push_back({shape, trial.is_good(), trial.launch});
        if (!trial.is_good()) {
            look_into(trial);
            return false;
        }
        was_right_on_whole_tiles_ |= has_whole_tiles(shape);
    }
    return true;
}

/// The largest shape: right there too, and with all its costs.
bool Examiner::count() {
    const Stretch stretch(found_.milliseconds.counters);
    const Trial trial = try_on(request_.counted, Watch::everything);
    found_.shapes.push_back({request_.counted, trial.is_good(), trial.launch});
    if (!trial.is_good()) {
        look_into(trial);
        return false;
    }
    counted_launch_ = trial.launch;
    found_.counted = request_.counted;
    if (!found_.is_simulated) return true;
    found_.counters = simulated::counters_of(request_.kernel);
    for (const simulated::Line& line : simulated::lines_of(request_.kernel)) {
        found_.lines.push_back({line.number, line.counters});
    }
    if (request_.limits.solution.empty()) return true;
    Failure problem;
    found_.solution_counters = counters_of_solution(request_, problem);
    if (!found_.solution_counters) fail(problem);
    return found_.solution_counters.has_value();
}

void Examiner::hold_against_limits() {
    for (Failure& failure : too_dear(found_, counted_launch_, request_.limits)) {
        fail(std::move(failure));
    }
    if (request_.block_order && found_.is_simulated && simulated::can_trace()) {
        const auto launch = [&](Shape shape, const TracedWarp& traced) {
            return run_trial(*kernel_, conditions(), shape, Watch::everything, traced);
        };
        auto failure = wrong_block_order(*request_.block_order, source_.name, launch);
        if (failure) fail(std::move(*failure));
    }
    if (found_.failures.empty()) found_.outcome = Examination::Outcome::passed;
}

Examination Examiner::run() {
    OutputCapture output;
    {
        const Stretch stretch(found_.milliseconds.total);
        found_.is_simulated = simulator::is_loaded();
        if (found_.is_simulated) simulator::set_quiet(true);
        const std::string no_device = found_.is_simulated ? "" : why_no_gpu();
        if (!no_device.empty()) {
            fail({.kind = FailureKind::environment_problem,
                  .headline = "there is no device to run the kernel on: " + no_device + ".",
                  .next = "Use the simulated GPU: --device sim"});
        } else {
            cudaDeviceProp properties{};
            CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
            found_.device = properties.name;
            if (compile_it() && load_it() && try_shapes() && count()) hold_against_limits();
        }
        kernel_.reset();
    }
    output.finish();
    found_.output = output.text();
    found_.output_is_cut = output.is_cut();
    return std::move(found_);
}

}  // namespace

namespace {

/// The first lines of what a kernel printed.
std::string output_text(const std::string& output, bool is_cut) {
    constexpr int most_lines = 10;
    if (output.empty()) return is_cut ? "\nThe kernel printed more than can be shown.\n" : "";
    std::size_t end = 0;
    for (int i = 0; i < most_lines && end < output.size(); ++i) {
        end = std::min(output.find('\n', end), output.size() - 1) + 1;
    }
    std::string text = "\nThe kernel printed:\n" + output.substr(0, end);
    if (text.back() != '\n') text += "\n";
    if (is_cut || end < output.size()) text += "... and more, which is cut here.\n";
    return text;
}

}  // namespace

Examination examine(const Source& source, const Request& request) {
    try {
        return Examiner(source, request).run();
    } catch (const std::exception& problem) {
        // Of this computer, not of the kernel: there is too little memory, say.
        Examination none;
        none.file = source.name;
        none.kernel = request.kernel;
        none.source = source.text;
        none.failures.push_back(
            {.kind = FailureKind::environment_problem,
             .headline = std::string("the kernel could not be examined: ") + problem.what(),
             .next = "Try again; ./learn doctor shows what is missing."});
        return none;
    }
}

Examination examine(const std::filesystem::path& file, const Request& request) {
    return examine(read_source(file, request.shown_as), request);
}

std::vector<Shape> usual_shapes(int rows_multiple, int cols_multiple) {
    constexpr Shape shapes[] = {
        {64, 64},  {64, 192},  // whole tiles, square and not
        {130, 37}, {37, 130},  // ragged edges
        {1, 257},  {257, 1},   // hardly a matrix
    };
    const auto round_up = [](int count, int multiple) {
        return (count + multiple - 1) / multiple * multiple;
    };
    std::vector<Shape> usual;
    for (const Shape shape : shapes) {
        usual.push_back({round_up(shape.rows, rows_multiple), round_up(shape.cols, cols_multiple)});
    }
    return usual;
}

std::string Examination::failure_id() const {
    return failures.empty() ? "" : failures.front().id();
}

std::string Examination::text() const {
    std::string text;
    if (passed())
        text = wrap(file + ": passed, right on " + count_of(shapes.size(), "shape") + ".");
    for (const Failure& failure : failures) {
        if (!text.empty()) text += "\n";
        text += failure.text();
    }
    return text + output_text(output, output_is_cut);
}

}  // namespace coalesce
