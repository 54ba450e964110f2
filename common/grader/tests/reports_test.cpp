// Tests that reports are well-formed, contain nothing that other programs would execute, and reveal
// no hidden inputs.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/files.h"
#include "examiner/safe_text.h"
#include "grader/class/gradebook.h"
#include "grader/class/progress.h"
#include "grader/class/reports.h"
#include "grader/class/similarity.h"
#include "grader/class/tree.h"
#include "grader/class/zip.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"

using namespace coalesce;
using namespace coalesce::grader;
using Json = nlohmann::json;

namespace {

Result wrong_answer() {
    Result result;
    result.mark = Mark::wrong_answer;
    result.verdict.outcome = Verdict::Outcome::failed;
    result.verdict.failures = {
        {.kind = FailureKind::wrong_result,
         .fault = Fault::indices_not_swapped,
         .headline = "out(0,1) holds in(0,1)\x1b[31m ]]> </failure> <b>expected</b> in(1,0).",
         .place = {"kernel.cu", 2, 0},
         .shape = {64, 48},
         .details = "..#\n```\n",
         .advice = "Swap them."}};
    result.points = {0, 2, 0};
    return result;
}

Result right() {
    Result result;
    result.mark = Mark::ok;
    result.points = {6, 2, 2};
    Counters counters;
    counters.load_requests = counters.store_requests = 8;
    counters.load_sectors = counters.store_sectors = 32;
    result.verdict.outcome = Verdict::Outcome::passed;
    result.verdict.counted_shape = {16, 16};
    result.verdict.counters = counters;
    result.verdict.solution_counters = counters;
    return result;
}

GradedExercise graded(std::optional<Result> result) {
    return {"03_tiled", {6, 2, 2}, "line one\nline two\n", std::move(result)};
}

// Returns the results of three students: the first has a correct solution, the second has a wrong
// solution and a hostile name, and the third is not graded yet.
ClassResults a_class() {
    return {.assignment = "hw1",
            .title = "Tiles & <more>",
            .run = 1,
            .sandbox_note = "",
            .exercises = {"03_tiled"},
            .common_sources = {{}},
            .students = {{"=cmd|' /C calc'!A0", {graded(wrong_answer())}},
                         {"ada", {graded(right())}},
                         {"<b>\x1b]0;x\xff\n</b>", {graded(std::nullopt)}}}};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// A small XML parser that collects the values of an attribute. Throws if tags are not properly
// nested, attributes are not quoted or text is not escaped.
class Xml {
public:
    explicit Xml(const std::string& text) {
        if (!text.starts_with("<?xml")) throw std::runtime_error("no declaration");
        for (std::size_t at = text.find("?>") + 2; at < text.size();) {
            unsigned char letter = static_cast<unsigned char>(text[at]);
            if (letter < 0x20 && letter != '\n') throw std::runtime_error("a control");
            at = text[at] == '<' ? tag(text, at) : text[at] == '&' ? entity(text, at) : at + 1;
        }
        if (!open.empty()) throw std::runtime_error("not closed: " + open.back());
    }
    std::vector<std::string> names;

private:
    std::size_t entity(const std::string& text, std::size_t at) {
        for (std::string known : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#10;", "&#9;"}) {
            if (text.compare(at, known.size(), known) == 0) return at + known.size();
        }
        throw std::runtime_error("a bare &");
    }
    std::size_t tag(const std::string& text, std::size_t at) {
        std::size_t end = text.find('>', at);
        std::string inner = text.substr(at + 1, end - at - 1);
        if (inner.find('<') != std::string::npos) throw std::runtime_error("a bare <");
        if (inner[0] == '/') {
            if (open.empty() || open.back() != inner.substr(1)) throw std::runtime_error("crossed");
            open.pop_back();
            return end + 1;
        }
        if (std::count(inner.begin(), inner.end(), '"') % 2 != 0)
            throw std::runtime_error("a quote");
        std::string name = inner.substr(0, inner.find_first_of(" /"));
        if (inner.back() != '/') open.push_back(name);
        if (name == "testcase") {
            std::size_t begin = inner.find(" name=\"") + 7;
            names.push_back(inner.substr(begin, inner.find('"', begin) - begin));
        }
        return end + 1;
    }
    std::vector<std::string> open;
};

}  // namespace

TEST_CASE("grades.csv has one line per student, and contains no formulas") {
    std::vector<std::string> lines = lines_of(grades_csv(a_class()));
    REQUIRE(lines.size() == 4);
    CHECK(
        lines[0] ==
        "student,points,possible,\"03_tiled points\",\"03_tiled verdict\",\"03_tiled failure\"\r");
    CHECK(lines[1] == "\"'=cmd|' /C calc'!A0\",2,10,2,WA,indices-not-swapped\r");
    CHECK(lines[2] == "ada,10,10,10,OK,\r");
    // A student who is not graded yet has no points, rather than 0 points.
    CHECK(lines[3] == "\"<b>\\x1b]0;x\\xff\\x0a</b>\",,10,,SYS,not-graded-yet\r");
}

TEST_CASE("results that were judged without a sandbox are marked in every report") {
    ClassResults results = a_class();
    results.sandbox_note = "unsandboxed";
    CHECK(lines_of(grades_csv(results)).at(1).ends_with(",unsandboxed\r"));
    CHECK(format_feedback(results, results.students[1]).find("unsandboxed") != std::string::npos);
    CHECK(Json::parse(grades_json(results)).at("stamp") == "unsandboxed");
    CHECK(summarize_results(results).find("unsandboxed") != std::string::npos);
}

TEST_CASE("junit.xml is well-formed, and has no duplicate names or control characters") {
    std::string text = junit_xml(a_class());
    Xml xml(text);
    CHECK(xml.names.size() == 3);
    CHECK(std::set<std::string>(xml.names.begin(), xml.names.end()).size() == 3);
    CHECK(text.find("tests=\"3\" failures=\"1\" errors=\"1\"") != std::string::npos);
    CHECK_THROWS(Xml("<?xml?><a><b></a></b>"));
    CHECK_THROWS(Xml("<?xml?><a>x & y</a>"));
}

TEST_CASE(
    "class.html shows the distribution of points and the causes, escapes text, and names no "
    "student") {
    ClassResults results = a_class();
    // Two of three students have this cause, so it comes first.
    Result other = wrong_answer();
    other.verdict.failures.front().fault = Fault::never_written;
    results.students.push_back({"bob", {graded(wrong_answer())}});
    results.students.push_back({"cy", {graded(other)}});
    const std::string text = class_page(results);
    CHECK(text.find("1 of 5 students have full points") != text.npos);
    CHECK(text.find("4 students, by percentage") != text.npos);
    CHECK(text.find("20 to 30 %</th><td>3<") != text.npos);
    CHECK(text.find("90 to 100 %</th><td>1<") != text.npos);
    const std::size_t first = text.find("<td>2</td><td>indices-not-swapped</td>");
    REQUIRE(first != text.npos);
    CHECK(first < text.find("<td>1</td><td>never-written</td>"));
    CHECK(text.find("<code>2: line two</code>") != text.npos);
    for (const char* hostile : {"<b>", "\x1b", "ada", "bob", "calc"}) {
        CAPTURE(hostile);
        CHECK(text.find(hostile) == text.npos);
    }
}

TEST_CASE("a comment contains a table, and never exceeds GitHub's limit") {
    ClassResults results = a_class();
    const std::string text = comment_markdown(results, results.students[0]);
    CHECK(text.starts_with("### Tiles &amp; &lt;more&gt;: 2 of 10 points\n"));
    CHECK(text.find("| 2 of 10 | WA | ") != text.npos);
    CHECK(text.find("<b>") == text.npos);
    StudentResults many = results.students[0];
    for (int i = 0; i < 200; ++i) {
        many.graded.push_back(graded(wrong_answer()));
        many.graded.back().result->verdict.failures.front().details = std::string(2000, 'x');
    }
    const std::string cut = comment_markdown(results, many);
    CHECK(cut.size() < 65536);
    CHECK(cut.ends_with("The rest is too long for a comment.\n"));
}

TEST_CASE("grades.json contains all results") {
    Json json = Json::parse(grades_json(a_class()));
    REQUIRE(json.at("students").size() == 3);
    CHECK(json["students"][1]["points"] == 10.0);
    CHECK(json["students"][1]["exercises"][0]["counters"]["load_sectors"] == 32);
    CHECK(json["students"][2]["points"].is_null());
    CHECK(json["students"][2]["exercises"][0]["points"].is_null());
}

TEST_CASE("feedback says what is wrong, where, and what to do next, and contains no markup") {
    ClassResults results = a_class();
    std::string text = format_feedback(results, results.students[0]);
    for (std::string part : {"WA", "line two", "Swap them", "2 of 10 points",
                             "Tiles &amp; &lt;more&gt;", "````text\n..#\n```\n````"}) {
        CAPTURE(part);
        CHECK(text.find(part) != std::string::npos);
    }
    CHECK(text.find("<b>") == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    std::string good = format_feedback(results, results.students[1]);
    CHECK(good.find("| sectors per load | 4 | 4 | 4 |") != std::string::npos);
    CHECK(format_feedback(results, results.students[2]).find("has not been graded yet") !=
          std::string::npos);
}

TEST_CASE("feedback does not reveal a hidden shape") {
    ClassResults results = a_class();
    Result hidden = wrong_answer();
    hidden.is_hidden = true;
    hide_secrets({}, hidden);
    hidden.public_tried = hidden.public_passed = 3;
    hidden.hidden_tried = 2;
    hidden.hidden_passed = 1;
    results.students[0].graded[0].result = hidden;
    std::string text = format_feedback(results, results.students[0]);
    CHECK(text.find("on a hidden shape") != std::string::npos);
    CHECK(text.find("but not for all hidden shapes") != std::string::npos);
    CHECK(text.find("Seen with") == std::string::npos);
}

TEST_CASE("each platform receives a file in the format that it reads") {
    ClassResults results = a_class();
    Json gradescope = Json::parse(gradescope_json(results.students[0]));
    CHECK(gradescope["tests"][0]["score"] == 2.0);
    CHECK(gradescope["tests"][0]["max_score"] == 10.0);
    CHECK(gradescope["stdout_visibility"] == "hidden");
    const Json other = Json::parse(results_json(results, results.students[1]));
    CHECK(other["format"] == 1);
    CHECK(other["score"] == 10);
    CHECK(other["max_score"] == 10);
    CHECK(other["tests"][0]["passed"] == true);
    CHECK(other["tests"][0]["name"] == "03_tiled");
    const Json wrong = Json::parse(results_json(results, results.students[0]));
    CHECK(wrong["passed"] == false);
    CHECK(wrong["tests"][0]["failure"] == "indices-not-swapped");
    CHECK(wrong["tests"][0]["line"] == 2);
}

TEST_CASE(
    "files for Moodle and Canvas have the platforms' columns and ids, and deduct for late days") {
    ClassResults results = a_class();
    results.students[2].graded = {graded(wrong_answer())};  // this result gets 2 of 10 points
    const std::string list =
        "\xef\xbb\xbfstudent,id,email,late_days\r\n"
        "ada,17,\"ada@x.org\",2.5\n"
        "=cmd|' /C calc'!A0,18,b@x.org,\n"
        "\"<b>\\x1b]0;x\\xff\\x0a</b>\",19,c@x.org,9\n"
        "zoe,20,z@x.org,0\n";
    const Roster roster = read_roster(list, "names.csv");
    REQUIRE(roster.size() == 4);
    const LateRule rule{.percent_per_day = 10, .free_days = 0.5};
    const std::string moodle = gradebook_csv(results, roster, rule, "moodle");
    CHECK(moodle.starts_with("\"ID number\",\"Email address\",Name,hw1,\"Late days\"\r\n"));
    CHECK(moodle.find("17,ada@x.org,ada,8,2.5\r\n") != moodle.npos);
    // A formula is escaped, the points are empty if there is no submission, and negative points
    // become 0.
    CHECK(moodle.find("18,b@x.org,\"'=cmd|' /C calc'!A0\",2,0\r\n") != moodle.npos);
    CHECK(moodle.find("20,z@x.org,zoe,,0\r\n") != moodle.npos);
    CHECK(moodle.find(",0,9\r\n") != moodle.npos);
    const std::string canvas = gradebook_csv(results, roster, {}, "canvas");
    CHECK(
        canvas.starts_with("Student,ID,\"SIS User ID\",\"SIS Login ID\",Section,hw1\r\n\"    "
                           "Points Possible\",,,,,10\r\n"));
    CHECK(canvas.find("ada,17,,,,10\r\n") != canvas.npos);
    // A student who is not graded yet has no points, rather than 0 points.
    CHECK(gradebook_csv(a_class(), roster, {}, "canvas").find(",19,,,,\r\n") != canvas.npos);
}

TEST_CASE("a list of names that is incomplete or invalid is refused") {
    const auto refusal = [](const std::string& list) {
        try {
            gradebook_csv(a_class(), read_roster(list, "names.csv"), {}, "moodle");
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    CHECK(refusal("").find("`student`") != std::string::npos);
    CHECK(refusal("id\n1\n").find("`student`") != std::string::npos);
    CHECK(refusal("student,shoe\nada,9\n").find("shoe") != std::string::npos);
    CHECK(refusal("student,id\nada\n").find("student 1") != std::string::npos);
    CHECK(refusal("student,id\nada,1\nada,2\n").find("twice") != std::string::npos);
    CHECK(refusal("student,late_days\nada,-1\n").find("number of days") != std::string::npos);
    CHECK(refusal("student,late_days\nada,soon\n").find("number of days") != std::string::npos);
    CHECK(refusal("student,id\nada,1\n").find("does not have: '") == std::string::npos);
    CHECK(refusal("student,id\nada,1\n").find("calc") != std::string::npos);
}

TEST_CASE("reports are reproducible, and name only students who have results") {
    TemporaryFolder folder;
    ClassResults results = a_class();
    write_reports(results, folder.path);
    std::string csv_text = read_file(folder / "grades.csv");
    CHECK(std::filesystem::exists(folder.path / "feedback" / (feedback_file_name("ada") + ".md")));
    results.students.erase(results.students.begin() + 1);
    write_reports(results, folder.path);
    CHECK_FALSE(
        std::filesystem::exists(folder.path / "feedback" / (feedback_file_name("ada") + ".md")));
    write_reports(a_class(), folder.path);
    CHECK(read_file(folder / "grades.csv") == csv_text);
}

TEST_CASE("kernels that differ only in names and comments are similar, but other kernels are not") {
    std::string common = "int given = 1;\n";
    std::string one =
        common +
        "for (int k = 0; k < 4; k++) { tile[k][threadIdx.x] = in[(row + k) * cols + col]; }\n"
        "if (row < rows) { out[col * rows + row] = tile[threadIdx.x][0] * 2; }";
    std::string renamed =
        common +
        "for (int j = 0; j < 4; j++) { // mine\n buf[j][threadIdx.x] = in[(r + j) * cols + c]; "
        "}\nif (r < rows) { out[c * rows + r] = buf[threadIdx.x][0] * 2; }";
    std::string other = common +
                        "float4 v = reinterpret_cast<const float4*>(in)[i / 4]; while (v.x > 0) { "
                        "v.x -= 1; } out[i] = v.y + v.z * v.w - 3 / v.x; return;";
    std::vector<SimilarSubmissions> pairs = find_similar({one, renamed, other}, {common});
    REQUIRE(pairs.size() == 1);
    CHECK(pairs[0].members == std::vector<std::size_t>{0, 1});
    CHECK(pairs[0].common_fraction > 0.9);
    CHECK_FALSE(pairs[0].has_same_names);
    CHECK(find_similar({one, one}, {common}).at(0).is_same_file);
    // Code that comes from the skeleton must not count as similar.
    CHECK(find_similar({one, one}, {one}).empty());
    CHECK(find_similar({"", ""}, {}).empty());
    CHECK(find_similar({"\"unfinished", "/* unfinished"}, {}).empty());
}

TEST_CASE(
    "a rare answer shared by several students is listed first, and a common answer takes a single "
    "row") {
    const std::string common =
        "for (int k = 0; k < 4; k++) { tile[k][threadIdx.x] = in[(row + k) * cols + col]; }\n"
        "if (row < rows) { out[col * rows + row] = tile[threadIdx.x][0] * 2; }";
    const std::string rare =
        "float4 v = reinterpret_cast<const float4*>(in)[i / 4]; while (v.x > 0) { v.x -= 1; } "
        "out[i] = v.y + v.z * v.w - 3 / v.x; return;";
    std::vector<std::string> answers(30, common);
    answers[7] = answers[21] = rare;
    const std::vector<SimilarSubmissions> found = find_similar(answers, {});
    REQUIRE(found.size() <= 2);
    CHECK(found[0].members == std::vector<std::size_t>{7, 21});
    for (std::size_t i = 1; i < found.size(); ++i) CHECK(found[i].rarity < found[0].rarity / 4);
    // Two students who use the same unusual names must be reported, even if many students have
    // submitted otherwise identical code.
    std::string words = common;
    for (std::size_t at = 0; (at = words.find("row", at)) != words.npos; at += 6) {
        words.replace(at, 3, "reihe_");
    }
    answers[3] = answers[4] = words;
    CHECK(std::ranges::count(find_similar(answers, {}), std::vector<std::size_t>{3, 4},
                             &SimilarSubmissions::members) == 1);
}

TEST_CASE("sharing one common line does not count as a copy") {
    CHECK(find_similar({"out[col * rows + row] = in[row * cols + col];",
                        "out[col * rows + row] = in[row * cols + col];"},
                       {})
              .empty());
}

TEST_CASE("a zip file that the grader writes can be read back") {
    FileTree tree = read_archive(create_zip({{"a/b.cu", "bytes"}, {"c", ""}}));
    REQUIRE(tree.items.size() == 2);
    CHECK(tree.items[0].path == std::vector<std::string>{"a", "b.cu"});
    CHECK(tree.items[0].bytes == "bytes");
    CHECK(create_zip({{"a", "x"}}) == create_zip({{"a", "x"}}));
}

TEST_CASE("durations and progress are printed in a readable form") {
    CHECK(format_duration(0.2) == "1 s");
    CHECK(format_duration(200) == "3 min 20 s");
    CHECK(format_duration(7300) == "2 h 1 min");
    Progress progress(4, true);
    progress.advance();
    CHECK(progress.format_line() == "[#######.......................] 1 of 4");
    progress.advance();
    progress.advance();
    CHECK(progress.format_line().find("left") != std::string::npos);
}

TEST_CASE("copies of the published solution are detected, even if names were changed") {
    const std::string solution =
        "__global__ void f(float* out) { int i = threadIdx.x; out[i] = 1; }";
    const std::vector<std::string> sources = {
        "// mine\n" + solution,
        "__global__ void f(float* out) { int me = threadIdx.x; out[me] = 1; }",
        "__global__ void f(float* out) { int i = threadIdx.x; out[i] = 2; }"};
    CHECK(find_copies(sources, solution) == std::vector<std::size_t>{0});
    CHECK(find_copies(sources, solution, false) == std::vector<std::size_t>{0, 1});
    ClassResults results{
        .assignment = "hw1", .exercises = {"02_naive"}, .common_sources = {{solution}}};
    for (std::size_t i = 0; i < sources.size(); ++i) {
        results.students.push_back(
            {"student" + std::to_string(i), {{"02_naive", {6, 2, 2}, sources[i], std::nullopt}}});
    }
    const std::string text = similarity_markdown(results);
    CHECK(text.find("token for token (1): student0\n") != std::string::npos);
    CHECK(text.find("with other names (1): student1\n") != std::string::npos);
}

TEST_CASE("a list of names may contain names in the form that grades.csv uses") {
    const ClassResults results = a_class();
    std::string list = "student,id\n";
    for (const StudentResults& student : results.students)
        list += to_csv_field(student.name) + ",1\n";
    CHECK(gradebook_csv(results, read_roster(list, "names.csv"), {}, "moodle").size() > 0);
}

TEST_CASE("submissions that need the teacher's attention are listed") {
    ClassResults results = a_class();
    Result refused = wrong_answer();
    refused.mark = Mark::rejected;
    results.students.push_back({"Ada", {graded(refused)}, "Ada_LATE_1_2_k.cu"});
    const std::string text = describe_open_questions(results);
    CHECK(text.find("REJ: these submissions were not accepted:\n  Ada, 03_tiled: out(0,1)") !=
          std::string::npos);
    CHECK(text.find("subtracts points):\n  Ada\n") != std::string::npos);
    CHECK(text.find("one person:\n  ada, Ada\n") != std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    results.students.pop_back();
    CHECK(describe_open_questions(results).empty());
}
