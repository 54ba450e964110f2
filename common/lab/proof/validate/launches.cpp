// launches -- launches each kernel of the course at a few shapes, then random access patterns and
// random matrix patterns. Every case is one launch of one kernel, always in the same order. Under a
// profiler, launch N is case N; on the simulator, the counters are read after each case.
//
// This program must not launch anything else, not even a memset, because each additional launch
// would shift the profiler's rows.

#include <stdlib.h>

#include <functional>

#include "base/files.h"
#include "examiner/course/course.h"
#include "harness/counters_json.h"
#include "harness/device.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/shapes.h"
#include "lab/proof/json_text.h"
#include "lab/proof/run_program.h"
#include "lab/proof/step_modules.h"
#include "lab/proof/validate/access_pattern.h"
#include "lab/proof/validate/matrix_pattern.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

struct CommandLine {
    std::string device, json;
    int access_pattern_count = 0, matrix_pattern_count = 0;
    std::uint64_t seed = 1;
    bool includes_steps = true;
};

/// A square and two shapes that are not multiples of a tile, unless a kernel requires multiples.
constexpr Shape kComparedShapes[] = {{1024, 1024}, {1000, 777}, {331, 1021}};

struct LaunchedCase {
    std::string name, kernel_name;
    std::function<void()> launch;
};

class LaunchedCases {
public:
    LaunchedCases(const CommandLine& options, const course::Course& course)
        : steps_(options.includes_steps ? load_steps(names(course)) : std::vector<StepVariants>()),
          in_(buffer_bytes()),
          out_(buffer_bytes()) {
        // Initialize with a copy, because a memset may launch a kernel.
        const std::vector<char> zero_bytes(buffer_bytes());
        for (const DeviceBuffer* buffer : {&in_, &out_}) {
            CUDA_CHECK(cudaMemcpy(buffer->data(), zero_bytes.data(), zero_bytes.size(),
                                  cudaMemcpyHostToDevice));
        }
        if (options.includes_steps) add_steps(course);
        add_patterns(options);
    }

    const std::vector<LaunchedCase>& all() const { return cases_; }

private:
    static std::vector<std::string> names(const course::Course& course) {
        std::vector<std::string> names;
        // Lesson 16 has no module, because it uses several GPUs and measures its kernels itself.
        for (const auto& step : course.steps) {
            if (has_module(step.name)) names.push_back(step.name);
        }
        return names;
    }
    static std::size_t buffer_bytes() { return std::size_t{8} << 20; }

    void add_steps(const course::Course& course) {
        for (const StepVariants& step : steps_) {
            const course::Step& course_step = *course.find(step.name);
            for (const Variant& variant : step.variants) {
                if (variant.element_size != 4) continue;  // the buffers contain floats
                const course::Variant* course_variant = course_step.find(variant.name);
                // Host code and copies done by the driver launch no kernels.
                if (!course_variant || course_variant->kernel.empty()) continue;
                // Variants that work in place or on arrays may launch several kernels, or different
                // kernels.
                if (!variant.is_plain()) continue;
                for (const Shape shape : kComparedShapes)
                    add(step.name, variant, course_variant->kernel, shape);
            }
        }
    }

    void add(const std::string& step, const Variant& variant, const std::string& kernel,
             Shape requested_shape) {
        const Shape shape = round_up_shape(requested_shape, variant);
        cases_.push_back({step + " " + variant.name + ", " + shape.name(), kernel, [&, shape] {
                              variant.launch(static_cast<float*>(out_.data()),
                                             static_cast<const float*>(in_.data()), shape.rows,
                                             shape.cols);
                          }});
    }

    void add_patterns(const CommandLine& options) {
        const auto add_all_patterns = [&](const std::string& pattern_kind, const auto& patterns) {
            int number = 0;
            for (const auto& pattern : patterns) {
                cases_.push_back(
                    {pattern_kind + " " + std::to_string(++number) + ": " + pattern.text(),
                     pattern.kernel(),
                     [this, pattern] { launch(pattern, out_.data(), in_.data()); }});
            }
        };
        add_all_patterns("pattern", random_patterns(options.access_pattern_count, options.seed));
        add_all_patterns("matrix pattern",
                         random_matrix_patterns(options.matrix_pattern_count, options.seed));
    }

    std::vector<StepVariants> steps_;
    DeviceBuffer in_, out_;
    std::vector<LaunchedCase> cases_;
};

Json run_case(const LaunchedCase& launched_case, bool simulated) {
    if (simulated) simulator_library::reset_counters();
    launched_case.launch();
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    Json json{{"name", launched_case.name}, {"kernel", launched_case.kernel_name}};
    if (!simulated) return json;
    const Counters counters = simulator_library::counters();
    if (counters.kernels != 1) {
        throw std::runtime_error(launched_case.name + " launched " +
                                 std::to_string(counters.kernels) +
                                 " kernels; a case must launch one");
    }
    // A variant may choose a different kernel for some shapes, so use the name of the kernel that
    // ran.
    json["kernel"] = counters.kernel;
    json["counters"] = counters_to_json(counters);
    return json;
}

void add_options(CLI::App& app, CommandLine& options) {
    app.add_option("--device", options.device)->required()->check(CLI::IsMember({"gpu", "sim"}));
    app.add_option("--patterns", options.access_pattern_count, "Number of random patterns")
        ->check(CLI::Range(0, 100000));
    app.add_option("--matrices", options.matrix_pattern_count,
                   "Number of random patterns of small matrices")
        ->check(CLI::Range(0, 100000));
    app.add_option("--seed", options.seed, "Seed of the random patterns");
    app.add_flag("--steps,!--no-steps", options.includes_steps, "Also launch the course's kernels");
    app.add_option("--json", options.json, "File for the list of cases")->required();
}

int run(const CommandLine& options, char** argv) {
    check_writable(options.json);
    // Random patterns have races and read uninitialized memory, so check only for accesses outside
    // of their buffers.
    setenv("COALESCE_SIM_CHECK", "memcheck", 0);
    const DeviceChoice choice =
        options.device == "gpu" ? DeviceChoice::gpu : DeviceChoice::simulator;
    const Device device = choose_device(choice, argv);
    const LaunchedCases cases(options, course::read_course(COALESCE_REPOSITORY));
    Json json{{"device", device.name}, {"seed", options.seed}, {"cases", Json::array()}};
    for (const LaunchedCase& launched_case : cases.all())
        json["cases"].push_back(run_case(launched_case, device.simulated));
    write_file(options.json, json.dump() + "\n");
    return exit_right;
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("launches",
                       "Launches each kernel of the course and each random access pattern once",
                       argc, argv, add_options, run);
}
