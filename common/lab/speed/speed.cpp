// Measures the speed of the simulated GPU. With --against, also measures another libcudart, and
// prints the ratios of the two libraries' times.
//
//    build/bin/simulator_speed [--against DIR] [--rounds N]
//    build/bin/simulator_speed --programs [--against DIR] [--rounds N]     ordinary programs, with
//                                                                          and without checks
//    build/bin/simulator_speed --programs --without CHECK [--streams N]    what one check costs
//
// Idea   Machines are shared and noisy, so a single time says little. The ratio of two times says
//        more if the runs alternate. So each round of a case runs one process per library, and the
//        fastest time of each library counts.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/median.h"

namespace {

namespace fs = std::filesystem;

struct ProgramRun {
    double reported_ms = 0;  ///< milliseconds that the program printed
    std::string result;      ///< text after the milliseconds
    double elapsed_ms = 0;
    long peak_kib = 0;
};

/// A library and the checks that are enabled.
struct LibraryUnderTest {
    std::string library_folder;
    std::string checks;  ///< COALESCE_SIM_CHECK; empty: not set
};

fs::path find_own_folder() {
    return fs::read_symlink("/proc/self/exe").parent_path();
}

/// Runs a program in the folder of this program. `words` contains the program's name and its
/// arguments.
std::optional<ProgramRun> run(const LibraryUnderTest& side, std::vector<std::string> words) {
    int channel[2];
    if (pipe(channel) != 0) return std::nullopt;
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) {
        dup2(channel[1], 1);
        close(channel[0]);
        if (!std::freopen("/dev/null", "w", stderr)) _exit(127);
        setenv("LD_LIBRARY_PATH", side.library_folder.c_str(), 1);
        if (!side.checks.empty()) setenv("COALESCE_SIM_CHECK", side.checks.c_str(), 1);
        words[0] = find_own_folder() / words[0];
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        execv(argv[0], argv.data());
        _exit(127);
    }
    close(channel[1]);
    std::string text;
    char output_part[256];
    for (ssize_t n; (n = read(channel[0], output_part, sizeof output_part)) > 0;)
        text.append(output_part, static_cast<size_t>(n));
    close(channel[0]);
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    std::size_t number_length = 0;
    const bool begins_with_number =
        !text.empty() && std::isdigit(static_cast<unsigned char>(text[0]));
    const double reported_ms = begins_with_number ? std::stod(text, &number_length) : 0;
    return ProgramRun{reported_ms, text.substr(number_length), elapsed.count(), usage.ru_maxrss};
}

struct Case {
    const char* kernel;
    int n;
    int repetitions;
};
constexpr Case kTimedKernels[] = {
    {"coarsened", 1024, 20}, {"coarsened", 4096, 4},  {"naive", 1024, 10},
    {"naive", 4096, 3},      {"arithmetic", 1024, 5},
};

const char* const kDisableGlobalRaceCheck = "memcheck,racecheck,initcheck,synccheck";

[[noreturn]] void fail_to_run(const char* kernel, const std::string& library_folder) {
    std::fprintf(stderr,
                 "simulator_speed: %s did not run with the library in %s;\nbuild everything that "
                 "it needs: cmake --build build --target simulator_speed speed_kernels "
                 "ordinary_kernels simulated_cudart\n",
                 kernel, library_folder.c_str());
    std::exit(2);
}

/// Returns the fastest time of each side over several alternating rounds. All sides must compute
/// the same result.
std::vector<double> find_fastest_ms(const std::vector<std::string>& words,
                                    const std::vector<LibraryUnderTest>& libraries, int rounds) {
    std::vector<double> fastest_ms(libraries.size(), 1e30);
    std::string result;
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t k = 0; k < libraries.size(); ++k) {
            const auto program_run = run(libraries[k], words);
            if (!program_run) fail_to_run(words[1].c_str(), libraries[k].library_folder);
            if (result.empty()) result = program_run->result;
            if (program_run->result != result) {
                std::fprintf(stderr,
                             "simulator_speed: %s has a different result with the library in %s\n",
                             words[1].c_str(), libraries[k].library_folder.c_str());
                std::exit(1);
            }
            fastest_ms[k] = std::min(fastest_ms[k], program_run->reported_ms);
        }
    }
    return fastest_ms;
}

