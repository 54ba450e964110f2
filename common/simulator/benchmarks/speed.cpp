// How fast is the simulated GPU? Prints times, and ratios to another libcudart run beside it.
//
//     build/bin/simulator_speed [--against DIR] [--rounds N]
//
// Idea   Machines are shared and noisy: a time means little, a ratio of two things run in turn
//        means more. Every case runs a process for each side, alternating, and keeps each side's
//        fastest.
//
// Linux only: /proc/self/exe.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Run {
    double reported_ms = 0;  ///< what the program printed
    double wall_ms = 0;
    long peak_kib = 0;
};

/// Which library, and with which checks.
struct Side {
    std::string library_folder;
    std::string checks;  ///< COALESCE_SIM_CHECK; empty: not set
};

fs::path own_folder() {
    return fs::read_symlink("/proc/self/exe").parent_path();
}

std::optional<Run> run(const Side& side, const std::vector<std::string>& arguments) {
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
        const std::string program = own_folder() / "speed_kernels";
        std::vector<char*> argv{const_cast<char*>(program.c_str())};
        for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
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
    return Run{text.empty() ? 0 : std::stod(text), wall.count(), usage.ru_maxrss};
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

const char* const kWithoutGlobalRace = "memcheck,racecheck,initcheck,synccheck";

[[noreturn]] void did_not_run(const char* kernel, const std::string& library_folder) {
    std::fprintf(
        stderr,
        "simulator_speed: %s did not run with the library in %s;\nbuild all that it needs: "
        "cmake --build build --target simulator_speed speed_kernels simulated_cudart\n",
        kernel, library_folder.c_str());
    std::exit(2);
}

void print_cases(const std::string& own, const std::string& against, int rounds) {
    std::vector<Side> sides{{own, kWithoutGlobalRace}, {own, "all"}};
    if (!against.empty()) sides.push_back({against, ""});
    std::printf("Milliseconds a launch, fastest of %d rounds; all counters on.\n\n", rounds);
    std::printf("%-18s %12s %12s", "kernel", "4 checks", "+ globalrace");
    if (!against.empty()) std::printf(" %10s %8s %8s", "other", "ratio", "ratio +");
    std::printf("\n");
    for (const Case& c : kCases) {
        std::vector<double> best(sides.size(), 1e30);
        for (int round = 0; round < rounds; ++round) {
            for (std::size_t k = 0; k < sides.size(); ++k) {
                const auto result =
                    run(sides[k], {c.kernel, std::to_string(c.n), std::to_string(c.repetitions)});
                if (result) best[k] = std::min(best[k], result->reported_ms);
            }
        }
        for (std::size_t k = 0; k < sides.size(); ++k)
            if (best[k] == 1e30) did_not_run(c.kernel, sides[k].library_folder);
        std::printf("%-12s %5d %12.2f %12.2f", c.kernel, c.n, best[0], best[1]);
        if (!against.empty())
            std::printf(" %10.2f %8.2f %8.2f", best[2], best[0] / best[2], best[1] / best[2]);
        std::printf("\n");
        std::fflush(stdout);
    }
}

void print_start_up(const std::string& own, const std::string& nvidia, int rounds) {
    double ours = 1e30, theirs = 1e30, first_launch = 1e30;
    for (int round = 0; round < 4 * rounds; ++round) {
        if (const auto r = run({own, ""}, {"none"})) ours = std::min(ours, r->wall_ms);
        if (const auto r = run({nvidia, ""}, {"none"})) theirs = std::min(theirs, r->wall_ms);
        if (const auto r = run({own, ""}, {"coarsened", "32", "1"}))
            first_launch = std::min(first_launch, r->wall_ms);
    }
    std::printf("\nStart to end of a program that does nothing: %.1f ms", ours);
    if (theirs < 1e30) std::printf(" (%.1f ms with NVIDIA's library)", theirs);
    std::printf("\nStart to end of one that launches two small kernels: %.1f ms\n", first_launch);
}

void print_memory(const std::string& own) {
    const auto small = run({own, kWithoutGlobalRace}, {"coarsened", "32", "1"});
    const auto large = run({own, kWithoutGlobalRace}, {"coarsened", "4096", "1"});
    const auto with_races = run({own, "all"}, {"coarsened", "4096", "1"});
    if (!small || !large || !with_races) return;
    // Two matrices on the device; the program itself keeps two more.
    const double device = 2.0 * 4096 * 4096 * 4 / 1024, host = device;
    const auto over = [&](const Run& r) {
        return 100.0 * (static_cast<double>(r.peak_kib - small->peak_kib) - host - device) / device;
    };
    std::printf("Memory beyond the device's own 128 MiB: %.0f %%, with globalrace %.0f %%\n",
                over(*large), over(*with_races));
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Measures the simulated GPU: transposes and arithmetic, start-up, memory."};
    std::string against, nvidia = COALESCE_NVIDIA_LIBRARIES;
    int rounds = 5;
    app.add_option("--against", against,
                   "a folder with another libcudart.so.13, run in turn with ours")
        ->check(CLI::ExistingDirectory);
    app.add_option("--rounds", rounds, "processes for each case and side")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    const std::string own = fs::weakly_canonical(own_folder() / "../lib");
    print_cases(own, against, rounds);
    print_start_up(own, nvidia, rounds);
    print_memory(own);
}
