#include "learn/steps_file.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace coalesce::learn {
namespace {

using StepsJson = nlohmann::json;

constexpr int kKnownVersion = 1;

/// Returns a value as text, or "" for no value. Numbers are formatted as in the file.
std::string to_text(const StepsJson& value) {
    if (value.is_null()) return "";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::vector<std::string> to_texts(const StepsJson& values, std::size_t first_index = 0) {
    std::vector<std::string> texts;
    for (std::size_t k = first_index; k < values.size(); ++k) texts.push_back(to_text(values[k]));
    return texts;
}

StepAccess read_access(const StepsJson& json) {
    const bool is_shared = json.contains("wavefronts");
    return {.kind = json.at("kind"),
            .array = json.at("array"),
            .lanes = json.at("lanes"),
            .bytes = json.at("bytes"),
            .cost = json.at(is_shared ? "wavefronts" : "sectors"),
            .ideal = json.at("ideal"),
            .is_asynchronous = json.value("asynchronous", false),
            .offsets = json.at("offsets"),
            .values = to_texts(json.at("values"))};
}

Step read_step(const StepsJson& json) {
    Step step;
    step.warp = json.at("warp");
    step.line = json.at("line");
    step.function = json.at("function");
    step.active = json.at("active");
    step.first_instruction = json.at("ptx").at(0);
    step.instructions = json.at("ptx").at(1);
    step.bytes_in_flight = json.value("in_flight", 0);
    if (json.contains("waiting"))
        for (const StepsJson& entry : json["waiting"])
            step.waits.push_back({entry.at("lanes"), entry.at("why"), entry.at("line")});
    if (json.contains("set"))
        for (const StepsJson& entry : json["set"])
            step.changes.push_back({entry.at(0), entry.at(1), to_texts(entry, 2)});
    if (json.contains("accesses"))
        for (const StepsJson& entry : json["accesses"]) step.accesses.push_back(read_access(entry));
    if (json.contains("barriers"))
        for (const StepsJson& entry : json["barriers"])
            step.barriers.push_back({entry.at("barrier"), entry.at("arrived"), entry.at("expected"),
                                     entry.at("complete")});
    return step;
}

Steps read_all(const StepsJson& json) {
    if (json.at("version") != kKnownVersion)
        throw std::runtime_error(
            "the steps were recorded by a different version of the course; record them again");
    Steps steps;
    steps.kernel = json.at("kernel");
    steps.grid = json.at("grid");
    steps.block = json.at("block");
    steps.block_index = json.at("block_index");
    steps.has_variables = json.at("has_variables");
    steps.is_complete = json.at("is_complete");
    steps.functions = json.at("functions");
    steps.ptx = json.at("ptx");
    for (const StepsJson& entry : json.at("variables"))
        steps.variables.push_back({entry.at("name"), entry.at("type"), entry.at("kind") == "float",
                                   entry.at("function"), entry.at("lines").at(0),
                                   entry.at("lines").at(1)});
    for (const StepsJson& entry : json.at("arrays"))
        steps.arrays.push_back({entry.at("name"), entry.at("space") == "shared", entry.at("bytes"),
                                entry.at("extents")});
    for (const StepsJson& entry : json.at("steps")) steps.all_steps.push_back(read_step(entry));
    for (const StepsJson& entry : json.at("moments"))
        steps.moments.push_back({entry.at("step"), entry.at("check"), entry.at("kind"),
                                 entry.at("message"), entry.at("line"), entry.at("thread")});
    return steps;
}

}  // namespace

std::string StepArray::element_name(std::int64_t offset) const {
    const std::int64_t size = std::max<std::int64_t>(element_bytes, 1);
    std::int64_t index = offset >= 0 ? offset / size : -((size - 1 - offset) / size);
    std::string indices;
    for (std::size_t axis = extents.size(); axis-- > 1 && index >= 0;) {
        const std::int64_t extent = std::max<std::int64_t>(extents[axis], 1);
        indices = "[" + std::to_string(index % extent) + "]" + indices;
        index /= extent;
    }
    return name + "[" + std::to_string(index) + "]" + indices;
}

bool Steps::is_in_scope(const StepVariable& variable, const Step& step) const {
    if (variable.function != step.function) return false;
    return variable.last_line == 0 ||
           (step.line >= variable.first_line && step.line <= variable.last_line);
}

WarpState Steps::state_after(std::size_t step) const {
    WarpState state;
    const int warp = all_steps.at(step).warp;
    for (std::size_t k = 0; k <= step; ++k) {
        if (all_steps[k].warp != warp) continue;
        for (const StepChange& change : all_steps[k].changes) {
            LaneValues& values = state.variables[change.variable];
            std::size_t next_value = 0;
            for (int lane = 0; lane < kWarpLanes; ++lane)
                if (change.lanes >> lane & 1)
                    values[static_cast<std::size_t>(lane)] = change.values.at(next_value++);
            if (k == step && !change.values.front().empty())
                state.changed[change.variable] |= change.lanes;
        }
    }
    return state;
}

std::optional<Writer> Steps::writer_before(std::size_t step, std::size_t array,
                                           std::int64_t offset) const {
    for (std::size_t k = step; k-- > 0;) {
        for (auto access = all_steps[k].accesses.rbegin(); access != all_steps[k].accesses.rend();
             ++access) {
            if (!access->is_store() || access->array != array) continue;
            std::size_t access_lane = 0;
            for (int lane = 0; lane < kWarpLanes; ++lane) {
                if (!(access->lanes >> lane & 1)) continue;
                const std::int64_t offset_in_access = offset - access->offsets.at(access_lane);
                if (offset_in_access >= 0 && offset_in_access < access->bytes) {
                    const std::size_t elements = access->values.size() / access->offsets.size();
                    const auto element = static_cast<std::size_t>(
                        offset_in_access / std::max<std::int64_t>(arrays[array].element_bytes, 1));
                    return Writer{
                        k, all_steps[k].warp, lane,
                        element < elements ? access->values[access_lane * elements + element] : ""};
                }
                ++access_lane;
            }
        }
    }
    return std::nullopt;
}

Steps read_steps(const std::string& json) {
    try {
        return read_all(StepsJson::parse(json));
    } catch (const StepsJson::exception& problem) {
        throw std::runtime_error(std::string("the steps cannot be read: ") + problem.what());
    }
}

void name_values_by_source(Steps& steps) {
    std::map<std::string, std::string> names;
    for (const Step& step : steps.all_steps) {
        for (const StepAccess& access : step.accesses) {
            const StepArray& array = steps.arrays.at(access.array);
            if (array.is_shared || access.is_store() || access.offsets.empty()) continue;
            const std::size_t elements = access.values.size() / access.offsets.size();
            for (std::size_t k = 0; k < access.values.size(); ++k) {
                const std::int64_t offset =
                    access.offsets[k / elements] +
                    static_cast<std::int64_t>(k % elements) * array.element_bytes;
                names.try_emplace(access.values[k], array.element_name(offset));
            }
        }
    }
    const auto rename_values = [&](std::vector<std::string>& values) {
        for (std::string& value : values)
            if (const auto name = names.find(value); name != names.end()) value = name->second;
    };
    for (Step& step : steps.all_steps) {
        for (StepAccess& access : step.accesses) rename_values(access.values);
        for (StepChange& change : step.changes)
            if (steps.variables.at(change.variable).is_real) rename_values(change.values);
    }
}

std::string name_lanes(std::uint32_t lanes) {
    std::string text = std::popcount(lanes) == 1 ? "lane " : "lanes ";
    const char* separator = "";
    for (int first_lane = 0; first_lane < kWarpLanes; ++first_lane) {
        if (!(lanes >> first_lane & 1)) continue;
        int last_lane = first_lane;
        while (last_lane + 1 < kWarpLanes && (lanes >> (last_lane + 1) & 1)) ++last_lane;
        text += separator + std::to_string(first_lane);
        if (last_lane > first_lane) text += "-" + std::to_string(last_lane);
        separator = ", ";
        first_lane = last_lane;
    }
    return text;
}

}  // namespace coalesce::learn
