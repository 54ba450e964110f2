// shapes -- measures coalesce::transpose on many shapes and element types, and coalesce::permute on
// arrays. In the same run, each is compared with a copy of the same bytes on the device; PyTorch
// and CuPy are compared with their own copies.

#include <cuda_runtime_api.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>

#include "base/child.h"
#include "base/files.h"
#include "base/text.h"
#include "harness/device.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/result.h"
#include "harness/stopwatch.h"
#include "harness/text.h"
#include "lab/proof/bench/machine.h"
#include "lab/proof/bench/share_chart.h"
#include "lab/proof/json_text.h"
#include "lab/proof/page_part.h"
#include "lab/proof/run_program.h"
#include "lab/proof/shapes/bounds.h"
#include "lab/proof/shapes/permutes.h"
#include "lab/proof/shapes/transposes.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

const std::string kRepository = COALESCE_REPOSITORY;
const std::string kWriter = "build/bin/shapes --tables";

constexpr std::size_t kRoom = std::size_t{4} << 20;

struct CommandLine {
    std::string device = "gpu", commit;
    std::string json = kRepository + "/docs/results/shapes.json";
    std::string permutes_json = kRepository + "/docs/results/library/permutes.json";
    std::string bounds_json;
    int launches = 24;
    bool only_checks = false, writes_tables = false, checks_tables = false;
};

void add_options(CLI::App& app, CommandLine& options) {
    app.add_option("--launches", options.launches,
                   "Number of timed launches of each case (default: 24)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--json", options.json,
                   "File for the results (default: docs/results/shapes.json)");
    app.add_option("--permutes-json", options.permutes_json,
                   "File for the permute results (default: docs/results/library/permutes.json)");
    app.add_option("--bounds", options.bounds_json,
                   "Instead, time each case with and without the transpose, for this file");
    app.add_option("--commit", options.commit, "Commit to record, if git cannot report it");
    app.add_flag("--check", options.only_checks, "Only verify all cases, without timing");
    add_device_option(app, options.device);
    app.add_flag("--tables", options.writes_tables,
                 "Write the tables and the chart again from the results");
    app.add_flag("--check-tables", options.checks_tables,
                 "Check whether the tables and the chart are current");
}

/// Returns a JSON object with "ms", "gbps" and "of_copy", as in the other results files.
Json format_times(double ms, double copy_ms, std::size_t bytes) {
    return {{"ms", rounded(ms, 4)},
            {"gbps", rounded(2e-6 * static_cast<double>(bytes) / ms, 1)},
            {"of_copy", rounded(copy_ms / ms, 4)}};
}

void run_case(void* out, const void* in, const TransposeCase& transposition) {
    transpose_case(out, in, transposition);
}
void run_case(void* out, const void* in, const PermuteCase& permutation) {
    permute_case(out, in, permutation);
}

/// Runs the case on an output buffer that holds other data, and checks the result.
template <class Case>
void verify(const DeviceBuffer& out, const DeviceBuffer& in, const Case& measured_case) {
    CUDA_CHECK(cudaMemset(out.data(), 0xA7, measured_case.bytes()));
    run_case(out.data(), in.data(), measured_case);
    const std::uint64_t wrong_count = wrong_elements(out.data(), in.data(), measured_case);
    if (wrong_count == 0) return;
    throw std::runtime_error(measured_case.name + ", " + measured_case.shape_text() + ": " +
                             std::to_string(wrong_count) + " elements are wrong");
}

/// Times `work` and a copy of `bytes` in the same rounds. Returns the median times of the work and
/// of the copy, in milliseconds.
std::pair<double, double> time_with_copy(const DeviceBuffer& out, const DeviceBuffer& in,
                                         std::size_t bytes, const std::function<void()>& work,
                                         Stopwatch& stopwatch, int launches) {
    const auto copy = [&] {
        CUDA_CHECK(cudaMemcpyAsync(out.data(), in.data(), bytes, cudaMemcpyDeviceToDevice));
    };
    std::vector<double> copy_ms, ms;
    stopwatch.time_once_on_device(copy);
    stopwatch.time_once_on_device(work);
    for (int i = 0; i < launches; ++i) {
        copy_ms.push_back(stopwatch.time_once_on_device(copy));
        ms.push_back(stopwatch.time_once_on_device(work));
    }
    return {summarize_timings(copy_ms).ms, summarize_timings(ms).ms};
}

