#include "contents.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "examiner/course/course.h"

namespace coalesce::book {
namespace {

const std::string kExercisePrefix = "exercise_";

/// Returns the title of a page without backquotes, for example "03 Tiled: turn a tile" for "# 03
/// Tiled: turn a tile".
std::string read_title(const std::string& text, const std::string& file) {
    if (!text.starts_with("# ")) {
        throw BookError(file + ":1: a page must begin with its title: \"# Title\"");
    }
    std::string title = text.substr(2, text.find('\n') - 2);
    std::erase(title, '`');
    return title;
}

void add_page(Contents& contents, Page page) {
    if (page.title.empty())
        page.title = read_title(read_file(contents.root / page.file), page.file);
    contents.pages.push_back(std::move(page));
}

/// Returns the pages of all lessons, sorted by number.
std::vector<Page> list_lessons(const std::filesystem::path& root, const std::string& section) {
    std::vector<Page> pages;
    for (const auto& entry : std::filesystem::directory_iterator(root / "steps")) {
        const std::string step = entry.path().filename().string();
        if (!std::filesystem::exists(entry.path() / "README.md")) continue;
        pages.push_back({"lesson_" + step, "steps/" + step + "/README.md", "", section});
    }
    std::sort(pages.begin(), pages.end(),
              [](const Page& a, const Page& b) { return a.name < b.name; });
    return pages;
}

/// Returns the pages of all exercises beyond the transpose, sorted by name.
std::vector<Page> list_exercises(const std::filesystem::path& root, const std::string& section) {
    std::vector<Page> pages;
    for (const course::Step& step : course::read_course(root).beyond_exercises) {
        pages.push_back({kExercisePrefix + step.name, "exercises/" + step.name + "/kernel.cu",
                         step.title, section});
    }
    return pages;
}

/// Adds the chapters of docs/guide that docs/contents.txt does not list.
void add_chapters(Contents& contents, const std::string& section) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(contents.root / "docs/guide")) {
        if (entry.path().extension() == ".md") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
        const std::string file = "docs/guide/" + name + ".md";
        if (!contents.find_by_source(file)) add_page(contents, {name, file, "", section});
    }
}

}  // namespace

void write_text(const std::filesystem::path& file, const std::string& text) {
    std::error_code ignored_error;
    if (std::filesystem::exists(file, ignored_error) && read_file(file) == text) return;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out << text;
    if (!out.flush()) throw BookError(file.string() + ": cannot be written");
}

std::string Page::step_name() const {
    constexpr std::string_view prefix = "lesson_";
    return name.starts_with(prefix) ? name.substr(prefix.size()) : "";
}

std::string Page::exercise_name() const {
    return name.starts_with(kExercisePrefix) ? name.substr(kExercisePrefix.size()) : "";
}

const Page* Contents::find_by_source(const std::string& file) const {
    for (const Page& page : pages) {
        if (page.file == file) return &page;
    }
    return nullptr;
}

const Page* Contents::find_page(const std::string& name) const {
    for (const Page& page : pages) {
        if (page.name == name) return &page;
    }
    return nullptr;
}

Contents read_contents(const std::filesystem::path& root) {
    Contents contents{root, {}};
    std::vector<Page> listed_pages;  // the pages that docs/contents.txt lists
    std::istringstream lines(read_file(root / "docs/contents.txt"));
    std::string section;
    int line_number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++line_number;
        if (line.empty() || line.starts_with('#')) continue;
        if (line.starts_with('[') && line.ends_with(']')) {
            section = line.substr(1, line.size() - 2);
            continue;
        }
        std::istringstream fields(line);
        Page page{"", "", "", section};
        if (section.empty() || !(fields >> page.name >> page.file)) {
            throw BookError("docs/contents.txt:" + std::to_string(line_number) +
                            ": expected [Heading], or a page's name and its file");
        }
        if (page.name == "lesson_*") {
            for (Page& lesson : list_lessons(root, section))
                listed_pages.push_back(std::move(lesson));
            continue;
        }
        if (page.name == "exercise_*") {
            for (Page& exercise : list_exercises(root, section))
                listed_pages.push_back(std::move(exercise));
            continue;
        }
        listed_pages.push_back(std::move(page));
    }
    // Add the listed pages first, so that add_chapters does not add a listed chapter again.
    for (const Page& page : listed_pages) add_page(contents, page);
    add_chapters(contents, "Guides");
    std::stable_sort(
        contents.pages.begin(), contents.pages.end(), [&](const Page& a, const Page& b) {
            const auto find_section_start = [&](const Page& page) {
                return std::find_if(
                    listed_pages.begin(), listed_pages.end(),
                    [&](const Page& listed_page) { return listed_page.section == page.section; });
            };
            return find_section_start(a) < find_section_start(b);
        });
    return contents;
}

}  // namespace coalesce::book
