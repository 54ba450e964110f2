// Measures the time from saving a file until `learn watch` shows the verdict. Prints the median of
// 20 saves, and the median for each component. With --most MILLISECONDS, the program fails if the
// total exceeds this limit.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "base/median.h"
#include "scratch_course.h"
#include "terminal.h"

using coalesce::median;
using namespace coalesce::learn;

namespace {

constexpr int SAVES = 20;
using Clock = std::chrono::steady_clock;

struct Times {
    std::vector<double> whole, examined_in_all;
    std::map<std::string, std::vector<double>> parts;
};

// Saves a different text each time, so that the cache contains counters only for the solution.
bool save_once(const ScratchCourse& course, const std::string& step, int number,
               PseudoTerminal& terminal, Times& times) {
    std::string text = ScratchCourse::solution(step) + "// save " + std::to_string(number) + "\n";
    auto begin = Clock::now();
    course.write("exercises/" + step + "/kernel.cu", text);
    if (!terminal.shows(step + ": passed") || !terminal.shows("Again:")) return false;
    double whole = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    if (!terminal.shows("q quit")) return false;
    // Do not measure the first save, which fills the cache.
    if (number == 0) return true;
    times.whole.push_back(whole);
    Json spent = read_json(course.path(".learn/verdicts/" + step + ".json"))["milliseconds"];
    for (auto& [part, value] : spent.items()) times.parts[part].push_back(value);
    return true;
}

void print(const std::string& name, double milliseconds) {
    std::printf("  %-34s %8.1f ms\n", name.c_str(), milliseconds);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::printf("Usage: learn_latency LEARN [STEP] [--most MILLISECONDS]\n");
        return 2;
    }
    std::string step = argc > 2 && argv[2][0] != '-' ? argv[2] : "03_tiled";
    double most =
        argc > 3 && std::strcmp(argv[argc - 2], "--most") == 0 ? std::atof(argv[argc - 1]) : 0;
    ScratchCourse course(std::filesystem::absolute(argv[1]));
    if (!std::filesystem::exists(course.path("exercises/" + step + "/kernel.cu"))) {
        std::fprintf(stderr, "learn_latency: there is no exercise %s; 03_tiled is one\n",
                     step.c_str());
        return 2;
    }
    // Make the predictions first, so that the verdict includes the counters.
    for (int i = 0; i < 2; ++i) course.learn({"predict", step.substr(0, 2), "4"});
    PseudoTerminal terminal(course.command({"watch", step}));
    Times times;
    if (!terminal.shows("q quit")) return 2;
    for (int number = 0; number <= SAVES; ++number) {
        if (save_once(course, step, number, terminal, times)) continue;
        std::fprintf(stderr, "no verdict came:\n%s\n", terminal.all().c_str());
        return 2;
    }
    double whole = median(times.whole), total = median(times.parts["total"]);
    std::printf("%s, from the save to the verdict, median of %d saves:\n", step.c_str(), SAVES);
    print("whole", whole);
    print("  compile", median(times.parts["compile"]));
    print("  load", median(times.parts["load"]));
    print("  every shape, all checks", median(times.parts["shapes"]));
    print("  counters", median(times.parts["counters"]));
    print("  notice, start, print, all else", whole - total);
    std::printf("  slowest                            %8.1f ms\n",
                *std::max_element(times.whole.begin(), times.whole.end()));
    return most > 0 && whole > most ? 1 : 0;
}