void print_case_times(const std::string& own_library_folder,
                      const std::string& other_library_folder, int rounds) {
    std::vector<LibraryUnderTest> compared_libraries{{own_library_folder, kDisableGlobalRaceCheck},
                                                     {own_library_folder, "all"}};
    if (!other_library_folder.empty()) compared_libraries.push_back({other_library_folder, ""});
    std::printf("Milliseconds per launch in the fastest of %d rounds, with all counters on.\n\n",
                rounds);
    std::printf("%-18s %12s %12s", "kernel", "4 checks", "+ globalrace");
    if (!other_library_folder.empty()) std::printf(" %10s %8s %8s", "other", "ratio", "ratio +");
    std::printf("\n");
    for (const Case& c : kTimedKernels) {
        const std::vector<double> fastest_ms = find_fastest_ms(
            {"speed_kernels", c.kernel, std::to_string(c.n), std::to_string(c.repetitions)},
            compared_libraries, rounds);
        std::printf("%-12s %5d %12.2f %12.2f", c.kernel, c.n, fastest_ms[0], fastest_ms[1]);
        if (!other_library_folder.empty())
            std::printf(" %10.2f %8.2f %8.2f", fastest_ms[2], fastest_ms[0] / fastest_ms[2],
                        fastest_ms[1] / fastest_ms[2]);
        std::printf("\n");
        std::fflush(stdout);
    }
}

// ---- ordinary programs ----

/// Returns the names of the programs in ordinary_kernels.
std::vector<std::string> list_program_names(const std::string& library_folder) {
    const auto list = run({library_folder, ""}, {"ordinary_kernels", "list"});
    if (!list) fail_to_run("list", library_folder);
    std::istringstream text(list->result);
    return {std::istream_iterator<std::string>(text), {}};
}

const std::vector<std::string> kAllChecks{"memcheck",  "racecheck", "globalrace", "initcheck",
                                          "synccheck", "apicheck",  "streamcheck"};

/// Returns a list that contains all checks except `check`.
std::string list_all_checks_except(const std::string& check) {
    std::string list;
    for (const std::string& other_check : kAllChecks)
        if (other_check != check) list += (list.empty() ? "" : ",") + other_check;
    return list;
}

/// Prints the cost of a check: the times with all checks, divided by the times without this check.
/// Each program creates `idle_streams` idle streams.
void print_cost_of(const std::string& own_library_folder, const std::string& check,
                   int idle_streams, int rounds) {
    setenv("COALESCE_SIM_THREADS", "1", 1);
    const std::vector<LibraryUnderTest> sides{{own_library_folder, "all"},
                                              {own_library_folder, list_all_checks_except(check)}};
    std::printf("Milliseconds of CPU time in the fastest of %d rounds, with all counters on.\n\n",
                rounds);
    std::printf("%-16s %10s %10s %7s\n", "program", "checks", "without", "ratio");
    std::vector<double> cost_ratios;
    for (const std::string& program : list_program_names(own_library_folder)) {
        const std::vector<double> ms = find_fastest_ms(
            {"ordinary_kernels", program, std::to_string(idle_streams)}, sides, rounds);
        cost_ratios.push_back(ms[0] / ms[1]);
        std::printf("%-16s %10.1f %10.1f %7.3f\n", program.c_str(), ms[0], ms[1],
                    cost_ratios.back());
        std::fflush(stdout);
    }
    std::printf("%-38s %7.3f\n%-38s %7.3f\n", "median", coalesce::median(cost_ratios), "largest",
                *std::max_element(cost_ratios.begin(), cost_ratios.end()));
}

void print_program_times(const std::string& own_library_folder,
                         const std::string& other_library_folder, int rounds) {
    setenv("COALESCE_SIM_THREADS", "1", 1);
    std::vector<LibraryUnderTest> sides{{own_library_folder, "all"}, {own_library_folder, "none"}};
    if (!other_library_folder.empty())
        sides.insert(sides.end(), {{other_library_folder, "all"}, {other_library_folder, "none"}});
    std::printf("Milliseconds of CPU time in the fastest of %d rounds, with all counters on.\n\n",
                rounds);
    std::printf("%-16s %10s %10s", "program", "checks", "none");
    if (!other_library_folder.empty())
        std::printf(" %10s %10s %7s %7s", "other", "none", "faster", "none");
    std::printf("\n");
    std::vector<double> speedups_with_checks, speedups_without_checks;
    for (const std::string& program : list_program_names(own_library_folder)) {
        const std::vector<double> ms =
            find_fastest_ms({"ordinary_kernels", program}, sides, rounds);
        std::printf("%-16s %10.1f %10.1f", program.c_str(), ms[0], ms[1]);
        if (!other_library_folder.empty()) {
            speedups_with_checks.push_back(ms[2] / ms[0]);
            speedups_without_checks.push_back(ms[3] / ms[1]);
            std::printf(" %10.1f %10.1f %7.2f %7.2f", ms[2], ms[3], speedups_with_checks.back(),
                        speedups_without_checks.back());
        }
        std::printf("\n");
        std::fflush(stdout);
    }
    if (!other_library_folder.empty())
        std::printf("%-60s %7.2f %7.2f\n", "median", coalesce::median(speedups_with_checks),
                    coalesce::median(speedups_without_checks));
}

