// shapes -- coalesce::transpose on shapes and elements of all kinds, each against a copy of the same
// bytes on the device in the same run, and PyTorch against its own copy.

#include <cuda_runtime_api.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "base/child.h"
#include "base/files.h"
#include "base/text.h"
#include "harness/device.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/result.h"
#include "harness/text.h"
#include "harness/timing.h"
#include "proof/bench/machine.h"
#include "proof/bench/share_chart.h"
#include "proof/json_text.h"
#include "proof/run_program.h"
#include "proof/shapes/transposes.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

const std::string REPOSITORY = COALESCE_REPOSITORY;
const std::string BEGIN = "<!-- shapes: written by build/bin/shapes --tables -->\n";
const std::string END = "<!-- end of shapes -->";

constexpr std::size_t kRoom = std::size_t{4} << 20;

struct Words {
    std::string device = "gpu", json = REPOSITORY + "/docs/results/shapes.json", commit;
    int launches = 24;
    bool check_only = false, tables = false, are_tables_current = false;
};

void add_options(CLI::App& app, Words& words) {
    app.set_help_flag("-h,--help", "This text");
    app.add_option("--launches", words.launches, "Timed launches of each (24)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--json", words.json, "Where the results go (docs/results/shapes.json)");
    app.add_option("--commit", words.commit, "Commit of the source, where git cannot say");
    app.add_flag("--check", words.check_only, "Time nothing: verify all cases");
    app.add_option("--device", words.device, "gpu or, with --check, sim")
        ->check(CLI::IsMember({"gpu", "sim"}));
    app.add_flag("--tables", words.tables,
                 "Write the tables and the chart again, from the results");
    app.add_flag("--check-tables", words.are_tables_current,
                 "Whether the tables and the chart are current");
}

double rounded(double value, int decimals) {
    return std::stod(format("%.*f", decimals, value));
}

/// "ms", "gbps", "of_copy": as in the other results.
Json measured(double ms, double copy_ms, std::size_t bytes) {
    return {{"ms", rounded(ms, 4)},
            {"gbps", rounded(2e-6 * static_cast<double>(bytes) / ms, 1)},
            {"of_copy", rounded(copy_ms / ms, 4)}};
}

void verify(const DeviceBuffer& out, const DeviceBuffer& in, const ShapeCase& shape) {
    CUDA_CHECK(cudaMemset(out.data(), 0xA7, shape.bytes()));
    transpose_case(out.data(), in.data(), shape);
    const std::uint64_t wrong = wrong_elements(out.data(), in.data(), shape);
    if (wrong == 0) return;
    throw std::runtime_error(shape.name + ", " + shape.shape() + ": " + std::to_string(wrong) +
                             " elements are wrong");
}

Json measure(const DeviceBuffer& out, const DeviceBuffer& in, const ShapeCase& shape,
             Stopwatch& stopwatch, int launches) {
    const auto copy = [&] {
        CUDA_CHECK(cudaMemcpyAsync(out.data(), in.data(), shape.bytes(), cudaMemcpyDeviceToDevice));
    };
    const auto transpose = [&] { transpose_case(out.data(), in.data(), shape); };
    std::vector<double> copy_ms, ms;
    stopwatch.time_once_on_device(copy);
    stopwatch.time_once_on_device(transpose);
    for (int i = 0; i < launches; ++i) {
        copy_ms.push_back(stopwatch.time_once_on_device(copy));
        ms.push_back(stopwatch.time_once_on_device(transpose));
    }
    const double copy_median = summarise(copy_ms).ms;
    Json row{{"case", shape.name},
             {"element_size", shape.element_size},
             {"batches", shape.batches},
             {"rows", shape.rows},
             {"cols", shape.cols},
             {"in_pitch", shape.in_pitch},
             {"start", shape.start},
             {"verified", true},
             {"copy_ms", rounded(copy_median, 4)}};
    row.update(measured(summarise(ms).ms, copy_median, shape.bytes()));
    return row;
}

/// PyTorch's times of all cases; {"absent": why} without it.
Json ask_torch(const std::vector<ShapeCase>& cases) {
    Json question = Json::array();
    for (const ShapeCase& one : cases) {
        question.push_back(
            {one.element_size, one.batches, one.rows, one.cols, one.in_pitch, one.start});
    }
    const char* named = std::getenv("COALESCE_PYTHON");
    const Ended python =
        run_child({named ? named : "python3", REPOSITORY + "/common/proof/shapes/torch_shapes.py",
                   question.dump()},
                  300);
    for (const std::string& line : lines_of(python.output)) {
        const Json answer = Json::parse(line, nullptr, false);
        if (answer.is_object()) return answer;
    }
    return {{"absent", "python3 did not answer"}};
}

void add_torch(Json& results, const std::vector<ShapeCase>& cases, const Json& torch) {
    if (!torch.contains("cases")) return;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Json& times = torch.at("cases").at(i);
        for (const char* name : {"torch_copy", "torch_contiguous"}) {
            results.at(i)[name] = measured(times.at(name).get<double>(),
                                           times.at("copy").get<double>(), cases[i].bytes());
        }
    }
}

