// Tests of the simulate command: which arguments it rejects, what it passes to the program, and
// what it prints when the program crashes or a signal ends it.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "simulator/tests/command/command_run.h"

using namespace coalesce::tests;

TEST_CASE("the program's arguments, output and exit code are passed through") {
    const Outcome got = run({kProgram, "code", "7", "--json", "x", "--", "--help", ""});
    CHECK(got.out == "[" + kProgram + "][code][7][--json][x][--][--help][]\n");
    CHECK(got.exit_code == 7);
    REQUIRE(got.report.is_object());
    CHECK(got.report["reports"].empty());
    CHECK(got.report["kernels"][0]["name"] == "fill");
    CHECK(got.report["kernels"][0]["store_requests"] == 2);
    CHECK(has(got.err, "fill: 1 launch, grid 1, block 96"));
}

TEST_CASE("a program whose run path contains a different libcudart is simulated") {
    const Outcome got = run({PROGRAMS "/endings_run_path"});
    CHECK(got.exit_code == 0);
    REQUIRE(got.report.is_object());
    CHECK(got.report["kernels"].size() == 1);
}

TEST_CASE("a report changes the exit code only if --error-exitcode is given") {
    const Outcome plain = run({kProgram, "report"});
    CHECK(plain.exit_code == 0);
    REQUIRE(plain.report.is_object());
    REQUIRE(plain.report["reports"].size() == 1);
    CHECK(plain.report["reports"][0]["check"] == "memcheck");
    CHECK(has(plain.err, "coalesce: memcheck: "));
    CHECK(run({kProgram, "report"}, {"--error-exitcode", "9"}).exit_code == 9);
    CHECK(run({kProgram, "code", "3"}, {"--error-exitcode", "9"}).exit_code == 3);
}

TEST_CASE("a failed call is reported, unless the program only queried something") {
    const Outcome twice = run({kProgram, "twice"}, {"--error-exitcode", "9"});
    CHECK(twice.exit_code == 9);
    REQUIRE(twice.report.is_object());
    REQUIRE(twice.report["reports"].size() == 1);
    CHECK(twice.report["reports"][0]["check"] == "apicheck");
    CHECK(twice.report["reports"][0]["kind"] == "cudaErrorInvalidValue from cudaFree");
    CHECK(has(twice.report["reports"][0]["message"], "was already freed"));
    CHECK(run({kProgram, "twice"}).exit_code == 0);
    CHECK(run({kProgram, "twice"}, {"--check", "memcheck", "--error-exitcode", "9"}).exit_code ==
          0);
    CHECK(run({kProgram, "probe"}, {"--error-exitcode", "9"}).exit_code == 0);
}

TEST_CASE("a fault is reported even if memcheck is disabled") {
    const Outcome got = run({kProgram, "report"}, {"--check", "apicheck", "--error-exitcode", "9"});
    CHECK(got.exit_code == 9);
    REQUIRE(got.report.is_object());
    REQUIRE(got.report["reports"].size() == 1);
    CHECK(got.report["reports"][0]["kind"] == "cudaErrorIllegalAddress from a kernel");
}

TEST_CASE("simulate fails if the program uses an unsupported instruction") {
    const Outcome got = run({kProgram, "unsupported"}, {"--quiet"});
    CHECK(got.exit_code == 2);
    CHECK(has(unbroken(got.err), "its results may differ from a GPU's"));
    CHECK(run({kProgram, "unsupported", "and look at errors"}).exit_code == 1);
    // --error-exitcode is for mistakes in the program, not for unsupported instructions.
    CHECK(run({kProgram, "unsupported"}, {"--error-exitcode", "9"}).exit_code == 2);
}