void print_start_up_times(const std::string& own_library_folder,
                          const std::string& nvidia_library_folder, int rounds) {
    double own_ms = 1e30, nvidia_ms = 1e30, first_launch_ms = 1e30;
    for (int round = 0; round < 4 * rounds; ++round) {
        if (const auto r = run({own_library_folder, ""}, {"speed_kernels", "none"}))
            own_ms = std::min(own_ms, r->elapsed_ms);
        if (const auto r = run({nvidia_library_folder, ""}, {"speed_kernels", "none"}))
            nvidia_ms = std::min(nvidia_ms, r->elapsed_ms);
        if (const auto r = run({own_library_folder, ""}, {"speed_kernels", "coarsened", "32", "1"}))
            first_launch_ms = std::min(first_launch_ms, r->elapsed_ms);
    }
    std::printf("\nRun time of a program that does nothing: %.1f ms", own_ms);
    if (nvidia_ms < 1e30) std::printf(" (%.1f ms with NVIDIA's library)", nvidia_ms);
    std::printf("\nRun time of a program that launches two small kernels: %.1f ms\n",
                first_launch_ms);
}

void print_memory_overhead(const std::string& own_library_folder) {
    const auto small_run = run({own_library_folder, kDisableGlobalRaceCheck},
                               {"speed_kernels", "coarsened", "32", "1"});
    const auto large_run = run({own_library_folder, kDisableGlobalRaceCheck},
                               {"speed_kernels", "coarsened", "4096", "1"});
    const auto run_with_race_checks =
        run({own_library_folder, "all"}, {"speed_kernels", "coarsened", "4096", "1"});
    if (!small_run || !large_run || !run_with_race_checks) return;
    // The size of two matrices in device memory, in KiB. The program also has two matrices in host
    // memory.
    const double device = 2.0 * 4096 * 4096 * 4 / 1024, host = device;
    const auto overhead_percent = [&](const ProgramRun& r) {
        return 100.0 * (static_cast<double>(r.peak_kib - small_run->peak_kib) - host - device) /
               device;
    };
    std::printf(
        "Additional memory, as a percentage of the device's 128 MiB: %.0f %%, with globalrace %.0f "
        "%%\n",
        overhead_percent(*large_run), overhead_percent(*run_with_race_checks));
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "Measures the speed of the simulated GPU: transposes, arithmetic, start-up and memory."};
    std::string other_library_folder, nvidia_library_folder = COALESCE_NVIDIA_LIBRARIES;
    int rounds = 5;
    app.add_option("--against", other_library_folder,
                   "folder of another libcudart.so.13, whose runs alternate with ours")
        ->check(CLI::ExistingDirectory);
    app.add_option("--rounds", rounds,
                   "number of runs of each case with each library and set of checks")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    bool programs = false;
    app.add_flag("--programs", programs,
                 "run ordinary programs, both with all checks and without checks");
    std::string disabled_check;
    int idle_streams = 0;
    app.add_option("--without", disabled_check, "with --programs: measure the cost of this check")
        ->check(CLI::IsMember(kAllChecks));
    app.add_option("--streams", idle_streams,
                   "with --without: number of idle streams that each program creates")
        ->check(CLI::Range(0, 100));
    CLI11_PARSE(app, argc, argv);
    const std::string own_library_folder = fs::weakly_canonical(find_own_folder() / "../lib");
    if (programs && !disabled_check.empty()) {
        print_cost_of(own_library_folder, disabled_check, idle_streams, rounds);
        return 0;
    }
    if (programs) {
        print_program_times(own_library_folder, other_library_folder, rounds);
        return 0;
    }
    print_case_times(own_library_folder, other_library_folder, rounds);
    print_start_up_times(own_library_folder, nvidia_library_folder, rounds);
    print_memory_overhead(own_library_folder);
}
