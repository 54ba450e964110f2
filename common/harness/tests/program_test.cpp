// Tests a program that uses run_step, by running the program as a learner would.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

namespace fs = std::filesystem;

struct Run {
    int exit_code = -1;
    std::string out, err;
    std::string first_line() const { return out.substr(0, out.find('\n')); }
    bool says(const std::string& text) const { return out.find(text) != std::string::npos; }
};

std::string contents(const fs::path& file) {
    std::ifstream stream(file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// Returns a temporary folder that is removed when this process ends.
const fs::path& folder() {
    struct Folder {
        fs::path path =
            fs::temp_directory_path() / ("coalesce_program_" + std::to_string(getpid()));
        Folder() { fs::create_directories(path); }
        ~Folder() { fs::remove_all(path); }
    };
    static const Folder here;
    return here.path;
}

/// Runs the sample program. `environment` precedes the command, and may set environment variables.
Run run(const std::string& arguments, const std::string& environment = "") {
    const fs::path out = folder() / "out", err = folder() / "err";
    const std::string command = "env -u LD_LIBRARY_PATH " + environment + " " SAMPLE " " +
                                arguments + " >" + out.string() + " 2>" + err.string() +
                                " </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
}

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

bool fits_terminal(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.size() > 80) return false;
    }
    return true;
}

/// Checks that the program rejects the arguments: it must exit with code 2 and print one line that
/// states the reason.
void check_refused(const std::string& arguments, const std::string& why) {
    CAPTURE(arguments);
    const Run refused = run(arguments);
    INFO(refused.err);
    CHECK(refused.exit_code == 2);
    CHECK(refused.out == "");
    CHECK(lines_of(refused.err) == 1);
    CHECK(refused.err.find(why) != std::string::npos);
}

}  // namespace

TEST_CASE(
    "for a correct variant, the program prints the device and the counters but no time, and exits "
    "with code 0") {
    const Run right = run("--device sim --variant right");
    INFO(right.out);
    INFO(right.err);
    CHECK(right.exit_code == 0);
    CHECK(right.first_line() ==
          "Device: Coalesce simulated GPU (sm_90), simulated: counters, no times");
    CHECK(right.says("right                  4         32            0      37.75  yes"));
    CHECK_FALSE(right.says("GB/s"));
    CHECK_FALSE(right.says("ms"));
    CHECK(right.err == "");
    CHECK(fits_terminal(right.out));
}

TEST_CASE("each kind of mistake is reported, and the exit code is 1") {
    const auto check = [](const std::string& variant, const std::string& text) {
        CAPTURE(variant);
        const Run wrong = run("--device sim --variant '" + variant + "'");
        INFO(wrong.out);
        INFO(wrong.err);
        CHECK(wrong.exit_code == 1);
        CHECK(wrong.says("WRONG"));
        CHECK(wrong.says(text));
        CHECK(fits_terminal(wrong.out));
    };
    check("not swapped", "expected in(1,0): the indices were not swapped");
    check("reads outside", "memcheck");
    check("writes outside", "after the last element of out was written");
    // The report must also name the source line of the mistake.
    check("writes outside", "memcheck");
    check("races", "racecheck");
    check("races", "sample.cu:");
    check("crashes", "memcheck");
    check("too many threads", "at most 1024 threads");
}

TEST_CASE(
    "computed outputs are verified within their tolerance, and the title claims no more than "
    "that") {
    const Run sums = run("--device sim --variant sums --rows 100 --cols 70");
    INFO(sums.out);
    INFO(sums.err);
    CHECK(sums.exit_code == 0);
    CHECK(sums.says("within a relative error of 1e-05"));
    CHECK(fits_terminal(sums.out));
    const Run verified = run("--device sim --verify --variant sums");
    CHECK(verified.exit_code == 0);
    CHECK(verified.says("Verified on many shapes\n"));
    CHECK_FALSE(verified.says("bit for bit"));
    CHECK(
        run("--device sim --verify --variant copy").says("Verified on many shapes, bit for bit\n"));
    const Run reads = run("--device sim --variant reads --rows 100 --cols 70");
    CHECK(reads.exit_code == 0);
    CHECK_FALSE(reads.says("relative error"));

    const Run small = run("--device sim --variant 'too small sums'");
    INFO(small.out);
    CHECK(small.exit_code == 1);
    CHECK(small.says("but should be"));
    CHECK(fits_terminal(small.out));
    const Run none = run("--device sim --variant 'no sums'");
    CHECK(none.exit_code == 1);
    CHECK(none.says("out(0,0) was never written, nor was any other cell"));
}

