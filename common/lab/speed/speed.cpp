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

struct Run {
    double reported_ms = 0;  ///< milliseconds that the program printed
    std::string result;      ///< text after the milliseconds
    double wall_ms = 0;
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
std::optional<Run> run(const LibraryUnderTest& side, std::vector<std::string> words) {
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
    char buffer[256];
    for (ssize_t n; (n = read(channel[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<size_t>(n));
    close(channel[0]);
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
    std::size_t behind = 0;
    const bool has_number = !text.empty() && std::isdigit(static_cast<unsigned char>(text[0]));
    const double reported = has_number ? std::stod(text, &behind) : 0;
    return Run{reported, text.substr(behind), wall.count(), usage.ru_maxrss};
}

struct Case {
    const char* kernel;
    int n;
    int repetitions;
};
constexpr Case kCases[] = {
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
std::vector<double> fastest_ms(const std::vector<std::string>& words,
                               const std::vector<LibraryUnderTest>& sides, int rounds) {
    std::vector<double> best(sides.size(), 1e30);
    std::string result;
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t k = 0; k < sides.size(); ++k) {
            const auto one = run(sides[k], words);
            if (!one) fail_to_run(words[1].c_str(), sides[k].library_folder);
            if (result.empty()) result = one->result;
            if (one->result != result) {
                std::fprintf(stderr,
                             "simulator_speed: %s has a different result with the library in %s\n",
                             words[1].c_str(), sides[k].library_folder.c_str());
                std::exit(1);
            }
            best[k] = std::min(best[k], one->reported_ms);
        }
    }
    return best;
}

void print_cases(const std::string& own, const std::string& against, int rounds) {
    std::vector<LibraryUnderTest> sides{{own, kDisableGlobalRaceCheck}, {own, "all"}};
    if (!against.empty()) sides.push_back({against, ""});
    std::printf("Milliseconds per launch in the fastest of %d rounds, with all counters on.\n\n",
                rounds);
    std::printf("%-18s %12s %12s", "kernel", "4 checks", "+ globalrace");
    if (!against.empty()) std::printf(" %10s %8s %8s", "other", "ratio", "ratio +");
    std::printf("\n");
    for (const Case& c : kCases) {
        const std::vector<double> best = fastest_ms(
            {"speed_kernels", c.kernel, std::to_string(c.n), std::to_string(c.repetitions)}, sides,
            rounds);
        std::printf("%-12s %5d %12.2f %12.2f", c.kernel, c.n, best[0], best[1]);
        if (!against.empty())
            std::printf(" %10.2f %8.2f %8.2f", best[2], best[0] / best[2], best[1] / best[2]);
        std::printf("\n");
        std::fflush(stdout);
    }
}

// ---- ordinary programs ----

/// Returns the names of the programs in ordinary_kernels.
std::vector<std::string> program_names(const std::string& library_folder) {
    const auto list = run({library_folder, ""}, {"ordinary_kernels", "list"});
    if (!list) fail_to_run("list", library_folder);
    std::istringstream text(list->result);
    return {std::istream_iterator<std::string>(text), {}};
}

const std::vector<std::string> kAllChecks{"memcheck",  "racecheck", "globalrace", "initcheck",
                                          "synccheck", "apicheck",  "streamcheck"};

/// Returns a list that contains all checks except `check`.
std::string all_checks_without(const std::string& check) {
    std::string list;
    for (const std::string& other : kAllChecks)
        if (other != check) list += (list.empty() ? "" : ",") + other;
    return list;
}

/// Prints the cost of a check: the times with all checks, divided by the times without this check.
/// Each program creates `streams` idle streams.
void print_cost_of(const std::string& own, const std::string& check, int streams, int rounds) {
    setenv("COALESCE_SIM_THREADS", "1", 1);
    const std::vector<LibraryUnderTest> sides{{own, "all"}, {own, all_checks_without(check)}};
    std::printf("Milliseconds of CPU time in the fastest of %d rounds, with all counters on.\n\n",
                rounds);
    std::printf("%-16s %10s %10s %7s\n", "program", "checks", "without", "ratio");
    std::vector<double> ratios;
    for (const std::string& program : program_names(own)) {
        const std::vector<double> ms =
            fastest_ms({"ordinary_kernels", program, std::to_string(streams)}, sides, rounds);
        ratios.push_back(ms[0] / ms[1]);
        std::printf("%-16s %10.1f %10.1f %7.3f\n", program.c_str(), ms[0], ms[1], ratios.back());
        std::fflush(stdout);
    }
    std::printf("%-38s %7.3f\n%-38s %7.3f\n", "median", coalesce::median(ratios), "largest",
                *std::max_element(ratios.begin(), ratios.end()));
}

void print_programs(const std::string& own, const std::string& against, int rounds) {
    setenv("COALESCE_SIM_THREADS", "1", 1);
    std::vector<LibraryUnderTest> sides{{own, "all"}, {own, "none"}};
    if (!against.empty()) sides.insert(sides.end(), {{against, "all"}, {against, "none"}});
    std::printf("Milliseconds of CPU time in the fastest of %d rounds, with all counters on.\n\n",
                rounds);
    std::printf("%-16s %10s %10s", "program", "checks", "none");
    if (!against.empty()) std::printf(" %10s %10s %7s %7s", "other", "none", "faster", "none");
    std::printf("\n");
    std::vector<double> with_checks, without;
    for (const std::string& program : program_names(own)) {
        const std::vector<double> ms = fastest_ms({"ordinary_kernels", program}, sides, rounds);
        std::printf("%-16s %10.1f %10.1f", program.c_str(), ms[0], ms[1]);
        if (!against.empty()) {
            with_checks.push_back(ms[2] / ms[0]);
            without.push_back(ms[3] / ms[1]);
            std::printf(" %10.1f %10.1f %7.2f %7.2f", ms[2], ms[3], with_checks.back(),
                        without.back());
        }
        std::printf("\n");
        std::fflush(stdout);
    }
    if (!against.empty())
        std::printf("%-60s %7.2f %7.2f\n", "median", coalesce::median(with_checks),
                    coalesce::median(without));
}

void print_start_up(const std::string& own, const std::string& nvidia, int rounds) {
    double ours = 1e30, theirs = 1e30, first_launch = 1e30;
    for (int round = 0; round < 4 * rounds; ++round) {
        if (const auto r = run({own, ""}, {"speed_kernels", "none"}))
            ours = std::min(ours, r->wall_ms);
        if (const auto r = run({nvidia, ""}, {"speed_kernels", "none"}))
            theirs = std::min(theirs, r->wall_ms);
        if (const auto r = run({own, ""}, {"speed_kernels", "coarsened", "32", "1"}))
            first_launch = std::min(first_launch, r->wall_ms);
    }
    std::printf("\nRun time of a program that does nothing: %.1f ms", ours);
    if (theirs < 1e30) std::printf(" (%.1f ms with NVIDIA's library)", theirs);
    std::printf("\nRun time of a program that launches two small kernels: %.1f ms\n", first_launch);
}

void print_memory(const std::string& own) {
    const auto small =
        run({own, kDisableGlobalRaceCheck}, {"speed_kernels", "coarsened", "32", "1"});
    const auto large =
        run({own, kDisableGlobalRaceCheck}, {"speed_kernels", "coarsened", "4096", "1"});
    const auto with_races = run({own, "all"}, {"speed_kernels", "coarsened", "4096", "1"});
    if (!small || !large || !with_races) return;
    // The size of two matrices in device memory, in KiB. The program also has two matrices in host
    // memory.
    const double device = 2.0 * 4096 * 4096 * 4 / 1024, host = device;
    const auto over = [&](const Run& r) {
        return 100.0 * (static_cast<double>(r.peak_kib - small->peak_kib) - host - device) / device;
    };
    std::printf(
        "Additional memory, as a percentage of the device's 128 MiB: %.0f %%, with globalrace %.0f "
        "%%\n",
        over(*large), over(*with_races));
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "Measures the speed of the simulated GPU: transposes, arithmetic, start-up and memory."};
    std::string against, nvidia = COALESCE_NVIDIA_LIBRARIES;
    int rounds = 5;
    app.add_option("--against", against,
                   "folder of another libcudart.so.13, whose runs alternate with ours")
        ->check(CLI::ExistingDirectory);
    app.add_option("--rounds", rounds,
                   "number of runs of each case with each library and set of checks")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    bool programs = false;
    app.add_flag("--programs", programs,
                 "run ordinary programs, both with all checks and without checks");
    std::string without;
    int streams = 0;
    app.add_option("--without", without, "with --programs: measure the cost of this check")
        ->check(CLI::IsMember(kAllChecks));
    app.add_option("--streams", streams,
                   "with --without: number of idle streams that each program creates")
        ->check(CLI::Range(0, 100));
    CLI11_PARSE(app, argc, argv);
    const std::string own = fs::weakly_canonical(find_own_folder() / "../lib");
    if (programs && !without.empty()) {
        print_cost_of(own, without, streams, rounds);
        return 0;
    }
    if (programs) {
        print_programs(own, against, rounds);
        return 0;
    }
    print_cases(own, against, rounds);
    print_start_up(own, nvidia, rounds);
    print_memory(own);
}
