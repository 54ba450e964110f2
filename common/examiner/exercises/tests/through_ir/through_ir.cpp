// exercise_through_ir -- tests that our translator and clang's back end, given the same LLVM IR,
// generate PTX with the same verdict.
//
//     exercise_through_ir 03_tiled [WORD]             all kernels of the exercise; with WORD, only
//                                                     those whose names contain it, with both
//                                                     verdicts
//     exercise_through_ir --every 4 03_tiled          only every fourth mutant and case
//     exercise_through_ir --spoil WHAT 03_tiled WORD  changes our PTX on purpose; WHAT is lanes
//                                                     or loads
//
// clang compiles each kernel to LLVM IR once: the skeleton, the solution, every mutant, the bug
// hunt, and the cases in solutions/NN_name/right and wrong. Our translator and clang's back end
// each turn this IR into PTX, and both texts are examined. The JSON of the two verdicts must be the
// same, except for times, limits on predicted times, and the number of instructions. The results
// and counters of every launch must also be the same.
//
// Two differences are printed but allowed, because they depend on the order in which the back end
// arranges blocks and instructions: the moment at which a warp waits for its loads, and the line to
// which an access is attributed. The largest difference between predicted times is also printed.
// Exit code: 0 if all kernels agree, 1 if one does not, 2 if one could not be examined.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <vector>

#include "base/child.h"
#include "base/files.h"
#include "examiner/cache.h"
#include "examiner/compiled_from.h"
#include "examiner/compilers.h"
#include "examiner/elements/element_trials.h"
#include "examiner/examine.h"
#include "examiner/exercises/automatic_mutants.h"
#include "examiner/exercises/examined.h"
#include "examiner/exercises/mutants.h"
#include "examiner/render.h"
#include "examiner/trial_codec.h"

namespace coalesce::exercises {
namespace {

namespace fs = std::filesystem;
using codec::Json;

constexpr int seconds = 60;
/// The name of the solution among the kernels. If the solution does not pass, the comparison is
/// meaningless.
constexpr const char* the_solution = "solution";

// ---- two ways to generate PTX from the same LLVM IR ----

const FoundCompiler& clang() {
    static const auto found = find_compiler(Compiler::clang_ir);
    if (!found) throw UsageError("clang of a version from 17 to 22 was not found");
    return *found;
}

/// Returns the LLVM IR of a source. The IR is cached, because clang needs most of the test's time.
const RawOutput& ir_of(const Source& source, const Signature& kernel) {
    static std::map<std::string, RawOutput> known;
    const auto [at, is_new] = known.try_emplace(source.text);
    if (is_new) {
        at->second =
            run_compiler(clang(), wrap_source(source.text, dialect_of(clang()), kernel.sizes),
                         "compute_90", seconds);
    }
    return at->second;
}

/// Runs clang's back end on optimized IR, and returns the resulting PTX.
RawOutput by_back_end(RawOutput of_ir) {
    if (!of_ir.is_good) return of_ir;
    const TemporaryFolder folder;
    write_file(folder.path / "kernel.ll", of_ir.ir);
    const ProcessResult child =
        run_child({clang().path, "-cc1", "-triple", "nvptx64-nvidia-cuda", "-target-cpu", "sm_90",
                   "-target-feature", "+ptx78", "-x", "ir", "-O3", "-disable-llvm-passes",
                   "-fno-dwarf-directory-asm", "-S", "-o", "kernel.ptx", "kernel.ll"},
                  seconds, {}, folder.path);
    if (child.exit_code != 0) throw std::runtime_error("clang's back end says " + child.output);
    of_ir.ptx = read_file(folder.path / "kernel.ptx");
    of_ir.ir.clear();
    return of_ir;
}

/// Introduces a difference that the test must detect: an access to another lane's element, or a
/// second copy of the first load.
std::string spoilt(std::string ptx, const std::string& how) {
    if (how == "lanes") {
        const std::string from = "%tid.x";
        const std::size_t at = ptx.find(from);
        if (at != ptx.npos) ptx.replace(at, from.size(), "%tid.y");
    } else if (how == "loads") {
        const std::size_t at = ptx.find("ld.global");
        // Make the second load volatile, because ptxas, and therefore the simulator, would merge
        // two identical loads.
        const std::size_t behind = at + std::string("ld").size();
        if (at != ptx.npos)
            ptx.insert(at, "ld.volatile.global" +
                               ptx.substr(ptx.find("global", behind) + 6,
                                          ptx.find(';', at) + 1 - ptx.find("global", behind) - 6) +
                               "\n");
    }
    return ptx;
}

// ---- examine a kernel with PTX from both translators ----

enum class Way { translated, back_end };

/// A runner that compiles kernels with one of the two translators, and records the results of every
/// launch.
class RecordingRunner : public LocalRunner {
public:
    RecordingRunner(Way way, const fs::path& cache, std::string spoil)
        : LocalRunner({.cache = cache}), way_(way), spoil_(std::move(spoil)) {}