Json measure_all(const std::vector<ShapeCase>& cases, const Device& device, const Words& words) {
    Stopwatch stopwatch(device.l2_bytes);
    std::size_t most_in = 0, most_out = 0;
    for (const ShapeCase& one : cases) {
        most_in = std::max(most_in, one.in_bytes());
        most_out = std::max(most_out, one.bytes());
    }
    // The same memory for all cases. With room behind it: else the two lie a power of two apart.
    const DeviceBuffer in(most_in + kRoom), out(most_out + kRoom);
    fill(in.data(), in.bytes());
    Json results = Json::array();
    for (const ShapeCase& one : cases) {
        verify(out, in, one);
        results.push_back(measure(out, in, one, stopwatch, words.launches));
        std::cout << format("%-28s %-22s %9.4f ms %6.0f GB/s %6.1f %%\n", one.name.c_str(),
                            one.shape().c_str(), results.back().at("ms").get<double>(),
                            results.back().at("gbps").get<double>(),
                            100 * results.back().at("of_copy").get<double>())
                  << std::flush;
    }
    const Json torch = ask_torch(cases);
    add_torch(results, cases, torch);
    const std::string versions = torch.value("versions", torch.value("absent", ""));
    std::cout << versions << "\n";
    return {{"device", {{"name", device.name}}},
            {"run",
             {{"date", today()},
              {"commit", words.commit.empty() ? commit_of(REPOSITORY) : words.commit},
              {"toolkit", toolkit()},
              {"torch", versions},
              {"launches", words.launches}}},
            {"results", results}};
}

void check_all(const std::vector<ShapeCase>& cases) {
    for (const ShapeCase& one : cases) {
        const DeviceBuffer in(one.in_bytes()), out(one.bytes());
        fill(in.data(), in.bytes());
        verify(out, in, one);
    }
    std::cout << cases.size() << " cases are right\n";
}

// ---- tables ----

std::string share(const Json& row, const char* name) {
    if (!row.contains(name)) return "-";
    return format("%.1f %%", 100 * row.at(name).at("of_copy").get<double>());
}

std::string table(const Json& json) {
    std::string text = "Measured, " + json.at("device").at("name").get<std::string>() + ":\n\n" +
                       "| Elements | Shape | ms | GB/s | of copy | PyTorch, of its copy |\n" +
                       "|---|---|--:|--:|--:|--:|\n";
    for (const Json& row : json.at("results")) {
        ShapeCase one;
        one.batches = row.at("batches");
        one.rows = row.at("rows");
        one.cols = row.at("cols");
        text += format("| %s | %s | %.4f | %.0f | %.1f %% | %s |\n",
                       row.at("case").get<std::string>().c_str(), one.shape().c_str(),
                       row.at("ms").get<double>(), row.at("gbps").get<double>(),
                       100 * row.at("of_copy").get<double>(), share(row, "torch_copy").c_str());
    }
    return text;
}

/// The text of that file with the table put into its place.
std::string with_table(const std::string& file, const std::string& table) {
    const std::string old = read_file(file);
    const std::size_t begin = old.find(BEGIN), end = old.find(END);
    if (begin == std::string::npos || end == std::string::npos || end < begin) {
        throw UsageError(file + " has no place for the table: " + BEGIN);
    }
    return old.substr(0, begin + BEGIN.size()) + "\n" + table + "\n" + old.substr(end);
}

/// Writes the tables and the chart that the results say, or says which of them are not current.
int make_tables(const Words& words) {
    const Json json = Json::parse(read_file(words.json));
    std::vector<std::pair<std::string, std::string>> wanted;  // a file, and its text
    for (const char* name : {"/docs/guide/transpose.md", "/steps/11_any_shape/README.md"}) {
        wanted.emplace_back(REPOSITORY + name, with_table(REPOSITORY + name, table(json)));
    }
    wanted.emplace_back(REPOSITORY + "/docs/diagrams/shapes.svg", shapes_chart(json));
    int stale = 0;
    for (const auto& [file, text] : wanted) {
        if (!words.are_tables_current) {
            write_file(file, text);
        } else if (read_file(file) != text) {
            std::cout << file << " is not what the results say: build/bin/shapes --tables\n";
            ++stale;
        }
    }
    return stale == 0 ? exit_right : exit_wrong;
}

int run(const Words& words, char** argv) {
    if (words.tables || words.are_tables_current) return make_tables(words);
    const bool simulated = words.device == "sim";
    if (simulated && !words.check_only) {
        throw UsageError("the simulated GPU has no times: --device sim goes with --check");
    }
    const Device device =
        choose_device(simulated ? DeviceChoice::simulator : DeviceChoice::gpu, argv);
    if (!words.check_only) check_writable(words.json);
    std::cout << device.first_line() << std::endl;
    const std::vector<ShapeCase> cases = shape_cases(simulated);
    if (words.check_only) {
        check_all(cases);
        return exit_right;
    }
    write_file(words.json, json_text(measure_all(cases, device, words)));
    std::cout << "Written to " << words.json << "\n";
    return exit_right;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"coalesce::transpose on shapes and elements of all kinds, timed on this GPU",
                 "shapes"};
    Words words;
    add_options(app, words);
    return run_program(app, argc, argv, [&] { return run(words, argv); });
}
