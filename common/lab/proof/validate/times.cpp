// The programs predict their own times when they run on the simulated GPU with --time. The same
// programs measure their times on this machine's GPU. Without a GPU, measured times are read from
// docs/results.
#include "lab/proof/validate/times.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "base/child.h"
#include "base/errors.h"
#include "base/files.h"
#include "examiner/course/course.h"
#include "harness/device.h"
#include "harness/text.h"
#include "lab/proof/json_text.h"
#include "lab/proof/run_program.h"
#include "timing/gpu.h"

namespace coalesce::proof {
namespace {

namespace fs = std::filesystem;
using timing::TimePair;

const std::string kSearch = "search", kResults = COALESCE_REPOSITORY "/docs/results/";
/// The GPU of the course's published results.
const std::string kCourseGpu = "NVIDIA H200";
const std::string kNothingMeasured =
    "there are no measurements for this choice: give other --sizes, or another GPU after --time";
/// The size at which the simulator's counters are compared. All variants accept this size. Times
/// are predicted for larger sizes.
const std::string kCounted = "512";

std::string make_key(const std::string& step, const std::string& variant, Shape shape) {
    return step + "/" + variant + "/" + shape.name();
}

Shape shape_of(const Json& json, Shape otherwise) {
    return {json.value("rows", otherwise.rows), json.value("cols", otherwise.cols)};
}

fs::path program_of(const std::string& name) {
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / name;
    if (fs::exists(program)) return program;
    throw UsageError(program.string() + " has not been built; ./learn build builds it");
}

/// Runs the program with --json, and returns the JSON that it writes.
Json run_for_json(const std::string& program, std::vector<std::string> arguments) {
    const TemporaryFolder folder;
    const fs::path file = folder.path / "results.json";
    arguments.insert(arguments.end(), {"--json", file.string()});
    const ProcessResult ended =
        run_to_end({.program = program_of(program), .arguments = arguments});
    if (ended.exit_code == 0 && fs::exists(file)) return Json::parse(read_file(file));
    throw std::runtime_error(program + " ended with exit code " + std::to_string(ended.exit_code) +
                             ":\n" + ended.output);
}

std::string size_option(Shape shape) {
    return std::to_string(shape.rows) + "x" + std::to_string(shape.cols);
}

Json measured_json(const std::string& program, Shape shape) {
    if (program == kSearch) return run_for_json(program, {"--sizes", size_option(shape)});
    return run_for_json(
        program, {"--device", "gpu", "--bench", "--rows", std::to_string(shape.rows), "--cols",
                  std::to_string(shape.cols)});
}

/// Returns the times in docs/results for a GPU.
MeasuredTimes load_published_times(const std::string& gpu) {
    std::vector<fs::path> files = {kResults + "nvidia-h200.json", kResults + "search/results.json"};
    for (const auto& entry : fs::directory_iterator(kResults + "other_gpus"))
        files.push_back(entry.path());
    MeasuredTimes measured;
    for (const fs::path& file : files) {
        const Json json = Json::parse(read_file(file));
        if (json.at("device").at("name") == gpu) measured.add(json);
    }
    return measured;
}

/// Returns the times from all files, regardless of the GPU on which they were measured.
MeasuredTimes load_measured_times(const std::vector<std::string>& files) {
    MeasuredTimes measured;
    for (const std::string& file : files) measured.add(Json::parse(read_file(file)));
    return measured;
}

std::vector<std::string> list_programs(const TimeComparisonOptions& words) {
    const course::Course course = course::read_course(COALESCE_REPOSITORY);
    std::vector<std::string> programs;
    for (const std::string& word : words.lessons) {
        const course::Step* step = course.find(word);
        if (!step)
            throw UsageError("there is no lesson \"" + word + "\"; ./learn list shows all lessons");
        programs.push_back(step->name);
    }
    for (const course::Step& step : course.steps)
        if (words.lessons.empty() && step.name != MEASURES_ITSELF) programs.push_back(step.name);
    if (words.lessons.empty() && !words.no_search) programs.push_back(kSearch);
    return programs;
}

bool takes_shape(const std::string& program, Shape shape) {
    constexpr int kSearchSide = 256;
    return program != kSearch || (shape.rows % kSearchSide == 0 && shape.cols % kSearchSide == 0);
}

/// Groups pairs by size, in order of first occurrence.
std::vector<std::pair<std::string, std::vector<TimePair>>> by_size(
    const std::vector<ComparedTime>& times) {
    std::vector<std::pair<std::string, std::vector<TimePair>>> sizes;
    for (const ComparedTime& time : times) {
        auto size = std::find_if(sizes.begin(), sizes.end(), [&](const auto& known) {
            return known.first == time.shape.name();
        });
        if (size == sizes.end()) size = sizes.insert(sizes.end(), {time.shape.name(), {}});
        size->second.push_back(time.pair);
    }
    return sizes;
}

std::vector<TimePair> pairs_of(const std::vector<ComparedTime>& times) {
    std::vector<TimePair> pairs;
    for (const ComparedTime& time : times) {
        pairs.push_back(time.pair);
        pairs.back().name += ", " + size_option(time.shape);
    }
    return pairs;
}

std::vector<ComparedTime> keep_known(std::vector<ComparedTime> times) {
    std::erase_if(times, [](const ComparedTime& time) { return !time.pair.is_known(); });
    return times;
}

/// Summarizes the times of all matrix sizes together. Compares the order of two kernels only if
/// both were timed at the same size, because a small matrix always takes less time than a large
/// one.
timing::ErrorSummary summarize_all(const std::vector<ComparedTime>& times) {
    timing::ErrorSummary all = timing::summarize(pairs_of(times));
    all.comparable = all.in_order = 0;
    for (const auto& [size, pairs] : by_size(times)) {
        const timing::ErrorSummary one = timing::summarize(pairs);
        all.comparable += one.comparable;
        all.in_order += one.in_order;
    }
    return all;
}

Json error_summary_json(const timing::ErrorSummary& s) {
    return {{"pairs", s.pairs},     {"median", s.median},       {"percentile_90", s.percentile_90},
            {"worst", s.worst},     {"within_10", s.within_10}, {"compared", s.comparable},
            {"in_order", s.order()}};
}

}  // namespace

Json predicted_json(const std::string& program, Shape shape, const std::string& gpu) {
    if (program == kSearch)
        return run_for_json(program, {"--time", gpu, "--sizes", size_option(shape)});
    return run_for_json(program, {"--bench", "--rows", kCounted, "--cols", kCounted, "--time", gpu,
                                  "--at", size_option(shape)});
}

std::string error_table_header() {
    return format("%-20s %5s %9s %10s %9s %8s %11s\n", "", "pairs", "median", "90th p.", "worst",
                  "in 10 %", "in order");
}

std::string error_table_row(const std::string& name, const timing::ErrorSummary& s) {
    return format("%-20s %5zu %7.1f %% %8.1f %% %7.1f %% %8zu %9.1f %%\n", name.c_str(), s.pairs,
                  100 * s.median, 100 * s.percentile_90, 100 * s.worst, s.within_10,
                  100 * s.order());
}

void MeasuredTimes::add_rows(const Json& rows, Shape shape) {
    for (const Json& row : rows) {
        if (!row.contains("ms") || !row["ms"].is_number()) continue;
        const bool is_search = row.contains("candidate");
        const std::string variant = row.at(is_search ? "candidate" : "variant");
        ms_.emplace(make_key(is_search ? kSearch : row.at("step").get<std::string>(), variant,
                             shape_of(row, shape)),
                    row["ms"].get<double>());
    }
}

void MeasuredTimes::add(const Json& json) {
    if (device_.empty()) device_ = json.at("device").value("name", "");
    if (json.contains("results")) add_rows(json["results"], {});
    for (const char* list : {"other_sizes", "sizes"}) {
        if (!json.contains(list)) continue;
        for (const Json& size : json[list]) add_rows(size.at("results"), shape_of(size, {}));
    }
}

double MeasuredTimes::ms(const std::string& step, const std::string& variant, Shape shape) const {
    const auto found = ms_.find(make_key(step, variant, shape));
    return found == ms_.end() ? 0 : found->second;
}

std::vector<ComparedTime> match_times(const Json& predicted, const MeasuredTimes& measured) {
    std::vector<ComparedTime> times;
    for (const Json& row : predicted.at("results")) {
        if (!row.contains("predicted")) continue;
        const Json& p = row["predicted"];
        ComparedTime time{.step = row.at("step"),
                          .variant = row.at("variant"),
                          .shape = shape_of(p, {}),
                          .pair = {},
                          .error_band = p.at("error_band")};
        time.pair = {.name = time.step + " " + time.variant,
                     .measured = measured.ms(time.step, time.variant, time.shape),
                     .predicted = p.at("ms"),
                     .bottleneck = p.at("binds"),
                     .unknown = p.at("unknown")};
        if (time.pair.measured > 0) times.push_back(time);
    }
    return times;
}

std::vector<ComparedTime> compare_with_run(std::vector<ComparedTime> times,
                                           const MeasuredTimes& run) {
    for (ComparedTime& time : times)
        time.pair.predicted = run.ms(time.step, time.variant, time.shape);
    std::erase_if(times, [](const ComparedTime& time) { return time.pair.predicted <= 0; });
    return times;
}

std::vector<std::string> find_unpredicted(const Json& predicted, Shape shape,
                                          const MeasuredTimes& measured) {
    std::vector<std::string> reasons;
    for (const Json& row : predicted.at("results")) {
        const std::string step = row.at("step"), variant = row.at("variant");
        if (row.contains("predicted") || measured.ms(step, variant, shape) == 0) continue;
        const std::string why =
            row.value("not_predicted", row.value("skipped", std::string("the result is wrong")));
        reasons.push_back(step + " " + variant + ": " + why);
    }
    return reasons;
}

std::string times_text(const std::vector<ComparedTime>& times) {
    std::string text, figures = error_table_header();
    // If some kernels are unknown, adds a second row for the known kernels only.
    const auto add = [&](const std::string& name, const timing::ErrorSummary& all,
                         const timing::ErrorSummary& known) {
        figures += error_table_row(name, all);
        if (known.pairs > 0 && known.pairs < all.pairs)
            figures += error_table_row("  known", known);
    };
    for (const auto& [size, pairs] : by_size(times)) {
        text += size + "\n\n" + timing::format_text(pairs) + "\n";
        add(size, timing::summarize(pairs), timing::summarize(timing::fully_modelled_pairs(pairs)));
    }
    add("all", summarize_all(times), summarize_all(keep_known(times)));
    if (keep_known(times).size() < times.size())
        figures +=
            "The rows \"known\" leave out the kernels that the model does not fully cover.\n";
    return text + figures;
}

std::string times_markdown(const std::vector<ComparedTime>& times, const std::string& title) {
    std::string text = "# " + title + "\n";
    for (const auto& [size, pairs] : by_size(times))
        text += "\n## " + size + "\n\n" + timing::format_markdown(pairs);
    return text;
}

Json times_json(const std::vector<ComparedTime>& times) {
    Json rows = Json::array(), sizes = Json::array();
    for (const ComparedTime& time : times) {
        rows.push_back({{"step", time.step},
                        {"variant", time.variant},
                        {"rows", time.shape.rows},
                        {"cols", time.shape.cols},
                        {"measured_ms", time.pair.measured},
                        {"predicted_ms", time.pair.predicted},
                        {"error_band", time.error_band},
                        {"binds", time.pair.bottleneck},
                        {"unknown", time.pair.unknown}});
    }
    for (const auto& [size, pairs] : by_size(times)) {
        Json of_size = {{"size", size}};
        of_size.update(error_summary_json(timing::summarize(pairs)));
        of_size["known"] =
            error_summary_json(timing::summarize(timing::fully_modelled_pairs(pairs)));
        sizes.push_back(of_size);
    }
    return {{"sizes", sizes}, {"results", rows}};
}

int validate_times(const TimeComparisonOptions& words) {
    const std::vector<std::string> programs = list_programs(words);
    const std::vector<Shape> sizes = parse_sizes(words.sizes);
    for (const std::string& file : {words.json, words.markdown, words.svg})
        if (!file.empty()) check_writable(file);
    const bool measures = !words.published && find_gpu_problem().empty();
    const MeasuredTimes stand_in = load_measured_times(words.against);
    const std::string wanted = words.gpu.empty() ? kCourseGpu : words.gpu;
    MeasuredTimes measured =
        measures ? MeasuredTimes{} : load_published_times(timing::find_gpu(wanted).name);
    std::vector<ComparedTime> times;
    std::vector<std::string> reasons;
    std::string gpu = words.gpu;
    for (const Shape shape : sizes) {
        for (const std::string& program : programs) {
            if (!takes_shape(program, shape)) continue;
            if (measures) measured.add(measured_json(program, shape));
            if (measured.device().empty()) throw UsageError(kNothingMeasured);
            if (gpu.empty()) gpu = timing::find_gpu(measured.device()).name;
            if (timing::find_gpu(gpu).name != measured.device()) {
                throw UsageError("the measurements were made on an " + measured.device() +
                                 ", not on an " + gpu + ": leave out the name after --time");
            }
            const Json predicted = predicted_json(program, shape, gpu);
            for (ComparedTime& time : match_times(predicted, measured))
                times.push_back(std::move(time));
            for (const std::string& why : find_unpredicted(predicted, shape, measured))
                if (std::find(reasons.begin(), reasons.end(), why) == reasons.end())
                    reasons.push_back(why);
            print_progress(program + " at " + shape.name());
        }
    }
    if (!words.against.empty()) times = compare_with_run(std::move(times), stand_in);
    if (times.empty()) throw UsageError(kNothingMeasured);
    const std::string title = words.against.empty()
                                  ? "Predicted and measured, " + measured.device()
                                  : "Times measured on an " + measured.device() +
                                        ", compared with a run on an " + stand_in.device();
    std::cout << title << (measures ? "\n\n" : " (docs/results)\n\n") << times_text(times);
    if (!reasons.empty()) std::cout << "\nMeasured, but not predicted:\n";
    for (const std::string& why : reasons) std::cout << wrap(why, "  ");
    if (!words.json.empty()) {
        Json json = times_json(times);
        json["device"] = measured.device();
        json["measured_now"] = measures;
        json["not_predicted"] = reasons;
        write_file(words.json, json_text(json));
    }
    if (!words.markdown.empty()) write_file(words.markdown, times_markdown(times, title));
    if (!words.svg.empty()) write_file(words.svg, timing::draw_svg(pairs_of(times), title));
    const double median = 100 * timing::summarize(pairs_of(times)).median;
    if (words.limit <= 0 || median <= words.limit) return exit_right;
    std::cout << format("The median error, %.1f %%, exceeds the limit of %.1f %%.\n", median,
                        words.limit);
    return exit_wrong;
}

}  // namespace coalesce::proof