TEST_CASE("--sample checks only some launches of a kernel, but counts all of them") {
    const auto collisions = [](const std::vector<std::string>& options) {
        const Outcome got = run({kProgram, "collide"}, options);
        REQUIRE(got.report.is_object());
        const auto kernel = std::find_if(got.report["kernels"].begin(), got.report["kernels"].end(),
                                         [](const auto& k) { return k["name"] == "collide"; });
        REQUIRE(kernel != got.report["kernels"].end());
        CHECK((*kernel)["launches"] == 5);
        CHECK((*kernel)["store_requests"] == 10);
        CHECK(has(got.err, "of these launches were counted, but not checked") ==
              kernel->contains("only_counted"));
        REQUIRE(got.report["reports"].size() == 1);
        return std::pair(got.report["reports"][0]["count"].get<int>(),
                         kernel->value("only_counted", 0));
    };
    CHECK(collisions({}) == std::pair(5, 0));
    CHECK(collisions({"--sample", "2"}) == std::pair(3, 2));
    CHECK(collisions({"--sample", "4"}) == std::pair(5, 0));
    // A fault must still be reported.
    CHECK(run({kProgram, "report"}, {"--sample", "1", "--error-exitcode", "9"}).exit_code == 9);
}

namespace {

/// Returns the text that simulate writes to standard error when this is a terminal.
std::string on_terminal(const std::vector<std::string>& words) {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(terminal >= 0);
    REQUIRE((grantpt(terminal) == 0 && unlockpt(terminal) == 0));
    const pid_t process = fork();
    if (process == 0) {
        dup2(open(ptsname(terminal), O_RDWR | O_NOCTTY), STDERR_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        std::vector<char*> argv{const_cast<char*>(SIMULATE)};
        for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        execv(SIMULATE, argv.data());
        _exit(127);
    }
    std::string text;
    char buffer[4096];
    for (;;) {
        pollfd wait{terminal, POLLIN, 0};
        const bool ended = waitpid(process, nullptr, WNOHANG) == process;
        while (poll(&wait, 1, 20) > 0 && (wait.revents & POLLIN)) {
            const ssize_t n = read(terminal, buffer, sizeof buffer);
            if (n <= 0) break;
            text.append(buffer, static_cast<std::size_t>(n));
        }
        if (ended) break;
    }
    close(terminal);
    return text;
}

}  // namespace

TEST_CASE("a long launch shows its progress in one terminal line, which is erased at the end") {
    setenv("COALESCE_SIM_PROGRESS", "1", 1);  // 1 ms, so that a short launch shows progress
    const std::string text = on_terminal({kProgram, "long"});
    CAPTURE(text);
    // On a busy machine, the preceding small launch may also show progress, so look for the large
    // launch.
    const std::size_t found = text.find(" % of 20,000 blocks, about ");
    REQUIRE(found != text.npos);
    const std::size_t begin = text.rfind('\r', found), end = text.find("\r\033[K", found);
    REQUIRE(begin != text.npos);
    REQUIRE(end != text.npos);
    const std::string line = text.substr(begin + 1, text.find("\033[K", begin) - begin - 1);
    CHECK(line.starts_with("fill: "));
    CHECK(line.size() < 80);
    CHECK(text.find("fill: 2 launches") > end);
    CHECK_FALSE(has(on_terminal({"--quiet", kProgram, "long"}), "% of"));
    CHECK_FALSE(has(run({kProgram, "long"}).err, "% of"));
    setenv("COALESCE_SIM_PROGRESS", "600000", 1);  // in ms, longer than the program runs
    CHECK_FALSE(has(on_terminal({kProgram, "long"}), "% of"));
    unsetenv("COALESCE_SIM_PROGRESS");
}

TEST_CASE("stores to unexpected allocations are reported, but checked only in the next launch") {
    const Outcome got = run({PROGRAMS "/bugs_global_races", "hidden_store_again"});
    REQUIRE(got.report.is_object());
    std::set<std::string> kinds;
    for (const auto& report : got.report["reports"])
        kinds.insert(report["kind"].get<std::string>());
    CHECK(kinds == std::set<std::string>{"read after write", "not checked", "out of bounds"});
}

TEST_CASE("with --quiet, simulate writes the report file, but prints nothing") {
    const Outcome got = run({kProgram, "report"}, {"--quiet"});
    CHECK(got.err == "");
    REQUIRE(got.report.is_object());
    CHECK(got.report["reports"].size() == 1);
}

TEST_CASE(
    "--time predicts for the given GPU or the H200, and leaves the arguments of the program "
    "alone") {
    for (const auto& options : {std::vector<std::string>{"--time"},
                                {"--time", "H200"},
                                {"--time=H200"},
                                {"--time", "--threads", "1"}}) {
        const Outcome got = run({kProgram, "code", "7", "--time"}, options);
        CHECK(got.out == "[" + kProgram + "][code][7][--time]\n");
        CHECK(got.exit_code == 7);
        REQUIRE(got.report.is_object());
        const auto& predicted = got.report["kernels"][0]["predicted"];
        CHECK(predicted["gpu"] == "NVIDIA H200");
        CHECK(predicted["ms"] > 0.0001);
        CHECK(predicted["ms"] < 0.1);
        CHECK(predicted["binds"] == "few-blocks");
        CHECK(predicted["launches_left_out"] == 0);
        CHECK(has(got.err, "Predicted, not measured"));
        CHECK(has(got.err, "fill: too few blocks; within"));
    }
    const Outcome other = run({kProgram}, {"--time", "L4"});
    REQUIRE(other.report.is_object());
    CHECK(other.report["kernels"][0]["predicted"]["gpu"] == "NVIDIA L4");
    const Outcome unknown = run({kProgram}, {"--time=H2000"});
    CHECK(unknown.exit_code == 2);
    CHECK(has(unbroken(unknown.err), "the known GPUs are NVIDIA H200"));
    const Outcome two_words = run({kProgram}, {"--time", "RTX", "4090"});
    REQUIRE(two_words.report.is_object());
    CHECK(has(two_words.report["kernels"][0]["predicted"]["gpu"], "RTX 4090"));
    const Outcome without = run({kProgram});
    CHECK_FALSE(without.report["kernels"][0].contains("predicted"));
    CHECK_FALSE(has(without.err, "Predicted"));
}

TEST_CASE("an unknown GPU is rejected with a list of the known GPUs") {
    for (const char* name : {"T4000", "H2000", "endings"}) {
        CAPTURE(name);
        const Outcome got = run({kProgram}, {"--time", name});
        CHECK(got.exit_code == 2);
        CHECK(has(unbroken(got.err), "no GPU is called \"" + std::string(name) +
                                         "\"; the known GPUs are NVIDIA H200"));
        CHECK_FALSE(has(got.err, "there is no program"));
    }
    // An argument that names a command or looks like a path is the program, not a GPU.
    CHECK(run({"true"}, {"--time"}).exit_code == 0);
    CHECK(has(run({"./no/such/program"}, {"--time"}).err, "there is no ./no/such/program"));
    // The name matches several GPUs, so it is ambiguous.
    CHECK(
        has(unbroken(run({kProgram}, {"--time", "H100"}).err), "matches several GPUs; choose one"));
}

TEST_CASE("--lines prints source lines with their counters") {
    const Outcome got = run({kProgram}, {"--lines"});
    CHECK(has(got.err, "if (i < count) out[i] = i;\n        ^ global stores: 2 x 4.0 sectors"));
}

TEST_CASE(
    "if a signal ends the program, the exit code is 128 + signal, and the report is written") {
    const Outcome aborted = run({kProgram, "abort"});
    CHECK(aborted.exit_code == 128 + SIGABRT);
    CHECK(has(unbroken(aborted.err), "was ended by signal 6"));
    REQUIRE(aborted.report.is_object());
    CHECK(aborted.report["kernels"][0]["name"] == "fill");
    CHECK(aborted.report["ending"]["signal"] == SIGABRT);

    const Outcome touched = run({kProgram, "touch"});
    CHECK(touched.exit_code == 128 + SIGSEGV);
    CHECK(has(unbroken(touched.err), "device pointer"));
    CHECK(touched.report.is_object());

    const Outcome past = run({kProgram, "past managed"});
    CHECK(past.exit_code == 128 + SIGSEGV);
    CHECK(has(unbroken(past.err), "bytes past the end of the managed allocation of 64 bytes"));
    CHECK(has(unbroken(past.err), "including all bytes that the host uses"));
}

TEST_CASE("a program that exits without writing its counters is reported") {
    const Outcome got = run({kProgram, "leave"});
    CHECK(got.exit_code == 0);
    CHECK(has(unbroken(got.err), "no counters were written"));
    // The program may have caused reports, so a script must not treat this run as clean.
    CHECK(run({kProgram, "leave"}, {"--error-exitcode", "9"}).exit_code == 9);
}

TEST_CASE("child processes do not change the report of the simulated program") {
    const Outcome got = run({PROGRAMS "/endings_run_path", "system"});
    CHECK(has(got.out, "from a child"));
    REQUIRE(got.report.is_object());
    CHECK(got.report["kernels"].size() == 1);
}

TEST_CASE("reports of a forked process affect the exit code, and no report is counted twice") {
    const Outcome got = run({kProgram, "fork"}, {"--error-exitcode", "9"});
    CHECK(got.exit_code == 9);
    CHECK(has(unbroken(got.err), "no reports; 1 child process printed reports"));
    REQUIRE(got.report["reports"].size() == 1);
    CHECK(got.report["reports"][0]["check"] == "memcheck");
    CHECK(run({kProgram}, {"--error-exitcode", "9"}).exit_code == 0);
}

TEST_CASE("a program may change its working folder") {
    CHECK(run({kProgram, "folder"}).report.is_object());
}

TEST_CASE("a signal sent to simulate reaches the program, and the report is written") {
    const ScratchFile report("");
    int output[2];
    REQUIRE(pipe(output) == 0);
    const pid_t process = fork();
    if (process == 0) {
        dup2(output[1], STDOUT_FILENO);
        execl(SIMULATE, SIMULATE, "--quiet", "--json", report.path.c_str(), kProgram.c_str(),
              "wait", static_cast<char*>(nullptr));
        _exit(127);
    }
    close(output[1]);
    char byte;
    REQUIRE(read(output[0], &byte, 1) == 1);  // the program has started, and now waits
    kill(process, SIGTERM);
    int status = 0;
    waitpid(process, &status, 0);
    close(output[0]);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 128 + SIGTERM);
    // When its time limit expires, a CI system sends SIGTERM and then reads the report.
    std::ifstream in(report.path);
    const auto json = nlohmann::json::parse(in, nullptr, false);
    REQUIRE(json.is_object());
    CHECK(json["kernels"][0]["name"] == "fill");
    CHECK(json["ending"]["signal"] == SIGTERM);
}

