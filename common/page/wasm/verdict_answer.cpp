#include "verdict_answer.h"

#include "examiner/clang_ir.h"
#include "examiner/compiled_from.h"
#include "examiner/course/course.h"
#include "examiner/launch_limits.h"
#include "examiner/render.h"
#include "examiner/verdict_codec.h"
#include "harness/counters_json.h"
#include "learn/counted.h"
#include "learn/guess.h"
#include "learn/roofline.h"

namespace coalesce::page {

using nlohmann::json;

json task_for_clang(const Source& source, const std::vector<std::string>& sizes,
                    bool keeps_variables) {
    const ClangRequest request = clang_ir_request(source, sizes, keeps_variables);
    return {{"arguments", request.arguments},
            {"files", {{request.input, request.text}}},
            {"output", request.output},
            {"headers", request.headers}};
}

CompilerOutput parse_compiler_output(const json& question, const json& answer) {
    const json ir = answer.value("ir", json()), ptx = answer.value("ptx", json());
    CompilerOutput made{.compiler = add_translator_name(question.at("compiler").get<std::string>()),
                        .raw = {.is_good = ir.is_string() || ptx.is_string(),
                                .output = answer.at("said").get<std::string>()}};
    if (ir.is_string()) made.raw.ir = ir.get<std::string>();
    if (ptx.is_string()) made.raw.ptx = ptx.get<std::string>();
    return made;
}

namespace {

/// Converts to nlohmann::json, which sorts keys alphabetically.
template <class Value>
json as_json(const Value& value) {
    return json::parse(codec::write(value));
}

json launch_json(const Verdict& verdict) {
    if (verdict.shapes.empty() || verdict.shapes.back().launch.blocks() < 1) return nullptr;
    const TriedShape& tried = verdict.shapes.back();
    return {{"rows", tried.shape.rows},
            {"cols", tried.shape.cols},
            {"grid", tried.launch.grid},
            {"block", tried.launch.block},
            {"shared", tried.launch.shared_bytes}};
}

json line_json(const Verdict& verdict, const LineCounters& line) {
    json explanation = {{"line", line.line},
                        {"reasons", learn::explain_line_costs(verdict, line.counters)}};
    const learn::Json counters = counters_to_json(line.counters),
                      all = counters_to_json(*verdict.counters);
    const double elements = element_count(verdict.counted_shape);
    const auto or_null = [](std::optional<double> value) { return value ? json(*value) : json(); };
    for (const std::string counter : course::kCounterNamesToExpect) {
        const auto mean = learn::average_per_request(counters, counter);
        explanation[counter] = or_null(mean);
        // The minimum number of sectors is known only for kernels that move a matrix.
        const bool has_least = mean && (verdict.sizes.empty() || counter.starts_with("shared"));
        explanation[counter + "_least"] =
            has_least ? or_null(learn::ideal_per_request(all, counter, elements)) : json();
    }
    return explanation;
}

/// Draws the kernel and, if there is one, the solution below the limits of the first known GPU.
/// Returns null if no bytes were counted.
json roofline_json(const Verdict& verdict) {
    if (!verdict.counters || verdict.counters->bytes_moved() == 0) return nullptr;
    learn::Roofline roofline = learn::make_roofline(timing::known_gpus().front());
    const auto& solution = verdict.solution_counters;
    roofline.points = {learn::make_point(solution ? "yours" : verdict.kernel, *verdict.counters)};
    if (solution && solution->bytes_moved() > 0) {
        roofline.points.push_back(learn::make_point("solution", *solution));
    }
    return {{"svg", learn::roofline_svg(roofline)}, {"text", learn::explain_roofline(roofline)}};
}

}  // namespace

json verdict_json(const Verdict& verdict, const Compiled& compiled) {
    json lines = json::array();
    for (const LineCounters& line : verdict.lines) lines.push_back(line_json(verdict, line));
    return {
        {"passed", verdict.passed()},
        {"failure", verdict.failure_id()},
        {"verdict", as_json(verdict)},
        {"html", html_text(verdict)},
        {"terminal", terminal_text(verdict)},
        {"ptx", compiled.ptx},
        {"entry", compiled.entry},
        {"launch", launch_json(verdict)},
        {"predicted", verdict.predicted ? json(learn::predicted_fact(*verdict.predicted)) : json()},
        {"lines", lines},
        {"roofline", roofline_json(verdict)}};
}

}  // namespace coalesce::page
