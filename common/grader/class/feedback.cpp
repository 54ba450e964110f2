// What a student reads: what is wrong, where in their file, what it cost, what to do next.

#include <algorithm>
#include <cstdio>
#include <map>

#include "grader/class/names.h"
#include "grader/class/reports.h"
#include "grader/class/similarity.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

const char* meaning(VerdictKind verdict) {
    switch (verdict) {
        case VerdictKind::ok: return "right and clean";
        case VerdictKind::compile_error: return "it does not compile";
        case VerdictKind::compile_limit: return "compiling it takes too much";
        case VerdictKind::rejected: return "it cannot be accepted";
        case VerdictKind::wrong_answer: return "the result is wrong";
        case VerdictKind::memory: return "it leaves its memory";
        case VerdictKind::race: return "threads race";
        case VerdictKind::uninitialised: return "it reads what nothing wrote";
        case VerdictKind::synchronisation: return "threads do not meet at a barrier";
        case VerdictKind::time_limit: return "it does not come to an end";
        case VerdictKind::cheat: return "it tries to get round the grader";
        case VerdictKind::system: break;
    }
    return "not graded yet";
}

std::string ratio(std::uint64_t count, std::uint64_t requests) {
    if (requests == 0) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.4g",
                  static_cast<double>(count) / static_cast<double>(requests));
    return text;
}

// One row for each kind of access: what it cost, and what the solution's costs.
std::string counters_table(const Counters& yours, const std::optional<Counters>& ideal) {
    std::string text =
        "| simulated | yours: requests | yours: a request | solution: requests | solution: a "
        "request "
        "|\n|---|---|---|---|---|\n";
    const auto row = [&](const char* name, std::uint64_t Counters::*requests,
                         std::uint64_t Counters::*cost) {
        bool is_used = yours.*requests > 0 || (ideal && (*ideal).*requests > 0);
        if (!is_used) return;
        text += "| " + std::string(name) + " | " + std::to_string(yours.*requests) + " | " +
                ratio(yours.*cost, yours.*requests) + " | ";
        text += ideal ? std::to_string((*ideal).*requests) + " | " +
                            ratio((*ideal).*cost, (*ideal).*requests) + " |\n"
                      : "- | - |\n";
    };
    row("loads, sectors", &Counters::load_requests, &Counters::load_sectors);
    row("stores, sectors", &Counters::store_requests, &Counters::store_sectors);
    row("shared loads, wavefronts", &Counters::shared_load_requests,
        &Counters::shared_load_wavefronts);
    row("shared stores, wavefronts", &Counters::shared_store_requests,
        &Counters::shared_store_wavefronts);
    return text + "\n";
}

std::string line_of(const std::string& source, int number) {
    std::size_t begin = 0;
    for (int i = 1; i < number; ++i) {
        begin = source.find('\n', begin);
        if (begin == std::string::npos) return "";
        ++begin;
    }
    return source.substr(begin, source.find('\n', begin) - begin);
}

// The lines that touch memory, with what each costs.
std::string lines_table(const Result& result, const std::string& source) {
    std::string text;
    for (const LineCost& cost : result.lines) {
        const Counters& c = cost.counters;
        std::string what;
        const auto add = [&](const char* name, std::uint64_t requests, std::uint64_t count) {
            if (requests == 0) return;
            what += (what.empty() ? "" : ", ") + std::string(name) + " " + ratio(count, requests);
        };
        add("load", c.load_requests, c.load_sectors);
        add("store", c.store_requests, c.store_sectors);
        add("shared load", c.shared_load_requests, c.shared_load_wavefronts);
        add("shared store", c.shared_store_requests, c.shared_store_wavefronts);
        if (what.empty()) continue;
        text += "line " + std::to_string(cost.line) + ": " + what + " a request\n    " +
                shown(line_of(source, cost.line), 76) + "\n";
    }
    return text.empty() ? "" : "Where it goes (simulated):\n\n" + markdown_code(text) + "\n";
}

std::string shapes_text(const Result& result) {
    if (result.public_tried == 0) return "";
    std::string text = "Right on " + std::to_string(result.public_passed) + " of " +
                       std::to_string(result.public_tried) + " public shapes that were tried";
    if (result.hidden_tried > 0) {
        text += ", and on " + std::to_string(result.hidden_passed) + " of " +
                std::to_string(result.hidden_tried) + " hidden ones";
    }
    return text + ".\n\n";
}

std::string place_text(const Graded& graded) {
    const Result& result = *graded.result;
    if (result.line <= 0) return "";
    std::string line =
        result.source_line.empty() ? line_of(graded.source, result.line) : result.source_line;
    return "Line " + std::to_string(result.line) + " of your file:\n\n" + markdown_code(line) +
           "\n";
}

