// Tests how the run time of rules that read a student's text grows with the length of the text. The
// rules run outside of the sandbox, so a text that kept a rule busy for minutes would stop the
// grading of a class. A rule must take linear time. If it searches only texts of up to 8 KB, it may
// take quadratic time.
#include <doctest/doctest.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/text.h"
#include "examiner/course/exercise.h"
#include "examiner/expressions.h"
#include "examiner/index_sums.h"
#include "examiner/load_lines.h"
#include "examiner/ptx_rules/ptx_rules.h"
#include "examiner/rules.h"
#include "examiner/source.h"
#include "examiner/source_lines.h"

using namespace coalesce;

namespace {

/// A rule that examines a student's text. `apply` takes the text and the number of a line in the
/// middle of the text.
struct TextRule {
    const char* name;
    std::function<void(const std::string& text, int line)> apply;
};

template <class Function>
TextRule of_text(const char* name, Function function) {
    return {name, [=](const std::string& text, int) { static_cast<void>(function(text)); }};
}

template <class Function>
TextRule of_line(const char* name, Function function) {
    return {name,
            [=](const std::string& text, int line) { static_cast<void>(function(text, line)); }};
}

/// Returns a rule that changes a failure if the text explains the failure.
template <class Function>
TextRule of_failure(const char* name, Function function) {
    return {name, [=](const std::string& text, int line) {
                const Source source{"kernel.cu", text, {}};
                const Exercise exercise;
                const Evidence evidence{.source = source,
                                        .exercise = exercise,
                                        .relaunch = [](const TrialRequest&) { return Trial{}; }};
                Failure failure{.kind = FailureKind::wrong_result, .place = {"kernel.cu", line, 0}};
                static_cast<void>(function(failure, evidence));
            }};
}

std::vector<TextRule> rules_of_files() {
    return {
        of_text("make_source", [](const std::string& text) { return make_source(text, "k.cu"); }),
        of_text("with_line_feeds", convert_to_line_feeds),
        of_text("blank_out_comments", blank_out_comments),
        of_text("ptx_rules",
                [](const std::string& text) { return inspect_ptx(text, "transpose", {}); }),
        of_text("lines", [](const std::string& text) { return lines_of(text).size(); }),
    };
}

std::vector<TextRule> rules_of_lines() {
    return {
        of_line("find_caller_of_asm", find_caller_of_asm),
        of_line("find_statement_line", find_statement_line),
        of_line("find_local_array", find_local_array),
        of_line("find_load_line", find_load_line),
        of_line("find_shared_array", find_shared_array),
        of_line("find_loop_that_runs_once_too_often", find_loop_that_runs_once_too_often),
        of_line("code_on_line", code_on_line),
        of_line("find_conditions", find_conditions),
        of_line("find_matrix_index", [](const std::string& text,
                                        int line) { return find_matrix_index(text, line, "in"); }),
        of_line("values_of_index",
                [](const std::string& text, int line) { return values_of_index(text, "k", line); }),
        of_line("index_value",
                [](const std::string& text, int line) {
                    return index_value(text, "row + k", line, {{"threadIdx.x", 1}});
                }),
        of_line("assigned_value",
                [](const std::string& text, int line) { return assigned_value(text, "a", line); }),
        of_line("expand",
                [](const std::string& text, int line) { return expand(text, "a + k", line); }),
        of_line("IndexSum",
                [](const std::string& text, int line) {
                    return IndexSum::parse(text, "a + k", line).has_value();
                }),
        of_failure("explain_by_lines",
                   [](Failure& failure, const Evidence& evidence) {
                       return explain_by_lines(failure, {}, evidence);
                   }),
        of_failure("explain_by_indices",
                   [](Failure& failure, const Evidence& evidence) {
                       return explain_by_indices(failure, {}, evidence);
                   }),
        of_failure("explain_by_conditions",
                   [](Failure& failure, const Evidence& evidence) {
                       return explain_by_conditions(failure, {}, evidence);
                   }),
        of_failure("explain_by_pipeline", explain_by_pipeline),
        of_failure("explain_pointer_advance",
                   [](Failure& failure, const Evidence& evidence) {
                       return explain_pointer_advance(failure, {}, evidence);
                   }),
    };
}

std::vector<TextRule> rules_of_kernels() {
    return {
        of_text("find_loops", find_loops),
        of_text("find_array_overrun", find_array_overrun),
        of_text("find_missing_parentheses", find_missing_parentheses),
        of_text("find_unshared_array", find_unshared_array),
        of_text("find_line_with_mixed_axes", find_line_with_mixed_axes),
        of_text("find_cast_of_value", find_cast_of_value),
        of_text("find_line_with_repeated_component", find_line_with_repeated_component),
        of_text("find_component_never_set", find_component_never_set),
        of_text("find_line_leaving_diagonal", find_line_leaving_diagonal),
        of_text("find_line_comparing_blocks", find_line_comparing_blocks),
        of_text("find_odd_pitch",
                [](const std::string& text) { return find_odd_pitch(text, "tile"); }),
        of_text("find_pointer_advance_line",
                [](const std::string& text) { return find_pointer_advance_line(text, "in"); }),
        of_text("find_copy_wait_line", find_copy_wait_line),
        of_text("find_copy_start_line", find_copy_start_line),
        of_text("never_commits", never_commits),
        of_text("tracks_copies_with_mbarrier", tracks_copies_with_mbarrier),
        of_text("has_dynamic_array", has_dynamic_array),
        of_text("list_shared_arrays", list_shared_arrays),
        of_text("find_tile_choice_line", find_tile_choice_line),
        of_text("find_configure_line",
                [](const std::string& text) { return find_configure_line(text, ".grid"); }),
        of_text("find_kernel_line",
                [](const std::string& text) { return find_kernel_line(text, "transpose"); }),
        of_text("find_constant_line",
                [](const std::string& text) { return find_constant_line(text, "TILE_DIM"); }),
        of_text("constant_value",
                [](const std::string& text) { return constant_value(text, "TILE_DIM"); }),
    };
}

/// Texts that repeat what a rule searches for, so that the rule has a lot of work.
const std::vector<std::string> kRepeated = {
    "for (int k = 0; k < 4; k += 1) {\n",
    "__device__ f(",
    "__device__ int f() { asm(\"a\"); }\n",
    "(",
    "{",
    "/*",
    "\"",
    "x",
    "x ",
    "\n",
    "a = a + k;\n",
    "const int a = 1;\n",
    "float a[4]; a[k] = 0;\n",
    "__shared__ float tile[4][4];\ntile[k][k] = tile[a][k];\n",
    "if (k < rows && a < cols) { out[a * rows + k] = in[k * cols + a];\n",
    "float4 v; v.x = 1; v.y = 2; v.z = v.x;\n",
    "__pipeline_memcpy_async(a, in + k, 16);\n",
    "#include <a>\n",
    "\\\n",
    "ld.global.f32 %f1, [%rd1]; bar.sync 0; bra $L1;\n",
};

std::string repeat(const std::string& unit, std::size_t bytes) {
    std::string text = "__global__ void transpose() {\n__syncthreads();\n";
    while (text.size() + unit.size() + 8 < bytes) text += unit;
    return text;
}

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns the processor time in seconds that a rule takes for a text. Other programs affect this
/// time only by evicting cache lines, so return the shortest time of several calls.
double seconds_for(const TextRule& rule, const std::string& text) {
    const int line = static_cast<int>(std::count(text.begin(), text.end(), '\n')) / 2 + 1;
    constexpr int calls = 2;
    constexpr double enough = 0.02;  // other programs hardly affect a call that takes this long
    double least = 1e9;
    for (int call = 0; call < calls; ++call) {
        const double begin = processor_seconds();
        rule.apply(text, line);
        const double seconds = processor_seconds() - begin;
        least = std::min(least, seconds);
        if (seconds > enough) break;
    }
    return least;
}

constexpr std::size_t kShort = 1000, kLongestSearched = 8000;

/// Returns the ratio of a rule's run times for two texts, of which one is 8 times as long: 8 if the
/// time is linear, 64 if it is quadratic, 512 if it is cubic. Differences of less than `noise` are
/// ignored.
double growth(const TextRule& rule, const std::string& unit, std::size_t bytes) {
    constexpr double noise = 1e-3;
    const double shorter = seconds_for(rule, repeat(unit, bytes));
    const double longer = seconds_for(rule, repeat(unit, 8 * bytes));
    return std::max(0., longer - noise) / shorter;
}

/// Reports whether a rule's run time grows by a factor of less than `most` in at least one of three
/// attempts. On a busy computer, single attempts may be disturbed.
bool grows_less(const TextRule& rule, const std::string& unit, std::size_t bytes, double most) {
    for (int attempt = 0; attempt < 3; ++attempt)
        if (growth(rule, unit, bytes) < most) return true;
    return false;
}

bool is_linear(const TextRule& rule, const std::string& unit) {
    return grows_less(rule, unit, kLongestSearched, 16);
}

bool is_quadratic_at_most(const TextRule& rule, const std::string& unit) {
    return grows_less(rule, unit, kShort, 160);
}

/// Returns a rule that compares every eighth letter with all letters, if the text has at most
/// `longest` bytes.
TextRule quadratic_rule(std::size_t longest) {
    return of_text("quadratic", [=](const std::string& text) {
        if (text.size() > longest) return 0;
        int pairs = 0;
        for (std::size_t i = 0; i < text.size(); i += 8)
            for (const char other : text) pairs += text[i] == other ? 1 : 0;
        return pairs;
    });
}

}  // namespace

TEST_CASE("no text keeps a rule busy") {
    std::vector<TextRule> rules = rules_of_files();
    for (const auto& more : {rules_of_lines(), rules_of_kernels()})
        rules.insert(rules.end(), more.begin(), more.end());
    for (const std::string& unit : kRepeated) {
        CAPTURE(unit);
        for (const TextRule& rule : rules) {
            CAPTURE(rule.name);
            CHECK(is_quadratic_at_most(rule, unit));
            CHECK(is_linear(rule, unit));
        }
    }
}

TEST_CASE("a rule that takes too long is detected") {
    CHECK_FALSE(is_linear(quadratic_rule(1 << 20), "x"));
    CHECK(is_linear(quadratic_rule(kLongestSearched), "x"));
    CHECK(is_quadratic_at_most(quadratic_rule(1 << 20), "x"));
    const TextRule cubic = of_text("cubic", [](const std::string& text) {
        const std::string part = text.substr(0, text.size() / 16);
        int triples = 0;
        for (const char one : part)
            for (const char other : part)
                for (const char third : part) triples += one == other && other == third ? 1 : 0;
        return triples;
    });
    CHECK_FALSE(is_quadratic_at_most(cubic, "x"));
}