    Compiled compile(const Source& source, const Signature& kernel) override {
        const RawOutput& of_ir = ir_of(source, kernel);
        Compiled compiled = finish_compilation(
            source, kernel, "clang", way_ == Way::translated ? of_ir : by_back_end(of_ir));
        compiled.ptx = spoilt(compiled.ptx, spoil_);
        return compiled;
    }

    Trial run(const Compiled& kernel, const Produces& task, const TrialRequest& order) override {
        return recorded(LocalRunner::run(kernel, task, order), order);
    }

    Trial run_with(const Compiled& kernel, const std::vector<CallArgument>& arguments,
                   const TrialRequest& order) override {
        Trial trial = LocalRunner::run_with(kernel, arguments, order);
        // The number of launches of the reference depends on its instruction count, which may
        // differ between the translators. Do not record these launches.
        return kernel.kernel == kReferenceKernel ? trial : recorded(std::move(trial), order);
    }

    Json launches = Json::array();  ///< the results of each launch

private:
    Trial recorded(Trial trial, const TrialRequest& order) {
        Json seen = {{"order", codec::encode(order)},
                     {"counters", codec::encode(trial.counters)},
                     {"lines", codec::encode(trial.lines)}};
        // A kernel's instruction limit depends on the instruction count of the reference, so the
        // limit may differ between the translators.
        seen["order"].erase("more_instructions");
        if (trial.comparison) seen["left"] = trial.comparison->text();
        for (const ArrayAfter& array : trial.arrays)
            seen["arrays"].push_back(hash_text(array.bytes));
        launches.push_back(seen);
        return trial;
    }