std::string problem_text(const Graded& graded) {
    const Result& result = *graded.result;
    std::string text;
    if (!result.headline.empty()) text += "**" + markdown(result.headline) + "**\n\n";
    if (result.shape.rows > 0) {
        text += "Seen with a matrix of " + std::to_string(result.shape.rows) + " x " +
                std::to_string(result.shape.cols) + ".\n\n";
    }
    if (result.is_hidden) {
        text += "Seen with a shape that is not published: try shapes of your own.\n\n";
    }
    text += place_text(graded);
    if (!result.details.empty()) text += markdown_code(result.details) + "\n";
    if (!result.map.empty()) text += markdown_code(result.map) + "\n";
    if (!result.picture.empty()) text += markdown_code(result.picture) + "\n";
    for (const std::string& other : result.other_headlines) text += "- " + markdown(other) + "\n";
    if (!result.other_headlines.empty()) text += "\n";
    if (!result.next.empty()) text += "Next: " + markdown(result.next) + "\n\n";
    return text;
}

std::string exercise_feedback(const Graded& graded) {
    std::string text = "## " + markdown(graded.exercise) + "\n\n";
    if (!graded.result) return text + "This is not graded yet.\n\n";
    const Result& result = *graded.result;
    text += "**" + std::string(code_of(result.verdict)) + "**: " + meaning(result.verdict) + ". " +
            points_text(result.points.total()) + " of " + points_text(graded.possible.total()) +
            " points: correct " + points_text(result.points.correct) + " of " +
            points_text(graded.possible.correct) + ", clean " + points_text(result.points.clean) +
            " of " + points_text(graded.possible.clean) + ", counters " +
            points_text(result.points.counters) + " of " + points_text(graded.possible.counters) +
            ".\n\n";
    text += problem_text(graded) + shapes_text(result);
    if (result.counters) {
        text += counters_table(*result.counters, result.solution_counters);
        text += lines_table(result, graded.source);
    }
    return text;
}

// Files of students who are no longer there must not stay: somebody might send them out.
void remove_strays(const fs::path& folder, const ClassResults& results) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        bool is_known = std::ranges::any_of(results.students, [&](const StudentResults& student) {
            return entry.path().filename() == file_name(student.name) + ".md";
        });
        if (!is_known) fs::remove(entry.path(), ignored);
    }
}

// fsync takes its time: a file that is right already stays.
void write_changed(const fs::path& file, const std::string& text) {
    std::error_code error;
    if (fs::is_regular_file(file, error) && fs::file_size(file, error) == text.size() &&
        read_file(file) == text) {
        return;
    }
    write_whole(file, text);
}

}  // namespace

std::string feedback(const ClassResults& results, const StudentResults& student) {
    std::string text =
        "# " + markdown(results.title) + "\n\nStudent: " + markdown(student.name) + "\n\n";
    if (!results.stamp.empty()) text += "(" + markdown(results.stamp) + ")\n\n";
    text += student.is_complete() ? "**" + points_text(student.points()) + " of " +
                                        points_text(student.possible()) + " points**\n\n"
                                  : "Not everything is graded yet.\n\n";
    for (const Graded& graded : student.graded) text += exercise_feedback(graded);
    return text;
}

std::string summary(const ClassResults& results) {
    std::string text = std::to_string(results.students.size()) +
                       (results.students.size() == 1 ? " student\n" : " students\n");
    for (std::size_t i = 0; i < results.exercises.size(); ++i) {
        std::map<std::string, int> verdicts;
        double sum = 0;
        for (const StudentResults& student : results.students) {
            const Graded& graded = student.graded.at(i);
            ++verdicts[graded.code()];
            sum += graded.result ? graded.result->points.total() : 0;
        }
        char line[120];
        std::snprintf(line, sizeof line, "  %-16s mean %s of %s points ",
                      results.exercises[i].c_str(),
                      points_text(sum / static_cast<double>(results.students.size())).c_str(),
                      points_text(results.students.front().graded.at(i).possible.total()).c_str());
        text += line;
        for (const auto& [code, count] : verdicts) text += " " + code + " " + std::to_string(count);
        text += "\n";
    }
    if (!results.stamp.empty()) text += "  These results are stamped: " + results.stamp + "\n";
    return text;
}

void write_reports(const ClassResults& results, const fs::path& folder) {
    make_folder(folder / "feedback", 0700);
    remove_strays(folder / "feedback", results);
    for (const StudentResults& student : results.students) {
        write_changed(folder / "feedback" / (file_name(student.name) + ".md"),
                      feedback(results, student));
    }
    write_changed(folder / "similarity.md", similarity_markdown(results));
    write_changed(folder / "junit.xml", junit_xml(results));
    write_changed(folder / "grades.json", grades_json(results));
    // The last: who sees it sees the others too.
    write_changed(folder / "grades.csv", grades_csv(results));
}

}  // namespace coalesce::grader