TEST_CASE("variants that need different buffers can run one after another") {
    // The copy, the sums and the kernel that writes nothing need different buffers.
    const Run all = run("--device sim --rows 96 --cols 64");
    INFO(all.out);
    for (const char* name : {"\ncopy ", "\nsums ", "\nreads ", "\nmultiples "}) {
        const std::size_t at = all.out.find(name);
        REQUIRE(at != std::string::npos);
        const std::string row = all.out.substr(at + 1, all.out.find('\n', at + 1) - at - 1);
        CAPTURE(row);
        CHECK(row.ends_with("yes"));
    }
    CHECK(all.says("too small sums at 96 x 64 is wrong"));
}

TEST_CASE("a wrong variant does not prevent other variants from running") {
    const Run all = run("--device sim --rows 64 --cols 64");
    INFO(all.out);
    CHECK(all.exit_code == 1);
    for (const char* row : {"\nright ", "\ncopy ", "\nhost ", "\nmultiples ", "\nnot swapped ",
                            "\nraces ", "\ncrashes ", "\ntoo many threads "}) {
        CHECK(all.says(row));
    }
    CHECK(all.says("not swapped at 64 x 64 is wrong"));
    CHECK_FALSE(all.says("multiples at 64 x 64 is wrong"));
    CHECK(all.says("this variant needs a real GPU"));
}

TEST_CASE(
    "for invalid arguments, the program exits with code 2, prints one line and runs nothing") {
    check_refused("--device sim --rows 0 --cols 5", "--rows 0");
    check_refused("--device sim --rows -3 --cols 5", "--rows -3");
    check_refused("--device sim --rows 5 --cols many", "--cols many");
    check_refused("--device sim --rows 99999999999999999999 --cols 5", "too large");
    check_refused("--device sim --rows 100000 --cols 100000", "32-bit indices");
    check_refused("--device sim --rows 46000 --cols 46000 --variant missing", "missing");
    check_refused("--device sim --rows 5", "go together");
    check_refused("--device moon", "--device moon");
    check_refused("--variant nothing", "unknown variant");
    check_refused("--variant multiples --rows 5 --cols 8 --device sim", "8 x 8");
    check_refused("--json /nowhere/file.json", "/nowhere");
    check_refused("--json " + folder().string(), "folder");
    check_refused("--nonsense", "--nonsense");
}

TEST_CASE("if a requested variant cannot run, the exit code is 2") {
    const Run refused = run("--device sim --variant 'on a GPU only'");
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find("needs a real GPU") != std::string::npos);
    const Run tall = run("--device sim --variant right --rows 2097153 --cols 1");
    CHECK(tall.exit_code == 2);
    CHECK(tall.err.find("65535") != std::string::npos);
}

TEST_CASE("a shape that a variant does not support is shown as skipped") {
    const Run run_ = run("--device sim --bench --rows 5 --cols 9");
    CHECK(run_.says("takes rows in multiples of 4 and columns in multiples of 8; the next shape"));
    CHECK(run_.says("is 8 x 16"));
}

TEST_CASE("--list and --help need no device and no simulator") {
    const Run list = run("--list", "COALESCE_SIMULATOR=/nowhere");
    CHECK(list.exit_code == 0);
    CHECK(list.says("right             one thread per element\n"));
    CHECK(list.says("(multiples of 4 x 8)"));
    CHECK(lines_of(list.out) == 15);
    const Run help = run("--help");
    CHECK(help.exit_code == 0);
    CHECK(help.says("--device"));
}

TEST_CASE("the simulator is found relative to the program, or through two environment variables") {
    const std::string arguments = "--device sim --verify --variant right --rows 33 --cols 35";
    CHECK(run(arguments).exit_code == 0);
    CHECK(run(arguments, "COALESCE_SIMULATOR=" SIMULATOR_FOLDER).exit_code == 0);
    CHECK(run(arguments, "LD_LIBRARY_PATH=/tmp COALESCE_SIMULATOR=" SIMULATOR_FOLDER).exit_code ==
          0);
    CHECK(run(arguments, "LD_LIBRARY_PATH=" SIMULATOR_FOLDER).exit_code == 0);
#ifndef LINKED_WITH_SIMULATOR  // clang links the simulator into the program
    const Run lost = run(arguments, "COALESCE_SIMULATOR=/nowhere");
    CHECK(lost.exit_code == 2);
    CHECK(lost.err.find("/nowhere") != std::string::npos);
    CHECK(lost.out == "");
#endif
}

#ifndef LINKED_WITH_SIMULATOR
TEST_CASE("a program that cannot load the simulator does not restart itself forever") {
    const Run again = run("--device sim", "COALESCE_EXECUTED_AGAIN=1");
    CHECK(again.exit_code == 2);
    CHECK(again.err.find("libcudart") != std::string::npos);
}
#endif

