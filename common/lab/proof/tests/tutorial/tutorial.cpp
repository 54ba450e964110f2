// The main function of all themes' programs. See tutorial.h.
#include "tutorial.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "flush.h"

namespace tutorial {
namespace {

struct Entry {
    std::string name;
    Example (*prepare)();
};

/// Returns all examples of this program, in source order.
std::vector<Entry>& entries() {
    static std::vector<Entry> all;
    return all;
}

constexpr int kTimedLaunches = 20, kWarmUps = 3;
/// Number of bytes to read between two timed launches. It exceeds the size of any second-level
/// cache.
constexpr std::size_t kFlushBytes = std::size_t{192} << 20;

struct Words {
    bool lists = false, times = false, checks = true;
    int repeat = 1;
    std::vector<std::string> only;
};

bool is_small = false;

void launch_once(const Example& example) {
    example.launch();
    require(cudaGetLastError());
}

/// Returns the time of one launch with cold caches, in milliseconds.
float time_once(const Example& example, const Buffer<float>& flushed, cudaEvent_t begin,
                cudaEvent_t end) {
    if (example.restore) example.restore();
    flush_by_reading(flushed, flushed.size());
    require(cudaEventRecord(begin));
    launch_once(example);
    require(cudaEventRecord(end));
    require(cudaEventSynchronize(end));
    float ms = 0;
    require(cudaEventElapsedTime(&ms, begin, end));
    return ms;
}

/// Returns the median time of `kTimedLaunches` launches, in milliseconds.
float time_of(const Example& example) {
    static const Buffer<float> flushed = zeros<float>(kFlushBytes / sizeof(float));
    cudaEvent_t begin, end;
    require(cudaEventCreate(&begin));
    require(cudaEventCreate(&end));
    for (int i = 0; i < kWarmUps; ++i) time_once(example, flushed, begin, end);
    std::vector<float> ms;
    for (int i = 0; i < kTimedLaunches; ++i) ms.push_back(time_once(example, flushed, begin, end));
    require(cudaEventDestroy(begin));
    require(cudaEventDestroy(end));
    std::sort(ms.begin(), ms.end());
    return (ms[kTimedLaunches / 2 - 1] + ms[kTimedLaunches / 2]) / 2;
}

/// Runs one example and prints its result in one line. Returns whether the result was correct.
bool run(const Entry& entry, const Words& words) {
    std::string wrong;
    float ms = 0;
    try {
        for (int i = 0; i < words.repeat && wrong.empty(); ++i) {
            const Example example = entry.prepare();
            launch_once(example);
            require(cudaDeviceSynchronize());
            if (words.checks) wrong = example.check();
            if (words.times) ms = time_of(example);
        }
    } catch (const std::exception& error) {
        wrong = error.what();
    }
    if (!wrong.empty()) {
        std::printf("%s WRONG: %s\n", entry.name.c_str(), wrong.c_str());
    } else if (words.times) {
        std::printf("%s %.6f ms\n", entry.name.c_str(), static_cast<double>(ms));
    } else {
        std::printf("%s %s\n", entry.name.c_str(), words.checks ? "right" : "launched");
    }
    std::fflush(stdout);
    return wrong.empty();
}

int complain(const std::string& what) {
    std::fprintf(stderr,
                 "%s\nUsage: THEME [--list] [--only NAME]... [--small] [--time] [--no-check] "
                 "[--repeat N]\n",
                 what.c_str());
    return 2;
}

/// Parses the command line. Returns an error message, or "" if the command line is valid.
std::string read_words(int argc, char** argv, Words& words) {
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--list") {
            words.lists = true;
        } else if (word == "--small") {
            is_small = true;
        } else if (word == "--time") {
            words.times = true;
        } else if (word == "--no-check") {
            words.checks = false;
        } else if (word == "--only" && i + 1 < argc) {
            words.only.emplace_back(argv[++i]);
        } else if (word == "--repeat" && i + 1 < argc) {
            words.repeat = std::atoi(argv[++i]);
            if (words.repeat < 1) return "--repeat takes a number of launches";
        } else {
            return "unknown option " + word;
        }
    }
    for (const std::string& name : words.only) {
        const auto is_it = [&](const Entry& entry) { return entry.name == name; };
        if (std::none_of(entries().begin(), entries().end(), is_it))
            return "no example is called " + name;
    }
    return "";
}

}  // namespace

Registration::Registration(const char* name, Example (*prepare)()) {
    entries().push_back({name, prepare});
}

int pick(int full, int small) {
    return is_small ? small : full;
}

void require(cudaError_t result) {
    if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

std::string mismatch(std::size_t at, double expected, double found) {
    char text[120];
    std::snprintf(text, sizeof text, "element %zu should be %.9g, not %.9g", at, expected, found);
    return text;
}

int run_all(int argc, char** argv) {
    Words words;
    const std::string problem = read_words(argc, argv, words);
    if (!problem.empty()) return complain(problem);
    if (words.times)
        std::printf("# median of %d launches, second-level cache cold\n", kTimedLaunches);
    bool all_right = true;
    for (const Entry& entry : entries()) {
        const bool is_wanted = words.only.empty() || std::find(words.only.begin(), words.only.end(),
                                                               entry.name) != words.only.end();
        if (!is_wanted) continue;
        if (words.lists) {
            std::printf("%s\n", entry.name.c_str());
        } else {
            all_right &= run(entry, words);
        }
    }
    return all_right ? 0 : 1;
}

}  // namespace tutorial

int main(int argc, char** argv) {
    return tutorial::run_all(argc, argv);
}
