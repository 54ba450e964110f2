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
struct MarkerLines {
    std::string begin, end;
};
const MarkerLines kResultsMarkers = {"<!-- results: written by build/bin/learn results -->\n",
                                     "<!-- end of results -->"};
const MarkerLines kLessonMarkers = {"<!-- results: begin -->\n", "<!-- results: end -->"};

bool contains_markers(const std::string& text, const MarkerLines& markers) {
    size_t begin = text.find(markers.begin);
    return begin != std::string::npos && text.find(markers.end, begin) != std::string::npos;
}

std::string replace_between_markers(const std::string& text, const MarkerLines& markers,
                                    const std::string& new_text) {
    size_t begin = text.find(markers.begin) + markers.begin.size();
    return text.substr(0, begin) + new_text + text.substr(text.find(markers.end, begin));
}

// Rewrites a file. With `only_checks`, only prints that the file is stale. Returns true if the file
// was current.
bool update_or_check_file(const fs::path& file, const std::string& current_text,
                          const std::string& new_text, bool only_checks) {
    if (current_text == new_text) return true;
    if (only_checks) {
        std::cout << file.string() << " is not current; run build/bin/learn results\n";
    } else {
        write_file(file, new_text);
        std::cout << file.string() << ": written again.\n";
    }
    return false;
}

// Rewrites the text between the markers in a page. With `only_checks`, only prints that the page is
// stale. Returns true if the page was current. Throws if the page has no markers.
bool update_or_check_page(const fs::path& page, const std::string& new_text, bool only_checks) {
    const std::string current_text = read_file(page);
    if (!contains_markers(current_text, kResultsMarkers)) {
        throw std::runtime_error(page.string() +
                                 " has lost its markers; put these two lines back:\n" +
                                 kResultsMarkers.begin + kResultsMarkers.end);
    }
    return update_or_check_file(page, current_text,
                                replace_between_markers(current_text, kResultsMarkers, new_text),
                                only_checks);
}

std::set<std::string> list_step_names(const course::Course& course) {
    std::set<std::string> names;
    for (auto& step : course.steps) names.insert(step.name);
    return names;
}

}  // namespace

int update_result_tables(const fs::path& repository, bool only_checks) {
    const fs::path folder = repository / "docs" / "results";
    const course::Course course = course::read_course(repository);
    const KnownResults known_results = read_results(folder, list_step_names(course));
    bool are_all_current = update_or_check_page(
        repository / "README.md", format_summary_markdown(course, known_results, folder, ""),
        only_checks);
    are_all_current &=
        update_or_check_page(repository / "docs/guide/results.md",
                             format_summary_markdown(course, known_results, folder, "../../") +
                                 format_results_markdown(known_results, "proof.md"),
                             only_checks);
    for (auto& entry : fs::directory_iterator(repository / "steps")) {
        const fs::path lesson_page = entry.path() / "README.md";
        if (!fs::exists(lesson_page)) continue;
        const std::string name = entry.path().filename(), current_text = read_file(lesson_page);
        std::string new_text = renew_lesson_copies(current_text, repository, name, course);
        const std::string results = format_step_results(name, known_results);
        if (contains_markers(new_text, kLessonMarkers) && !results.empty())
            new_text = replace_between_markers(new_text, kLessonMarkers, results);
        are_all_current &= update_or_check_file(lesson_page, current_text, new_text, only_checks);
    }
    if (are_all_current) std::cout << "All results, code and questions in the texts are current.\n";
    return only_checks && !are_all_current ? 1 : 0;
}

}  // namespace coalesce::lab