    Way way_;
    std::string spoil_;
};

/// The verdict on a kernel, and all results that must be the same for both translators.
struct Examined {
    Verdict verdict;
    Json seen;
};

/// Returns the JSON with `key` removed at every depth.
Json without(Json json, const std::string& key) {
    if (json.is_object()) json.erase(key);
    for (Json& part : json) {
        if (part.is_structured()) part = without(part, key);
    }
    return json;
}

/// A kernel of an exercise. It is examined with both translators.
struct Kernel {
    std::string name;
    const Exercise* exercise;
    std::string text;
};

Examined examined(const Kernel& kernel, Way way, const std::string& spoil) {
    // Each translator has its own cache of solution costs.
    static const TemporaryFolder caches[2];
    RecordingRunner runner(way, caches[static_cast<int>(way)].path, spoil);
    const fs::path solution =
        repository() / "solutions" / kernel.exercise->name / kernel.exercise->file();
    Examined found;
    found.verdict = examine(make_source(kernel.text, kernel.name), *kernel.exercise, runner,
                            {.solution = read_source(solution)});
    Json verdict = Json::parse(to_json(found.verdict));
    for (const char* key : {"milliseconds", "predicted", "solution_predicted"}) verdict.erase(key);
    Json& failures = verdict["failures"];
    const bool had_some = !failures.empty();
    for (std::size_t i = failures.size(); i-- > 0;) {
        if (failures[i]["id"] == "too-slow-predicted") {
            failures.erase(i);
        } else if (failures[i]["headline"].get<std::string>().find(" instructions") !=
                   std::string::npos) {
            failures[i].erase("headline");
        }
    }
    if (had_some && failures.empty()) verdict["outcome"] = "passed";
    found.seen =
        without({{"verdict", verdict}, {"launches", runner.launches}}, "warp_instructions");
    return found;
}

// ---- compared ----

/// Returns descriptions of the first five differences, such as `/verdict/failures/0/id: "a", by the
/// back end "b"`.
std::vector<std::string> differences(const Json& one, const Json& other) {
    std::vector<std::string> found;
    for (const Json& change : Json::diff(one, other)) {
        const std::string place = change["path"];
        std::string line = place + ": ";
        const Json::json_pointer pointer(place);
        line += one.contains(pointer) ? one[pointer].dump() : "nothing";
        line += ", by the back end ";
        line += change["op"] == "remove" ? "nothing" : change["value"].dump();
        found.push_back(line.substr(0, 300));
        if (found.size() == 5) break;
    }
    return found;
}

/// Totals over the kernels of an exercise.
struct Sum {
    int same = 0, different = 0;
    int other_waits = 0;  ///< kernels among `same` that wait for their loads at different times
    /// kernels among `same` with an access that is attributed to a different line
    int other_lines = 0;
    int predicted = 0, predicted_alike = 0;
    double farthest = 0;  ///< largest relative difference between two predicted times
};

void compare_times(const Kernel& kernel, const Examined& ours, const Examined& theirs, Sum& sum) {
    if (!ours.verdict.predicted || !theirs.verdict.predicted) return;
    const double apart = ours.verdict.predicted->ms / theirs.verdict.predicted->ms - 1;
    ++sum.predicted;
    sum.predicted_alike += apart == 0;
    sum.farthest = std::max(sum.farthest, std::abs(apart));
    if (std::abs(apart) < 0.01) return;
    std::printf("%s: predicted %.4f ms, by the back end %.4f: %+.1f %%\n", kernel.name.c_str(),
                ours.verdict.predicted->ms, theirs.verdict.predicted->ms, 100 * apart);
}

void compare(const Kernel& kernel, const std::string& spoil, bool shows_all, Sum& sum) {
    const Examined ours = examined(kernel, Way::translated, spoil);
    const Examined theirs = examined(kernel, Way::back_end, "");
    const Json one = without(ours.seen, "load_waits"), other = without(theirs.seen, "load_waits");
    const std::vector<std::string> found =
        differences(without(one, "lines"), without(other, "lines"));
    ++(found.empty() ? sum.same : sum.different);
    if (!found.empty()) {
        std::printf("%s:\n", kernel.name.c_str());
    } else if (one != other) {
        ++sum.other_lines;
        std::printf("%s: puts what it counts down to other lines\n", kernel.name.c_str());
    } else if (ours.seen != theirs.seen) {
        ++sum.other_waits;
        std::printf("%s: waits for its loads at other times\n", kernel.name.c_str());
    }
    for (const std::string& line : found) std::printf("  %s\n", line.c_str());
    if (kernel.name == the_solution && !theirs.verdict.passed()) {
        throw std::runtime_error("the solution fails by the back end:\n" +
                                 terminal_text(theirs.verdict));
    }
    compare_times(kernel, ours, theirs, sum);
    if (!shows_all) return;
    std::puts(terminal_text(ours.verdict).c_str());
    std::puts("by the back end:");
    std::puts(terminal_text(theirs.verdict).c_str());
}

// ---- an exercise's kernels ----

void add_marked(const std::string& name, const char* file, std::vector<Kernel>& kernels) {
    const bool is_hunt = std::string(file) == "hunt.cu";
    const std::string called = name + (is_hunt ? " hunt" : "");
    const Exercise& exercise = require_exercise(called);
    const fs::path folder = repository() / "solutions" / name;
    const Skeleton skeleton = parse_skeleton(read_file(folder / file), file);
    const std::string prefix = is_hunt ? "hunt " : "";
    kernels.push_back({prefix + the_solution, &exercise, skeleton.solved_text()});
    kernels.push_back({prefix + "blank", &exercise, skeleton.blank_text()});
    if (is_hunt) return;
    if (is_beyond(name)) {
        for (const AutomaticMutant& mutant : make_mutants(skeleton.solved_text())) {
            // The result of this mutant depends on the registers that a compiler chooses.
            if (mutant.description == "without the initial value") continue;
            kernels.push_back(
                {"mutant: line " + std::to_string(mutant.line) + " " + mutant.description,
                 &exercise, mutant.text});
        }
        return;
    }
    for (const Mutant& mutant : read_mutants(folder / "mutants.toml").mutants) {
        kernels.push_back(
            {"mutant: " + mutant.name, &exercise, apply_mutant(mutant, skeleton.solved_text())});
    }
}

std::vector<Kernel> kernels_of(const std::string& name) {
    std::vector<Kernel> kernels;
    add_marked(name, "kernel.cu", kernels);
    add_marked(name, "hunt.cu", kernels);
    const fs::path folder = repository() / "solutions" / name;
    std::vector<fs::path> files;
    for (const char* kind : {"right", "wrong"}) {
        for (const auto& entry : fs::directory_iterator(folder / kind)) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        kernels.push_back({file.parent_path().filename() / file.filename(), &require_exercise(name),
                           read_file(file)});
    }
    return kernels;
}

struct Words {
    std::string exercise, word, spoil;
    int every = 1;
};

std::vector<Kernel> chosen(const Words& words) {
    std::vector<Kernel> kernels = kernels_of(words.exercise);
    std::erase_if(kernels,
                  [&](const Kernel& one) { return one.name.find(words.word) == one.name.npos; });
    int number = 0;
    std::erase_if(kernels, [&](const Kernel& one) {
        const bool is_one_of_many =
            one.name.starts_with("mutant") || one.name.find('/') != one.name.npos;
        return is_one_of_many && number++ % words.every != 0;
    });
    if (kernels.empty()) {
        throw UsageError("no kernel of " + words.exercise + " has \"" + words.word + "\"");
    }
    return kernels;
}

int hold(const Words& words) {
    const std::vector<Kernel> kernels = chosen(words);
    Sum sum;
    for (const Kernel& kernel : kernels) {
        if (isatty(STDERR_FILENO)) {
            std::fprintf(stderr, "\r\033[K%d of %zu %s", sum.same + sum.different, kernels.size(),
                         kernel.name.c_str());
        }
        compare(kernel, words.spoil, !words.word.empty(), sum);
    }
    if (isatty(STDERR_FILENO)) std::fputs("\r\033[K", stderr);
    std::printf(
        "%s: %d kernels the same, %d not; %d wait otherwise, %d tell of other lines; predicted "
        "times: %d of %d equal, at most %.2f %% apart\n",
        words.exercise.c_str(), sum.same, sum.different, sum.other_waits, sum.other_lines,
        sum.predicted_alike, sum.predicted, 100 * sum.farthest);
    return sum.different > 0 ? 1 : 0;
}

Words words_of(const std::vector<std::string>& given) {
    Words words;
    std::size_t at = 0;
    for (; at + 2 < given.size() && given[at].starts_with("--"); at += 2) {
        if (given[at] == "--spoil") {
            words.spoil = given[at + 1];
        } else if (given[at] == "--every" && std::atoi(given[at + 1].c_str()) > 0) {
            words.every = std::atoi(given[at + 1].c_str());
        } else {
            throw UsageError("there is no " + given[at] + " " + given[at + 1]);
        }
    }
    words.exercise = given[at];
    if (at + 1 < given.size()) words.word = given[at + 1];
    return words;
}

}  // namespace
}  // namespace coalesce::exercises

int main(int argc, char** argv) {
    try {
        using namespace coalesce;
        if (argc >= 2) {
            exercises::choose_device_from_environment(argv);
            return exercises::hold(exercises::words_of({argv + 1, argv + argc}));
        }
        std::fputs("Usage: exercise_through_ir [--every N] [--spoil lanes|loads] 03_tiled [WORD]\n",
                   stderr);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    return 2;
}
