// The main of every step.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "base/files.h"
#include "harness/chosen.h"
#include "harness/errors.h"
#include "harness/shapes.h"
#include "harness/step_runner.h"
#include "harness/text.h"

namespace coalesce {
namespace {

std::string list_text(const std::vector<Variant>& variants) {
    std::size_t width = 0;
    for (const Variant& variant : variants) width = std::max(width, variant.name.size());
    std::string text;
    for (const Variant& variant : variants) {
        std::string about = variant.about;
        if (variant.rows_multiple > 1 || variant.cols_multiple > 1) {
            about +=
                format(" (multiples of %d x %d)", variant.rows_multiple, variant.cols_multiple);
        }
        text += wrap_behind(format("%-*s  ", static_cast<int>(width), variant.name.c_str()), about);
    }
    return text;
}

/// What the numbers of the table are.
std::string title(const Device& device, const Options& options, Shape shape) {
    if (!options.bench) {
        return options.shape ? "Verified at " + shape.name() + ", bit by bit"
                             : "Verified on many shapes, bit by bit";
    }
    return shape.name() + " floats, " + (device.simulated ? "simulated" : "measured");
}

/// Which arrays were measured: rows x cols says only how many elements there were.
std::string arrays_text(const std::vector<Result>& results) {
    std::string text;
    for (const Result& result : results) {
        if (result.array.empty()) continue;
        text += wrap(result.variant->name + ": " + result.array);
    }
    return text;
}

std::string footnote(const Device& device, const Options& options, const Reference& reference,
                     const std::vector<const Variant*>& variants) {
    std::string text;
    for (const Variant* variant : variants) {
        if (variant->keeps_nan_payloads) continue;
        text += "any NaN: where a NaN belongs, another NaN is taken for right\n";
        break;
    }
    if (!options.bench || device.simulated) return text;
    return text + format("cudaMemcpyAsync D2D, measured in this run: %.1f GB/s; peak: %.0f GB/s\n",
                         reference.copy_gbps, device.peak_gbps);
}

/// Says what is wrong, and what the program is to return.
int conclude(const std::string& step, const Options& options, const std::vector<Result>& results) {
    int exit_code = exit_right;
    for (const Result& result : results) {
        const std::string name = result.variant->name + " at " + result.shape.name();
        if (result.outcome == Outcome::wrong) {
            std::printf("\n%s is wrong:\n%s", name.c_str(), wrap(result.reason).c_str());
            exit_code = exit_wrong;
        }
        // What nobody asked for by name may be left out; what was asked for was not done.
        if (result.outcome == Outcome::skipped && !options.variant.empty()) {
            std::fflush(stdout);
            std::fprintf(stderr, "%s: %s was not run: %s\n", step.c_str(), name.c_str(),
                         result.reason.c_str());
            exit_code = exit_usage;
        }
    }
    return exit_code;
}

int run(const std::string& step, const Options& options,
        const std::vector<const Variant*>& variants, char** argv) {
    const Device device = choose_device(options.device, argv);
    const Shape shape = options.shape ? *options.shape : default_shape(device);
    check_memory(device, shape, variants);

    StepRunner runner(device, options, shape);
    const bool is_predicted = !options.time_on.empty();
    const Table table(device, options.bench, variants, is_predicted);
    std::printf("%s\n%s\n\n", device.first_line(is_predicted).c_str(),
                title(device, options, shape).c_str());
    const Reference reference = runner.measure_copy();
    std::printf("%s", table.head().c_str());
    std::vector<Result> results;
    for (const Variant* variant : variants) {
        results.push_back(runner.run(*variant));
        std::printf("%s", table.row(results.back(), reference).c_str());
        std::fflush(stdout);
    }
    std::printf("%s%s%s", arrays_text(results).c_str(),
                footnote(device, options, reference, variants).c_str(),
                notes_on_predictions(results).c_str());

    const int exit_code = conclude(step, options, results);
    if (!options.json.empty()) write_file(options.json, to_json(device, step, results, reference));
    return exit_code;
}

/// What can be refused without knowing the device.
void check_options(const Options& options, const std::vector<const Variant*>& variants) {
    if (!options.json.empty()) check_writable(options.json);
    if (options.variant.empty() || !options.shape) return;
    const std::string reason = refusal(*variants.front(), *options.shape);
    if (!reason.empty()) {
        throw UsageError(options.variant + " does not take " + options.shape->name() + ": it " +
                         reason);
    }
}

int run_or_throw(const std::string& step, const std::vector<std::string>& arguments, char** argv,
                 const std::vector<Variant>& variants) {
    const Options options = parse_options(arguments);
    if (options.help) {
        std::printf("%s", help_text(step).c_str());
        return exit_right;
    }
    if (options.list) {
        std::printf("%s", list_text(variants).c_str());
        return exit_right;
    }
    const auto wanted = chosen(variants, "--variant", "variant", options.variant);
    check_options(options, wanted);
    return run(step, options, wanted, argv);
}

}  // namespace

int run_step(int argc, char** argv, const std::vector<Variant>& variants) {
    const std::string step = std::filesystem::path(argc > 0 ? argv[0] : "step").filename().string();
    try {
        return run_or_throw(step, {argv + std::min(argc, 1), argv + argc}, argv, variants);
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s: %s\n", step.c_str(), error.what());
        return exit_usage;
    }
}

}  // namespace coalesce
