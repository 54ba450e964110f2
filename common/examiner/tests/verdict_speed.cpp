// Measures the time from saving a file to its verdict, and the components of that time. Each figure
// is the median of 20 saves. Each save is examined in a new process, as the learner's command does.
// This benchmark prints its figures, and fails only if there is no verdict. The target is 150 ms on
// two cores.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/median.h"
#include "examined.h"

using namespace coalesce;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kSaves = 20;
constexpr std::size_t kParts = 4;  ///< number of time components that the verdict itself contains

/// A row of the table: the name of a component, and its time for each save in milliseconds.
struct Part {
    const char* name;
    std::vector<double> milliseconds;
};

/// Examines the file in the child process. Writes the time of each component, in milliseconds, to a
/// file.
int examine_once(const fs::path& file, const fs::path& solution, const fs::path& cache,
                 const fs::path& answer) {
    const Verdict found = coalesce::tests::examined(
        read_source(file), coalesce::tests::transpose_within({.load = 4, .store = 4}), solution,
        {.cache = cache});
    const Milliseconds& ms = found.milliseconds;
    std::ofstream(answer) << ms.compile << ' ' << ms.shapes << ' ' << ms.counters << ' '
                          << ms.predicted << ' ' << ms.total;
    if (!found.passed()) std::fputs(terminal_text(found).c_str(), stderr);
    return found.passed() ? 0 : 1;
}

bool run_child(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        execv("/proc/self/exe", arguments.data());
        _exit(127);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

std::string content_of(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Measures the time from each save of the file to its verdict. Each save changes the line numbers,
/// so the cache has no result for the new text.
bool measure(const fs::path& kernel, const fs::path& folder, std::vector<Part>& parts) {
    const std::string text = content_of(kernel);
    const fs::path saved = folder / "kernel.cu", answer = folder / "answer";
    for (int i = -1; i < kSaves; ++i) {
        std::ofstream(saved) << std::string(static_cast<std::size_t>(i + 2), '\n') << text;
        const auto begin = Clock::now();
        if (!run_child({"verdict_speed", "--once", saved, kernel, folder / "cache", answer})) {
            return false;
        }
        const double whole =
            std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        // Do not measure the first save, which fills the caches.
        if (i < 0) continue;
        std::ifstream numbers(answer);
        double sum = 0;
        for (std::size_t part = 0; part < kParts; ++part) {
            double ms = 0;
            numbers >> ms;
            parts[part].milliseconds.push_back(ms);
            sum += ms;
        }
        parts[kParts].milliseconds.push_back(whole - sum);
        parts[kParts + 1].milliseconds.push_back(whole);
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 6 && std::strcmp(argv[1], "--once") == 0) {
        return examine_once(argv[2], argv[3], argv[4], argv[5]);
    }
    std::string name = (fs::temp_directory_path() / "verdict-speed-XXXXXX").string();
    const fs::path folder = mkdtemp(name.data());
    std::vector<Part> parts = {{"compile", {}},
                               {"shapes", {}},
                               {"counters", {}},
                               {"predicted time", {}},
                               {"process and device", {}},
                               {"file to verdict", {}}};
    const bool worked = measure(fs::path(KERNEL_TESTS) / "solution.cu", folder, parts);
    fs::remove_all(folder);
    if (!worked) return 2;
    std::printf("From a saved file to its verdict: median of %d saves, in ms of this computer\n",
                kSaves);
    for (const Part& part : parts)
        std::printf("  %-20s %8.1f\n", part.name, median(part.milliseconds));
    return 0;
}
