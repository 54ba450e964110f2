#include "many/processes/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <climits>
#include <map>

#include "base/errors.h"
#include "base/files.h"
#include "harness/chosen.h"
#include "harness/result.h"
#include "harness/text.h"

namespace coalesce::processes {
namespace {

/// The shapes to verify. In some shapes, the sides have few divisors. Some have so few rows that
/// only one process gets any, and some are tiny.
const std::vector<Shape> kVerifiedShapes = {{64, 64},   {96, 160}, {77, 45}, {1, 70},   {70, 1},
                                            {130, 514}, {3, 5},    {1, 1},   {257, 255}};
/// The shape to measure: 512 MiB.
constexpr Shape kMeasuredShape = {8192, 16384};

/// The options as they appear on the command line, before they are converted to a Request.
struct OptionTexts {
    int rows = 0, cols = 0;
    std::string method, local = "cpu", mistake = "none";
};

void add_options(CLI::App& app, OptionTexts& texts, Request& request) {
    app.add_flag("--bench", request.bench, "");
    app.add_option("--rows", texts.rows)->check(CLI::Range(1, INT_MAX));
    app.add_option("--cols", texts.cols)->check(CLI::Range(1, INT_MAX));
    app.add_option("--way", texts.method);
    app.add_option("--local", texts.local)->check(CLI::IsMember({"cpu", "sim", "gpu"}));
    app.add_option("--repetitions", request.repetitions)->check(CLI::Range(1, 1000));
    app.add_option("--mistake", texts.mistake)->check(CLI::IsMember({"none", "place", "bit"}));
    app.add_option("--json", request.json);
}

std::vector<MethodKind> choose_methods(const std::string& name) {
    const std::vector<MethodKind> all_methods = list_methods();
    std::vector<MethodKind> methods;
    for (const MethodKind* method : select_by_name(all_methods, "--way", "way", name))
        methods.push_back(*method);
    return methods;
}

std::vector<Shape> choose_shapes(const OptionTexts& texts, bool is_benchmark) {
    if ((texts.rows == 0) != (texts.cols == 0)) {
        throw UsageError("--rows and --cols go together: give both, or neither");
    }
    if (texts.rows != 0) return {{texts.rows, texts.cols}};
    if (is_benchmark) return {kMeasuredShape};
    return kVerifiedShapes;
}

void apply_texts(const OptionTexts& texts, Request& request) {
    request.shapes = choose_shapes(texts, request.bench);
    request.methods = choose_methods(texts.method);
    request.needs_device = texts.local != "cpu";
    request.device = texts.local == "gpu" ? DeviceChoice::gpu : DeviceChoice::simulator;
    if (texts.local == "sim" && request.bench) {
        throw UsageError(
            "--bench measures times, but simulated GPUs cannot be timed; leave out --bench or "
            "--local sim");
    }
    request.mistake = std::map<std::string, Mistake>{{"none", Mistake::none},
                                                     {"place", Mistake::misplaced_part},
                                                     {"bit", Mistake::flipped_bit}}[texts.mistake];
    if (!request.json.empty()) check_writable(request.json);
}

}  // namespace

Request parse_request(int argc, char** argv) {
    OptionTexts texts;
    Request request;
    CLI::App app;
    app.set_help_flag("-h,--help");
    add_options(app, texts, request);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        request.help = true;
        return request;
    } catch (const CLI::ParseError& error) {
        throw UsageError(std::string(error.what()) + "; --help lists the options");
    }
    apply_texts(texts, request);
    return request;
}

std::string help() {
    std::string text = R"(Usage: mpirun -n PROCESSES 16_many_processes [OPTIONS]

Transposes one matrix whose blocks of rows are distributed over processes, in
several ways, and verifies the result of each way bit for bit.

  --rows R --cols C run only this shape
  --way NAME        use only this way
  --local WHICH     device that transposes a process's own block before sending it:
                    cpu; sim (a simulated GPU for each process); gpu
  --bench           measure at one shape (default: 8192 x 16384)
  --repetitions N   repetitions of each measurement (default: 7)
  --mistake WHICH   make a mistake in the exchange, to test the verification:
                    place (data at the wrong position) or bit (one bit of one
                    element)
  --json FILE       also write the results to FILE
  --help            print this text

Ways:
)";
    for (const MethodKind& method : list_methods()) {
        text += wrap_with_hanging_indent(format("  %-12s", method.name.c_str()), method.about);
    }
    return text +
           "\nExit code: 0 all results are correct, 1 a result was wrong, 2 the program could not "
           "run.\n";
}

}  // namespace coalesce::processes
