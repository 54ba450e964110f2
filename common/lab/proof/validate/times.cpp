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

const std::string kSearchProgram = "search", kResultsFolder = COALESCE_REPOSITORY "/docs/results/";
/// The GPU of the course's published results.
const std::string kCourseGpu = "NVIDIA H200";
const std::string kNothingMeasuredMessage =
    "there are no measurements for this choice: give other --sizes, or another GPU after --time";
/// The size at which the simulator's counters are compared. All variants accept this size. Times
/// are predicted for larger sizes.
const std::string kCountedSide = "512";

std::string make_time_key(const std::string& step, const std::string& variant, Shape shape) {
    return step + "/" + variant + "/" + shape.name();
}

Shape shape_of(const Json& json, Shape default_shape) {
    return {json.value("rows", default_shape.rows), json.value("cols", default_shape.cols)};
}

fs::path find_program_path(const std::string& name) {
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / name;
    if (fs::exists(program)) return program;
    throw UsageError(program.string() + " has not been built; ./learn build builds it");
}

/// Runs the program with --json, and returns the JSON that it writes.
Json run_for_json(const std::string& program, std::vector<std::string> arguments) {
    const TemporaryFolder folder;
    const fs::path file = folder.path / "results.json";
    arguments.insert(arguments.end(), {"--json", file.string()});
    const ProcessResult process_result =
        run_to_end({.program = find_program_path(program), .arguments = arguments});
    if (process_result.exit_code == 0 && fs::exists(file)) return Json::parse(read_file(file));
    throw std::runtime_error(program + " ended with exit code " +
                             std::to_string(process_result.exit_code) + ":\n" +
                             process_result.output);
}

std::string format_size_option(Shape shape) {
    return std::to_string(shape.rows) + "x" + std::to_string(shape.cols);
}

Json measure_with_program(const std::string& program, Shape shape) {
    if (program == kSearchProgram)
        return run_for_json(program, {"--sizes", format_size_option(shape)});
    return run_for_json(
        program, {"--device", "gpu", "--bench", "--rows", std::to_string(shape.rows), "--cols",
                  std::to_string(shape.cols)});
}

/// Returns the times in docs/results for a GPU.
MeasuredTimes load_published_times(const std::string& gpu) {
    std::vector<fs::path> files = {kResultsFolder + "nvidia-h200.json",
                                   kResultsFolder + "search/results.json"};
    for (const auto& entry : fs::directory_iterator(kResultsFolder + "other_gpus"))
        files.push_back(entry.path());
    MeasuredTimes measured_times;
    for (const fs::path& file : files) {
        const Json json = Json::parse(read_file(file));
        if (json.at("device").at("name") == gpu) measured_times.add(json);
    }
    return measured_times;
}

/// Returns the times from all files, regardless of the GPU on which they were measured.
MeasuredTimes load_measured_times(const std::vector<std::string>& files) {
    MeasuredTimes measured_times;
    for (const std::string& file : files) measured_times.add(Json::parse(read_file(file)));
    return measured_times;
}

std::vector<std::string> list_programs(const TimeComparisonOptions& options) {
    const course::Course course = course::read_course(COALESCE_REPOSITORY);
    std::vector<std::string> programs;
    for (const std::string& word : options.lesson_names) {
        const course::Step* step = course.find(word);
        if (!step)
            throw UsageError("there is no lesson \"" + word + "\"; ./learn list shows all lessons");
        programs.push_back(step->name);
    }
    for (const course::Step& step : course.steps)
        if (options.lesson_names.empty() && step.name != MEASURES_ITSELF)
            programs.push_back(step.name);
    if (options.lesson_names.empty() && !options.excludes_search)
        programs.push_back(kSearchProgram);
    return programs;
}

bool accepts_shape(const std::string& program, Shape shape) {
    constexpr int kMatrixSideMultiple = 256;
    return program != kSearchProgram ||
           (shape.rows % kMatrixSideMultiple == 0 && shape.cols % kMatrixSideMultiple == 0);
}

/// Groups pairs by size, in order of first occurrence.
std::vector<std::pair<std::string, std::vector<TimePair>>> group_pairs_by_size(
    const std::vector<ComparedTime>& times) {
    std::vector<std::pair<std::string, std::vector<TimePair>>> sizes;
    for (const ComparedTime& time : times) {
        auto size = std::find_if(sizes.begin(), sizes.end(), [&](const auto& pairs_of_size) {
            return pairs_of_size.first == time.shape.name();
        });
        if (size == sizes.end()) size = sizes.insert(sizes.end(), {time.shape.name(), {}});
        size->second.push_back(time.time_pair);
    }
    return sizes;
}

std::vector<TimePair> pairs_of(const std::vector<ComparedTime>& times) {
    std::vector<TimePair> pairs;
    for (const ComparedTime& time : times) {
        pairs.push_back(time.time_pair);
        pairs.back().name += ", " + format_size_option(time.shape);
    }
    return pairs;
}