TEST_CASE("--device gpu on the simulator is an error") {
    const Run refused = run("--device gpu", "LD_LIBRARY_PATH=" SIMULATOR_FOLDER);
    CHECK(refused.exit_code == 2);
    CHECK(refused.out == "");
#ifdef LINKED_WITH_SIMULATOR
    CHECK(refused.err.find("programs built by clang run only on the simulated GPU") !=
          std::string::npos);
#else
    CHECK(refused.err.find("LD_LIBRARY_PATH") != std::string::npos);
#endif
}

TEST_CASE("--json writes the figures that the table shows") {
    const fs::path file = folder() / "results.json";
    const Run all = run("--device sim --bench --rows 64 --cols 64 --json " + file.string());
    CHECK(all.exit_code == 1);
    const auto json = nlohmann::json::parse(contents(file));
    CHECK(json["device"]["kind"] == "sim");
    REQUIRE(json["results"].size() == 15);
    const auto& first = json["results"][0];
    CHECK(first["step"] == "harness_sample");
    CHECK(first["variant"] == "right");
    CHECK(first["rows"] == 64);
    CHECK(first["verified"] == true);
    CHECK(first["counters"]["load_requests"] == 128);
    CHECK(first["counters"]["store_sectors"] == 4096);
    CHECK_FALSE(first.contains("ms"));
    CHECK_FALSE(json["results"][2].contains("counters"));
    CHECK(json["results"][4].contains("skipped"));
    CHECK(json["results"][5]["verified"] == false);
}

TEST_CASE("--time predicts times where possible, and states why any others are missing") {
    const fs::path file = folder() / "predicted.json";
    const Run all =
        run("--bench --rows 64 --cols 64 --time --at 4100x4096 --json " + file.string());
    INFO(all.out);
    CHECK(all.exit_code == 1);
    CHECK(all.says("Predicted, not measured: NVIDIA H200 at 4100 x 4096"));
    const auto json = nlohmann::json::parse(contents(file));
    const auto& right = json["results"][0];
    CHECK(right["rows"] == 64);
    CHECK(right["predicted"]["rows"] == 4100);
    CHECK(right["predicted"]["gpu"] == "NVIDIA H200");
    CHECK(right["predicted"]["ms"] > 0.05);
    CHECK(right["predicted"]["ms"] < 2);
    CHECK(right["predicted"]["of_copy"] < 0.5);
    CHECK(json["results"][1]["predicted"]["of_copy"] > right["predicted"]["of_copy"]);
    CHECK(json["results"][2]["not_predicted"] == "it launches no kernel");
    // A variant with a wrong result has no counters, so its time cannot be predicted.
    CHECK_FALSE(json["results"][5].contains("predicted"));
    const Run shape = run("--bench --rows 64 --cols 64 --time --at 4098 --variant multiples");
    CHECK(shape.exit_code == 0);
    CHECK(shape.says("Not predicted: multiples: at 4098 x 4098 it takes"));
    CHECK(fits_terminal(shape.out));
    check_refused("--time H2000", "the known GPUs are NVIDIA H200");
}

TEST_CASE("a matrix that does not fit in memory is rejected before any memory is allocated") {
    std::ifstream meminfo("/proc/meminfo");
    long long available = 0;
    for (std::string line; std::getline(meminfo, line);) {
        if (line.rfind("MemAvailable:", 0) == 0) available = std::atoll(line.c_str() + 13) * 1024;
    }
    // The largest matrix that int indices allow takes 8.6 GB, and the program needs two matrices.
    // Skip the test if this computer may have that much memory.
    constexpr long long most = 3 * 2 * 4 * 2147395600LL;
    if (available > most) {
        MESSAGE("this computer has room for the largest matrix: nothing to refuse");
        return;
    }
    check_refused("--device sim --rows 46340 --cols 46340", "does not fit");
}

TEST_CASE("on a GPU, a correct variant has times but no counters") {
    const fs::path file = folder() / "gpu.json";
    const Run right =
        run("--device gpu --variant right --rows 4096 --cols 4096 --json " + file.string());
    INFO(right.out);
    INFO(right.err);
    CHECK(right.exit_code == 0);
    CHECK(right.first_line().find(", measured") != std::string::npos);
    const auto json = nlohmann::json::parse(contents(file));
    CHECK(json["device"]["kind"] == "gpu");
    const auto& result = json["results"][0];
    CHECK(result["ms"] > 0);
    CHECK(result["of_copy"] < 1.1);
    CHECK_FALSE(result.contains("counters"));
}

TEST_CASE("on a GPU, wrong kernels lead to exit code 1, and a crash is reported") {
    CHECK(run("--device gpu --variant 'not swapped'").exit_code == 1);
    const Run crash = run("--device gpu --variant crashes");
    CHECK(crash.exit_code == 1);
    CHECK(crash.says("--device sim"));
}