TEST_CASE("a program that cannot run is rejected with one clear message") {
    const ScratchFile text("hello"), plain("hello", false), empty("");
    const ScratchFile damaged("\177ELF\2\1\1");
    const std::pair<std::string, const char*> refusals[] = {
#ifdef HAS_STATIC_PROGRAM  // clang has no static runtime
        {PROGRAMS "/endings_stripped", "symbols were stripped; rebuild with nvcc -cudart shared"},
#endif
#ifdef HAS_LIBRARY_PROGRAM
        {PROGRAMS "/calls_library",
         "calls cublasStrsm_v2 of cuBLAS (libcublas.so.13), whose kernels are machine code"},
#endif
#ifdef HAS_STATIC_PROGRAM
        {PROGRAMS "/older_cuda12_static_11",
         "static runtime of an older CUDA; rebuild with the nvcc of CUDA 12 or 13"},
#endif
        {"./no/such/program", "there is no ./no/such/program"},
        {"no_such_program_at_all", "there is no program no_such_program_at_all"},
        {"/tmp", "is a folder"},
        {plain.path, "is not executable"},
        {text.path, "is not a program"},
        {empty.path, "cannot be read"},
        {damaged.path, "is a damaged ELF file"},
    };
    for (const auto& [program, why] : refusals) {
        CAPTURE(program);
        const Outcome got = run({program});
        CHECK(got.exit_code == 2);
        CAPTURE(got.err);
        CHECK(has(unbroken(got.err), why));
        CHECK(got.out == "");
        CHECK(got.report.is_null());
    }
}