Json describe_case(const TransposeCase& transposition) {
    return {{"case", transposition.name},       {"element_size", transposition.element_size},
            {"batches", transposition.batches}, {"rows", transposition.rows},
            {"cols", transposition.cols},       {"in_pitch", transposition.in_pitch},
            {"start", transposition.start}};
}
Json describe_case(const PermuteCase& permutation) {
    return {{"case", permutation.name},
            {"element_size", permutation.element_size},
            {"sizes", permutation.sizes},
            {"order", permutation.order}};
}

template <class Case>
Json measure_each(const DeviceBuffer& out, const DeviceBuffer& in, const std::vector<Case>& cases,
                  Stopwatch& stopwatch, int launches) {
    Json results = Json::array();
    for (const Case& measured_case : cases) {
        verify(out, in, measured_case);
        const auto [copy_ms, ms] = time_with_copy(
            out, in, measured_case.bytes(), [&] { run_case(out.data(), in.data(), measured_case); },
            stopwatch, launches);
        Json row = describe_case(measured_case);
        row.update({{"verified", true}, {"copy_ms", rounded(copy_ms, 4)}});
        row.update(format_times(ms, copy_ms, measured_case.bytes()));
        std::cout << format("%-28s %-22s %9.4f ms %6.0f GB/s %6.1f %%\n",
                            measured_case.name.c_str(), measured_case.shape_text().c_str(),
                            row.at("ms").get<double>(), row.at("gbps").get<double>(),
                            100 * row.at("of_copy").get<double>())
                  << std::flush;
        results.push_back(std::move(row));
    }
    return results;
}

/// Returns the times of the Python libraries for all cases, or {"absent": why} without PyTorch.
Json time_python_rivals(const std::vector<TransposeCase>& shapes,
                        const std::vector<PermuteCase>& permutes) {
    Json question{{"shapes", Json::array()}, {"permutes", Json::array()}};
    for (const TransposeCase& transposition : shapes) {
        question["shapes"].push_back({transposition.element_size, transposition.batches,
                                      transposition.rows, transposition.cols,
                                      transposition.in_pitch, transposition.start});
    }
    for (const PermuteCase& permutation : permutes) {
        question["permutes"].push_back(
            {permutation.element_size, permutation.sizes, permutation.order});
    }
    const ProcessResult python =
        run_child({environment_variable_or("COALESCE_PYTHON", "python3"),
                   kRepository + "/common/lab/proof/shapes/torch_shapes.py", question.dump()},
                  300);
    for (const std::string& line : lines_of(python.output)) {
        const Json answer = Json::parse(line, nullptr, false);
        if (answer.is_object()) return answer;
    }
    return {{"absent", "python3 printed no result"}};
}

/// Adds each library's times to the rows, divided by the time of the library's own copy. `answers`
/// contains {"torch_copy": [ms, ms of its copy], ...} for each case.
template <class Case>
void add_rivals(Json& results, const std::vector<Case>& cases, const Json& answers) {
    for (std::size_t i = 0; i < answers.size() && i < cases.size(); ++i) {
        for (const auto& [name, times] : answers.at(i).items()) {
            const std::vector<double> ms = times;
            results.at(i)[name] = format_times(ms.at(0), ms.at(1), cases[i].bytes());
        }
    }
}

/// The buffers shared by all cases.
struct Memory {
    DeviceBuffer in, out;
};

Memory allocate_for(const std::vector<TransposeCase>& shapes,
                    const std::vector<PermuteCase>& permutes) {
    std::size_t most_in = 0, most_out = 0;
    for (const TransposeCase& transposition : shapes) {
        most_in = std::max(most_in, transposition.in_bytes());
        most_out = std::max(most_out, transposition.bytes());
    }
    for (const PermuteCase& permutation : permutes) {
        most_in = std::max(most_in, permutation.bytes());
        most_out = std::max(most_out, permutation.bytes());
    }
    // The extra space ensures that the distance between the two buffers is not a power of two.
    return {DeviceBuffer(most_in + kRoom), DeviceBuffer(most_out + kRoom)};
}

void measure_all(const std::vector<TransposeCase>& shapes, const std::vector<PermuteCase>& permutes,
                 const Device& device, const CommandLine& options) {
    Stopwatch stopwatch(device.l2_bytes);
    const auto& [in, out] = allocate_for(shapes, permutes);
    fill_by_position(in.data(), in.bytes());
    Json results = measure_each(out, in, shapes, stopwatch, options.launches);
    auto clocks = start_gpu_state_query();
    Json permuted = measure_each(out, in, permutes, stopwatch, options.launches);
    const Json python = time_python_rivals(shapes, permutes);
    add_rivals(results, shapes, python.value("shapes", Json::array()));
    add_rivals(permuted, permutes, python.value("permutes", Json::array()));
    const std::string versions = python.value("versions", python.value("absent", ""));
    std::cout << versions << "\n";
    const Json name{{"name", device.name}},
        run =
            make_run_record(options.commit, {{"torch", versions}, {"launches", options.launches}}),
        at_work = clocks.get();
    const auto write = [&](const std::string& file, const Json& rows) {
        write_file(
            file,
            json_text({{"device", name}, {"run", run}, {"clocks", at_work}, {"results", rows}}));
        std::cout << "Written to " << file << "\n";
    };
    write(options.json, results);
    write(options.permutes_json, permuted);
}