std::vector<ComparedTime> select_fully_modelled(std::vector<ComparedTime> times) {
    std::erase_if(times,
                  [](const ComparedTime& time) { return !time.time_pair.is_fully_modelled(); });
    return times;
}

/// Summarizes the times of all matrix sizes together. Compares the order of two kernels only if
/// both were timed at the same size, because a small matrix always takes less time than a large
/// one.
timing::ErrorSummary summarize_all(const std::vector<ComparedTime>& times) {
    timing::ErrorSummary overall_errors = timing::summarize_errors(pairs_of(times));
    overall_errors.comparable_orders = overall_errors.correct_orders = 0;
    for (const auto& [size, pairs] : group_pairs_by_size(times)) {
        const timing::ErrorSummary errors_of_size = timing::summarize_errors(pairs);
        overall_errors.comparable_orders += errors_of_size.comparable_orders;
        overall_errors.correct_orders += errors_of_size.correct_orders;
    }
    return overall_errors;
}

Json format_error_summary_json(const timing::ErrorSummary& s) {
    return {{"pairs", s.pairs},
            {"median", s.median},
            {"percentile_90", s.percentile_90_error},
            {"worst", s.worst_error},
            {"within_10", s.pairs_within_10_percent},
            {"compared", s.comparable_orders},
            {"in_order", s.correct_order_fraction()}};
}

}  // namespace

Json predict_with_program(const std::string& program, Shape shape, const std::string& gpu) {
    if (program == kSearchProgram)
        return run_for_json(program, {"--time", gpu, "--sizes", format_size_option(shape)});
    return run_for_json(program, {"--bench", "--rows", kCountedSide, "--cols", kCountedSide,
                                  "--time", gpu, "--at", format_size_option(shape)});
}

std::string format_error_table_header() {
    return format("%-20s %5s %9s %10s %9s %8s %11s\n", "", "pairs", "median", "90th p.", "worst",
                  "in 10 %", "in order");
}

std::string format_error_table_row(const std::string& name, const timing::ErrorSummary& s) {
    return format("%-20s %5zu %7.1f %% %8.1f %% %7.1f %% %8zu %9.1f %%\n", name.c_str(), s.pairs,
                  100 * s.median, 100 * s.percentile_90_error, 100 * s.worst_error,
                  s.pairs_within_10_percent, 100 * s.correct_order_fraction());
}