#ifdef HAS_STATIC_PROGRAM
TEST_CASE("a program with the static runtime runs, is checked and keeps its exit code") {
    const Outcome fine = run({PROGRAMS "/endings_static", "code", "7"});
    CHECK(fine.exit_code == 7);
    REQUIRE(fine.report.is_object());
    CHECK(fine.report["kernels"][0]["launches"] == 1);
    CHECK(fine.report["reports"].empty());

    const Outcome wrong = run({PROGRAMS "/endings_static", "report"});
    REQUIRE(wrong.report.is_object());
    REQUIRE(wrong.report["reports"].size() == 1);
    CHECK(wrong.report["reports"][0]["check"] == "memcheck");
}

TEST_CASE("a program with the static runtime may start programs that do not use CUDA") {
    const Outcome got = run({PROGRAMS "/endings_static", "system"});
    CHECK(has(got.out, "from a child"));
    CHECK(got.exit_code == 0);
}
#endif

#ifdef HAS_DRIVER_PROGRAM
TEST_CASE("a program that uses only the driver API runs, even if nvcc links a static runtime") {
    const Outcome got = run({PROGRAMS "/only_driver"});
    CHECK(got.out == "devices: 1\n");
    CHECK(got.exit_code == 0);
    CHECK(got.report.is_object());
}

