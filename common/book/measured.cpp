#include "measured.h"

#include <cmath>

#include "contents.h"

namespace coalesce::book {
namespace {

nlohmann::json read_results(const std::filesystem::path& file) {
    return std::filesystem::exists(file) ? nlohmann::json::parse(read_file(file))
                                         : nlohmann::json();
}

/// Returns the row of a lesson's main kernel, or null.
nlohmann::json find_row(const nlohmann::json& results, const course::Step& step) {
    if (!results.is_object() || step.variants.empty()) return nullptr;
    for (const auto& row : results.at("results")) {
        if (row.at("step") == step.name && row.at("variant") == step.variants.front().name)
            return row;
    }
    return nullptr;
}

}  // namespace

nlohmann::json read_measurements(const std::filesystem::path& root) {
    return read_results(root / "docs/results/nvidia-h200.json");
}

long bandwidth_gbps(const nlohmann::json& measurements, const course::Step& step) {
    const nlohmann::json row = find_row(measurements, step);
    // A kernel that is skipped at this size has a row without figures.
    return row.is_null() ? 0 : std::lround(row.value("gbps", 0.0));
}

std::string limiting_idea_class(const std::filesystem::path& root, const course::Step& step) {
    const nlohmann::json row = find_row(read_results(root / "docs/results/predicted.json"), step);
    if (row.is_null() || !row.contains("predicted")) return "";
    const std::string limit = row.at("predicted").at("binds");
    if (limit == "memory" || limit == "stores") return "global";
    if (limit == "shared") return "shared";
    if (limit == "issue") return "registers";
    return "waiting";
}

}  // namespace coalesce::book