/// Times each case, and the same accesses without a transpose, together with a copy. Each time is
/// compared with the copy of the same rounds.
template <class Case>
void add_bounds(Json& results, const Memory& memory, const std::vector<Case>& cases,
                Stopwatch& stopwatch, int launches) {
    for (const Case& measured_case : cases) {
        if (!has_bound(measured_case)) continue;
        const auto time = [&](const std::function<void()>& work) {
            return time_with_copy(memory.out, memory.in, measured_case.bytes(), work, stopwatch,
                                  launches);
        };
        const auto [copy_ms, ms] =
            time([&] { run_case(memory.out.data(), memory.in.data(), measured_case); });
        const auto [same_copy_ms, bound_ms] =
            time([&] { run_bound(memory.out.data(), memory.in.data(), measured_case); });
        Json row = describe_case(measured_case);
        row.update(
            {{"copy_ms", rounded(copy_ms, 4)},
             {"library", format_times(ms, copy_ms, measured_case.bytes())},
             {"addresses_only", format_times(bound_ms, same_copy_ms, measured_case.bytes())}});
        std::cout << format("%-28s %-22s %6.1f %%, addresses only %6.1f %%\n",
                            measured_case.name.c_str(), measured_case.shape_text().c_str(),
                            100 * copy_ms / ms, 100 * same_copy_ms / bound_ms)
                  << std::flush;
        results.push_back(std::move(row));
    }
}

void measure_bounds(const std::vector<TransposeCase>& shapes,
                    const std::vector<PermuteCase>& permutes, const Device& device,
                    const CommandLine& options) {
    Stopwatch stopwatch(device.l2_bytes);
    const Memory memory = allocate_for(shapes, permutes);
    fill_by_position(memory.in.data(), memory.in.bytes());
    Json results = Json::array();
    add_bounds(results, memory, shapes, stopwatch, options.launches);
    add_bounds(results, memory, permutes, stopwatch, options.launches);
    write_file(
        options.bounds_json,
        json_text({{"device", {{"name", device.name}}},
                   {"run", make_run_record(options.commit, {{"launches", options.launches}})},
                   {"results", results}}));
}

void check_all(const std::vector<TransposeCase>& shapes, const std::vector<PermuteCase>& permutes) {
    for (const TransposeCase& transposition : shapes) {
        const DeviceBuffer in(transposition.in_bytes()), out(transposition.bytes());
        fill_by_position(in.data(), in.bytes());
        verify(out, in, transposition);
    }
    for (const PermuteCase& permutation : permutes) {
        const DeviceBuffer in(permutation.bytes()), out(permutation.bytes());
        fill_by_position(in.data(), in.bytes());
        verify(out, in, permutation);
    }
    std::cout << shapes.size() + permutes.size() << " cases are right\n";
}

// ---- tables ----

std::string format_fraction(const Json& row, const char* name) {
    if (!row.contains(name)) return "-";
    return format("%.1f %%", 100 * row.at(name).at("of_copy").get<double>());
}

std::string transpose_table(const Json& json) {
    std::string text = "Measured, " + json.at("device").at("name").get<std::string>() + ":\n\n" +
                       "| Elements | Shape | ms | GB/s | of copy | PyTorch, of its copy |\n" +
                       "|---|---|--:|--:|--:|--:|\n";
    for (const Json& row : json.at("results")) {
        TransposeCase transposition;
        transposition.batches = row.at("batches");
        transposition.rows = row.at("rows");
        transposition.cols = row.at("cols");
        text += format("| %s | %s | %.4f | %.0f | %.1f %% | %s |\n",
                       row.at("case").get<std::string>().c_str(),
                       transposition.shape_text().c_str(), row.at("ms").get<double>(),
                       row.at("gbps").get<double>(), 100 * row.at("of_copy").get<double>(),
                       format_fraction(row, "torch_copy").c_str());
    }
    return text;
}