TEST_CASE("a program may use both the driver API and the static runtime") {
    const Outcome got = run({PROGRAMS "/driver_and_static"});
    CHECK(got.out == "allocated: 1\n");
    CHECK(got.err.find("unsupported") == std::string::npos);
    CHECK(got.exit_code == 0);
}
#endif

TEST_CASE("the list of supported features has one line per feature, and matches the book") {
    const Outcome got = run({}, {"--explain-missing"});
    CHECK(got.exit_code == 0);
    CHECK(got.err == "");
    const std::vector<std::string> lines = coalesce::tests::split_lines(got.out);
    CHECK(lines.size() > 30);
    for (const std::string& line : lines) CHECK(line.size() <= 80);
    CHECK(has(got.out, "texture and surface references: use texture and surface objects"));
    CHECK(has(got.out, "  cuFFT\n"));

    std::ifstream file(GUIDE);
    const std::string page(std::istreambuf_iterator<char>(file), {});
    const std::string open = "```text\n", close = "```\n";
    const std::size_t begin = page.find(open), end = page.find(close, begin + open.size());
    REQUIRE(begin != page.npos);
    REQUIRE(end != page.npos);
    CHECK(page.substr(begin + open.size(), end - begin - open.size()) == got.out);
}

TEST_CASE("invalid options are rejected") {
    for (const std::vector<std::string>& options :
         std::vector<std::vector<std::string>>{{"--check", "memchek"},
                                               {"--threads", "two"},
                                               {"--memory", "lots"},
                                               {"--nonsense"},
                                               {"--error-exitcode", "0"},
                                               {"--error-exitcode", "256"},
                                               {"--kernel", "fill("},
                                               {"--compare", "/no/such/file"},
                                               {"--compare", "/bin/true"},
                                               {"--budget", "/no/such/file"},
                                               {"--suppress", "/no/such/file"},
                                               {"--tolerance", "much"},
                                               {"--annotations", "gitlab"},
                                               {"--sarif", "/no/such/file"},
                                               {"--json", "/no/such/file"}}) {
        CAPTURE(options[0]);
        const Outcome got = run({kProgram}, options);
        CHECK(got.exit_code == 2);
        CHECK(has(got.err, "simulate: "));
        CHECK(got.out == "");
    }
}

TEST_CASE("the help text fits a terminal") {
    const Outcome got = run({}, {"--help"});
    CHECK(got.exit_code == 0);
    CHECK(has(got.out, "Usage: simulate [OPTIONS] PROGRAM"));
    for (const std::string& line : coalesce::tests::split_lines(got.out)) CHECK(line.size() <= 80);
}
