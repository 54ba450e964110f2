// Writes a script with the data that the explorer and the playground show about the steps: titles,
// the expected counters of each kernel, sources, PTX and launches. The script also contains the
// kernels for the explorer's sliders.
//
//     explorer_data REPOSITORY RECORDINGS PTX_FOLDER FILE

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "base/files.h"
#include "examiner/course/course.h"

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

/// Removes `part` from the text. PTX contains the paths of the sources on this machine, which are
/// meaningless on other machines.
std::string without(std::string text, const std::string& part) {
    for (std::size_t at = 0; (at = text.find(part, at)) != text.npos;) text.erase(at, part.size());
    return text;
}

/// Returns the texts of the headers in a program's own folder.
std::string read_headers(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".h") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::string text;
    for (const fs::path& file : files) text += coalesce::read_file(file) + "\n";
    return text;
}

/// Reports whether the explorer shows a step. The explorer shows steps whose kernels have no
/// parameters other than the two matrices and their shape.
bool is_shown_in_explorer(const coalesce::course::Step& step, const ordered_json& recorded) {
    for (const ordered_json& variant : recorded) {
        const auto* known = step.find(variant.at("name").get<std::string>());
        if (!known->kernel.empty() && !variant.value("is_plain", false)) return false;
    }
    return true;
}

ordered_json step_json(const coalesce::course::Step& step, const fs::path& root,
                       const fs::path& recordings, const fs::path& ptx) {
    ordered_json variants =
        ordered_json::parse(coalesce::read_file(recordings / (step.name + ".json"))).at("variants");
    for (ordered_json& variant : variants) {
        const auto* known = step.find(variant.at("name").get<std::string>());
        if (!known)
            throw std::runtime_error("the record of " + step.name + " lacks " +
                                     variant.at("name").dump());
        // The page recomputes the recorded data, and needs only the launch.
        variant.erase("warp");
        variant.erase("order");
        variant["expect"] = known->expected_costs;
    }
    const bool is_explored = is_shown_in_explorer(step, variants);
    return {{"name", step.name},
            {"title", step.title},
            {"source", coalesce::read_file(root / "steps" / step.name / "main.cu")},
            {"headers", read_headers(root / "steps" / step.name)},
            {"is_explored", is_explored},
            {"ptx", is_explored ? without(coalesce::read_file(ptx / (step.name + ".ptx")),
                                          root.string() + "/")
                                : ""},
            {"variants", variants}};
}

/// Returns the text between the first two lines that contain "//! [kernel]".
std::string extract_kernel(const std::string& source) {
    const std::string mark = "//! [kernel]\n";
    const std::size_t begin = source.find(mark) + mark.size(), end = source.find(mark, begin);
    if (end == source.npos) throw std::runtime_error("tile.cu must contain \"//! [kernel]\" twice");
    return source.substr(begin, end - begin);
}

/// Returns the kernels among which the sliders choose. The PTX of each kernel is stored separately,
/// under its mangled name, so that the page parses only the kernel that it runs. The complete PTX
/// of a kernel is `head` followed by its entry in `kernels`.
ordered_json slider_kernels_json(const fs::path& root, const fs::path& ptx) {
    const std::string text = coalesce::read_file(ptx / "tile.ptx"), begin = ".visible .entry ";
    ordered_json kernels = ordered_json::object();
    const std::size_t version = text.find(".version"), end_of_head = text.find("//", version);
    for (std::size_t at = text.find(begin); at != text.npos;) {
        const std::size_t next = text.find(begin, at + 1), name = at + begin.size();
        kernels[text.substr(name, text.find('(', name) - name)] = text.substr(at, next - at);
        at = next;
    }
    return {{"source", extract_kernel(coalesce::read_file(root / "common/page/kernels/tile.cu"))},
            {"head", text.substr(version, end_of_head - version)},
            {"kernels", kernels}};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fputs("Usage: explorer_data REPOSITORY RECORDINGS PTX_FOLDER FILE\n", stderr);
        return 2;
    }
    try {
        const fs::path root = argv[1];
        ordered_json steps = ordered_json::array();
        for (const auto& step : coalesce::course::read_course(root).steps) {
            // Steps without kernels have no recording.
            if (!fs::exists(fs::path(argv[2]) / (step.name + ".json"))) continue;
            steps.push_back(step_json(step, root, argv[2], argv[3]));
        }
        std::ofstream file(argv[4], std::ios::binary);
        const ordered_json all = {{"steps", steps}, {"family", slider_kernels_json(root, argv[3])}};
        file << "window.courseData = " << all.dump() << ";\n";
        if (!file.flush()) throw std::runtime_error(std::string(argv[4]) + ": cannot be written");
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "explorer_data: %s\n", error.what());
        return 1;
    }
}