std::string permutes_table(const Json& json) {
    std::string text =
        "Measured, " + json.at("device").at("name").get<std::string>() + ":\n\n" +
        "| Case | Bytes | Axes | Order | ms | GB/s | of copy | PyTorch, of its copy | "
        "torch.compile | CuPy |\n|---|--:|---|---|--:|--:|--:|--:|--:|--:|\n";
    for (const Json& row : json.at("results")) {
        const PermuteCase permutation{row.at("case"), row.at("element_size"), row.at("sizes"),
                                      row.at("order")};
        text += format("| %s | %d | %s | %s | %.4f | %.0f | %.1f %% | %s | %s | %s |\n",
                       permutation.name.c_str(), permutation.element_size,
                       permutation.shape_text().c_str(), permutation.order_text().c_str(),
                       row.at("ms").get<double>(), row.at("gbps").get<double>(),
                       100 * row.at("of_copy").get<double>(),
                       format_fraction(row, "torch_copy").c_str(),
                       format_fraction(row, "torch_compiled").c_str(),
                       format_fraction(row, "cupy_copy").c_str());
    }
    return text;
}

/// Returns the table of the cases that are slower than 95 % of a copy, each with the speed of the
/// same accesses without a transpose.
std::string bounds_table(const Json& json) {
    std::string text = "Measured, " + json.at("device").at("name").get<std::string>() + ":\n\n" +
                       "| Case | Shape | Library | Only the addresses |\n|---|---|--:|--:|\n";
    for (const Json& row : json.at("results")) {
        if (row.at("library").at("of_copy").get<double>() >= .95) continue;
        TransposeCase shape;
        shape.batches = row.value("batches", 1);
        shape.rows = row.value("rows", 0);
        shape.cols = row.value("cols", 0);
        const PermuteCase axes{"", 1, row.value("sizes", std::vector<std::int64_t>()), {}};
        text += format("| %s | %s | %s | %s |\n", row.at("case").get<std::string>().c_str(),
                       (axes.sizes.empty() ? shape.shape_text() : axes.shape_text()).c_str(),
                       format_fraction(row, "library").c_str(),
                       format_fraction(row, "addresses_only").c_str());
    }
    return text;
}

/// Writes the tables and the chart from the results, or reports which of them are out of date.
/// Returns the exit code.
int make_tables(const CommandLine& options) {
    const Json json = Json::parse(read_file(options.json));
    std::vector<std::pair<std::string, std::string>> new_file_contents;  // file names and contents
    for (const char* name : {"/docs/guide/transpose.md", "/steps/11_any_shape/README.md"}) {
        const std::string file = kRepository + name;
        new_file_contents.emplace_back(file, replace_page_part(read_file(file), file, "shapes",
                                                               kWriter, transpose_table(json)));
    }
    auto& [guide, text] = new_file_contents.front();
    const Json permutes = Json::parse(read_file(options.permutes_json));
    text = replace_page_part(text, guide, "permutes", kWriter, permutes_table(permutes));
    new_file_contents.emplace_back(kRepository + "/docs/diagrams/shapes.svg",
                                   draw_shapes_chart(json));
    const std::string search_page = kRepository + "/docs/guide/search.md";
    const Json bounds = Json::parse(read_file(kRepository + "/docs/results/library/bounds.json"));
    new_file_contents.emplace_back(
        search_page, replace_page_part(read_file(search_page), search_page, "bounds", kWriter,
                                       bounds_table(bounds)));
    int stale_count = 0;
    for (const auto& [file, text] : new_file_contents) {
        if (!options.checks_tables) {
            write_file(file, text);
        } else if (read_file(file) != text) {
            std::cout << file << " does not match the results; run build/bin/shapes --tables\n";
            ++stale_count;
        }
    }
    return stale_count == 0 ? exit_right : exit_wrong;
}

int run(const CommandLine& options, char** argv) {
    if (options.writes_tables || options.checks_tables) return make_tables(options);
    const DeviceChoice choice = parse_device_choice(options.device, options.only_checks);
    const Device device = choose_device(choice, argv);
    if (!options.only_checks) {
        check_writable(options.json);
        check_writable(options.permutes_json);
    }
    std::cout << device.first_line() << std::endl;
    const std::vector<TransposeCase> shapes = transpose_cases(device.simulated);
    const std::vector<PermuteCase> permutes = permute_cases(device.simulated);
    if (options.only_checks) {
        check_all(shapes, permutes);
        return exit_right;
    }
    if (!options.bounds_json.empty()) {
        measure_bounds(shapes, permutes, device, options);
    } else {
        measure_all(shapes, permutes, device, options);
    }
    return exit_right;
}

}  // namespace

int main(int argc, char** argv) {
    return run_program(
        "shapes",
        "Times coalesce::transpose and coalesce::permute on this GPU, for many shapes and "
        "element types",
        argc, argv, add_options, run);
}