void MeasuredTimes::add_rows(const Json& rows, Shape shape) {
    for (const Json& row : rows) {
        if (!row.contains("ms") || !row["ms"].is_number()) continue;
        const bool is_search = row.contains("candidate");
        const std::string variant = row.at(is_search ? "candidate" : "variant");
        ms_.emplace(make_time_key(is_search ? kSearchProgram : row.at("step").get<std::string>(),
                                  variant, shape_of(row, shape)),
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
    const auto found_time = ms_.find(make_time_key(step, variant, shape));
    return found_time == ms_.end() ? 0 : found_time->second;
}

std::vector<ComparedTime> match_times(const Json& predicted, const MeasuredTimes& measured) {
    std::vector<ComparedTime> times;
    for (const Json& row : predicted.at("results")) {
        if (!row.contains("predicted")) continue;
        const Json& p = row["predicted"];
        ComparedTime time{.step = row.at("step"),
                          .variant = row.at("variant"),
                          .shape = shape_of(p, {}),
                          .time_pair = {},
                          .error_band = p.at("error_band")};
        time.time_pair = {.name = time.step + " " + time.variant,
                          .measured = measured.ms(time.step, time.variant, time.shape),
                          .predicted = p.at("ms"),
                          .bottleneck = p.at("binds"),
                          .unknown = p.at("unknown")};
        if (time.time_pair.measured > 0) times.push_back(time);
    }
    return times;
}

std::vector<ComparedTime> compare_with_run(std::vector<ComparedTime> times,
                                           const MeasuredTimes& run) {
    for (ComparedTime& time : times)
        time.time_pair.predicted = run.ms(time.step, time.variant, time.shape);
    std::erase_if(times, [](const ComparedTime& time) { return time.time_pair.predicted <= 0; });
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

std::string format_times_text(const std::vector<ComparedTime>& times) {
    std::string text, error_table = format_error_table_header();
    // If the model does not fully cover some kernels, adds a second row for the kernels that it
    // covers.
    const auto add = [&](const std::string& name, const timing::ErrorSummary& all_errors,
                         const timing::ErrorSummary& errors_if_fully_modelled) {
        error_table += format_error_table_row(name, all_errors);
        if (errors_if_fully_modelled.pairs > 0 && errors_if_fully_modelled.pairs < all_errors.pairs)
            error_table += format_error_table_row("  known", errors_if_fully_modelled);
    };
    for (const auto& [size, pairs] : group_pairs_by_size(times)) {
        text += size + "\n\n" + timing::format_text(pairs) + "\n";
        add(size, timing::summarize_errors(pairs),
            timing::summarize_errors(timing::select_fully_modelled_pairs(pairs)));
    }
    add("all", summarize_all(times), summarize_all(select_fully_modelled(times)));
    if (select_fully_modelled(times).size() < times.size())
        error_table +=
            "The rows \"known\" leave out the kernels that the model does not fully cover.\n";
    return text + error_table;
}

std::string format_times_markdown(const std::vector<ComparedTime>& times,
                                  const std::string& title) {
    std::string text = "# " + title + "\n";
    for (const auto& [size, pairs] : group_pairs_by_size(times))
        text += "\n## " + size + "\n\n" + timing::format_markdown(pairs);
    return text;
}

Json format_times_json(const std::vector<ComparedTime>& times) {
    Json rows = Json::array(), sizes = Json::array();
    for (const ComparedTime& time : times) {
        rows.push_back({{"step", time.step},
                        {"variant", time.variant},
                        {"rows", time.shape.rows},
                        {"cols", time.shape.cols},
                        {"measured_ms", time.time_pair.measured},
                        {"predicted_ms", time.time_pair.predicted},
                        {"error_band", time.error_band},
                        {"binds", time.time_pair.bottleneck},
                        {"unknown", time.time_pair.unknown}});
    }
    for (const auto& [size, pairs] : group_pairs_by_size(times)) {
        Json size_json = {{"size", size}};
        size_json.update(format_error_summary_json(timing::summarize_errors(pairs)));
        size_json["known"] = format_error_summary_json(
            timing::summarize_errors(timing::select_fully_modelled_pairs(pairs)));
        sizes.push_back(size_json);
    }
    return {{"sizes", sizes}, {"results", rows}};
}

int compare_times_and_report(const TimeComparisonOptions& options) {
    const std::vector<std::string> programs = list_programs(options);
    const std::vector<Shape> sizes = parse_sizes(options.sizes);
    for (const std::string& file : {options.json, options.markdown_file, options.svg_file})
        if (!file.empty()) check_writable(file);
    const bool measures_now = !options.uses_published_times && find_gpu_problem().empty();
    const MeasuredTimes times_to_compare_with =
        load_measured_times(options.result_files_to_compare);
    const std::string wanted_gpu = options.gpu.empty() ? kCourseGpu : options.gpu;
    MeasuredTimes measured =
        measures_now ? MeasuredTimes{} : load_published_times(timing::find_gpu(wanted_gpu).name);
    std::vector<ComparedTime> times;
    std::vector<std::string> reasons;
    std::string gpu = options.gpu;
    for (const Shape shape : sizes) {
        for (const std::string& program : programs) {
            if (!accepts_shape(program, shape)) continue;
            if (measures_now) measured.add(measure_with_program(program, shape));
            if (measured.device().empty()) throw UsageError(kNothingMeasuredMessage);
            if (gpu.empty()) gpu = timing::find_gpu(measured.device()).name;
            if (timing::find_gpu(gpu).name != measured.device()) {
                throw UsageError("the measurements were made on an " + measured.device() +
                                 ", not on an " + gpu + ": leave out the name after --time");
            }
            const Json predicted_times = predict_with_program(program, shape, gpu);
            for (ComparedTime& time : match_times(predicted_times, measured))
                times.push_back(std::move(time));
            for (const std::string& why : find_unpredicted(predicted_times, shape, measured))
                if (std::find(reasons.begin(), reasons.end(), why) == reasons.end())
                    reasons.push_back(why);
            print_progress(program + " at " + shape.name());
        }
    }
    if (!options.result_files_to_compare.empty())
        times = compare_with_run(std::move(times), times_to_compare_with);
    if (times.empty()) throw UsageError(kNothingMeasuredMessage);
    const std::string title = options.result_files_to_compare.empty()
                                  ? "Predicted and measured, " + measured.device()
                                  : "Times measured on an " + measured.device() +
                                        ", compared with a run on an " +
                                        times_to_compare_with.device();
    std::cout << title << (measures_now ? "\n\n" : " (docs/results)\n\n")
              << format_times_text(times);
    if (!reasons.empty()) std::cout << "\nMeasured, but not predicted:\n";
    for (const std::string& why : reasons) std::cout << wrap(why, "  ");
    if (!options.json.empty()) {
        Json json = format_times_json(times);
        json["device"] = measured.device();
        json["measured_now"] = measures_now;
        json["not_predicted"] = reasons;
        write_file(options.json, json_text(json));
    }
    if (!options.markdown_file.empty())
        write_file(options.markdown_file, format_times_markdown(times, title));
    if (!options.svg_file.empty())
        write_file(options.svg_file, timing::draw_svg(pairs_of(times), title));
    const double median_error_percent = 100 * timing::summarize_errors(pairs_of(times)).median;
    if (options.max_median_error_percent <= 0 ||
        median_error_percent <= options.max_median_error_percent)
        return exit_right;
    std::cout << format("The median error, %.1f %%, exceeds the limit of %.1f %%.\n",
                        median_error_percent, options.max_median_error_percent);
    return exit_wrong;
}

}  // namespace coalesce::proof
