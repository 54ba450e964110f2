#include "many/request.h"

#include <CLI/CLI.hpp>
#include <climits>
#include <filesystem>

#include "base/errors.h"
#include "base/files.h"
#include "harness/text.h"

namespace coalesce::many {
namespace {

struct OptionTexts {
    std::string device = "auto";
    int rows = 0, cols = 0;
    bool verify = false, bench = false;
};

void add_options(CLI::App& app, Request& request, OptionTexts& texts) {
    app.set_help_flag("");
    app.add_flag("-h,--help", request.help);
    app.add_flag("--verify", texts.verify);
    app.add_flag("--bench", texts.bench);
    app.add_option("--rows", texts.rows)->check(CLI::Range(1, INT_MAX));
    app.add_option("--cols", texts.cols)->check(CLI::Range(1, INT_MAX));
    app.add_option("--device", texts.device)->check(CLI::IsMember({"auto", "gpu", "sim"}));
    app.add_option("--chunks", request.chunks)->check(CLI::Range(1, 1024));
    app.add_option("--unused", request.unused_shared_kib)->check(CLI::Range(0, 200));
    app.add_option("--pause", request.pause_us)->check(CLI::Range(0, 1000));
    app.add_option("--repetitions", request.repetitions)->check(CLI::Range(1, 1000));
    app.add_flag("--spoil", request.spoil);
    app.add_option("--link", request.link_gbps)->check(CLI::PositiveNumber);
    app.add_option("--json", request.json);
}

/// Adds the options that only single-process programs have, such as the number of GPUs and the
/// method.
void add_options_alone(CLI::App& app, Request& request) {
    app.add_flag("--list", request.list);
    app.add_option("--gpus", request.gpus)->check(CLI::Range(1, kMaxRanks));
    app.add_option("--way", request.method);
}

// The help text of the options that single-process programs and programs with one process per GPU
// share.
const std::string kOptions = R"(  --verify          only verify, on many shapes
  --bench           only measure, at one shape, and verify every element there
  --device WHICH    auto, gpu or sim; COALESCE_SIM_DEVICES=N simulates N GPUs
  --rows R --cols C run only this shape (default for measurements:
                    65536 x 65536, or the largest that fits)
  --chunks N        number of chunks, for ways that use chunks (default: several
                    numbers are tried)
  --unused KIB      shared memory that each packing block reserves without using
                    it, so that fewer blocks fit on a multiprocessor (default for
                    copies: half of its shared memory)
  --pause US        delay of packing and unpacking, in microseconds.
                    --unused and --pause leave resources for NCCL; the default
                    is to try some values of each
  --repetitions N   repetitions of each measurement (default: 15)
  --link G          GB/s that a GPU can send (default: 450, the NVLink bandwidth
                    of an H200)
  --spoil           change one bit of one element, to test the verification
  --json FILE       also write the results to FILE
  --help            print this text
)";
const std::string kExitCodes =
    "\nExit code: 0 all results are correct, 1 a result was wrong, 2 the program could not run.\n";

}  // namespace

std::string program_name(char** argv) {
    return std::filesystem::path(argv[0]).filename().string();
}

Request parse(int argc, char** argv, LaunchMode mode) {
    Request request;
    request.program = program_name(argv);
    OptionTexts texts;
    CLI::App app;
    add_options(app, request, texts);
    if (mode == LaunchMode::alone) add_options_alone(app, request);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const std::string help_command = mode == LaunchMode::alone ? "--gpus 1 --help" : "--help";
        throw UsageError(std::string(error.what()) + "; " + help_command + " lists the options");
    }
    if ((texts.rows == 0) != (texts.cols == 0)) {
        throw UsageError("--rows and --cols go together: give both, or neither");
    }
    if (texts.rows != 0) request.shape = Shape{texts.rows, texts.cols};
    if (texts.verify || texts.bench) {
        request.verify = texts.verify;
        request.bench = texts.bench;
    }
    if (texts.device == "gpu") request.device = DeviceChoice::gpu;
    if (texts.device == "sim") request.device = DeviceChoice::simulator;
    if (!request.json.empty()) check_writable(request.json);
    return request;
}

std::string list_text(const std::vector<MethodKind>& methods) {
    std::string text;
    for (const MethodKind& method : methods) {
        text += wrap_with_hanging_indent(format("%-12s", method.name.c_str()), method.about);
    }
    return text;
}

std::string help_text(const std::string& program, const std::vector<MethodKind>& methods) {
    return "Usage: " + program + R"( --gpus N [OPTIONS]

Transposes one matrix whose blocks of rows are distributed over N GPUs of this
host, in several ways. Verifies every element on the GPUs, and measures times.

  --way NAME        use only this way
  --list            list the ways
)" + kOptions +
           R"(
If there are fewer than N GPUs, some GPUs get several blocks.

Ways:
)" + list_text(methods) +
           kExitCodes;
}

std::string help_text_for_mpirun(const std::string& program) {
    return "Usage: mpirun -n PROCESSES " + program + R"( [OPTIONS]

Transposes one matrix whose blocks of rows are distributed over processes, on
one host or on several. Each process has its own GPU. The rows are packed, sent
by NCCL and unpacked, in chunks. Verifies every element, and measures times.

)" + kOptions +
           kExitCodes;
}

}  // namespace coalesce::many
