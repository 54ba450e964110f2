#include "lab/results/results.h"

#include <iostream>
#include <set>
#include <stdexcept>

#include "base/files.h"
#include "lab/results/lesson_copies.h"
#include "lab/results/results_table.h"

namespace coalesce::lab {
namespace {

namespace fs = std::filesystem;
using namespace learn;

// Two marker lines in a file. This program writes the text between them.
struct Markers {
    std::string begin, end;
};
const Markers kResults = {"<!-- results: written by build/bin/learn results -->\n",
                          "<!-- end of results -->"};
const Markers kLesson = {"<!-- results: begin -->\n", "<!-- results: end -->"};

bool has_markers(const std::string& text, const Markers& markers) {
    size_t begin = text.find(markers.begin);
    return begin != std::string::npos && text.find(markers.end, begin) != std::string::npos;
}

std::string replace_between(const std::string& text, const Markers& markers,
                            const std::string& written) {
    size_t begin = text.find(markers.begin) + markers.begin.size();
    return text.substr(0, begin) + written + text.substr(text.find(markers.end, begin));
}

// Rewrites a file. With `check`, only prints that the file is stale. Returns true if the file was
// current.
bool update_file(const fs::path& file, const std::string& now, const std::string& then,
                 bool check) {
    if (now == then) return true;
    if (check) {
        std::cout << file.string() << " is not current; run build/bin/learn results\n";
    } else {
        write_file(file, then);
        std::cout << file.string() << ": written again.\n";
    }
    return false;
}

// Rewrites the text between the markers in a page. With `check`, only prints that the page is
// stale. Returns true if the page was current. Throws if the page has no markers.
bool update_page(const fs::path& page, const std::string& written, bool check) {
    const std::string now = read_file(page);
    if (!has_markers(now, kResults)) {
        throw std::runtime_error(page.string() +
                                 " has lost its markers; put these two lines back:\n" +
                                 kResults.begin + kResults.end);
    }
    return update_file(page, now, replace_between(now, kResults, written), check);
}

std::set<std::string> names_of(const course::Course& course) {
    std::set<std::string> names;
    for (auto& step : course.steps) names.insert(step.name);
    return names;
}

}  // namespace

int update_result_tables(const fs::path& repository, bool check) {
    const fs::path folder = repository / "docs" / "results";
    const course::Course course = course::read_course(repository);
    const KnownResults known = read_results(folder, names_of(course));
    bool current = update_page(repository / "README.md",
                               summary_in_markdown(course, known, folder, ""), check);
    current &= update_page(repository / "docs/guide/results.md",
                           summary_in_markdown(course, known, folder, "../../") +
                               results_in_markdown(known, "proof.md"),
                           check);
    for (auto& entry : fs::directory_iterator(repository / "steps")) {
        const fs::path lesson = entry.path() / "README.md";
        if (!fs::exists(lesson)) continue;
        const std::string name = entry.path().filename(), now = read_file(lesson);
        std::string then = renew_lesson_copies(now, repository, name, course);
        const std::string results = format_step_results(name, known);
        if (has_markers(then, kLesson) && !results.empty())
            then = replace_between(then, kLesson, results);
        current &= update_file(lesson, now, then, check);
    }
    if (current) std::cout << "All results, code and questions in the texts are current.\n";
    return check && !current ? 1 : 0;
}

}  // namespace coalesce::lab
