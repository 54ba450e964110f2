#include "recording.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace coalesce::diagrams {
namespace {

using nlohmann::json;

Access parse_access(const json& source) {
    Access access;
    source.at("line").get_to(access.line);
    source.at("memory").get_to(access.memory);
    access.is_shared = access.memory == "shared";
    source.at("store").get_to(access.is_store);
    source.at("bytes").get_to(access.bytes_per_lane);
    source.at("cost").get_to(access.cost);
    source.at("ideal").get_to(access.ideal);
    for (unsigned lane = 0; lane < 32; ++lane) {
        const json& address = source.at("addresses").at(lane);
        if (address.is_null()) continue;
        access.active |= 1u << lane;
        address.get_to(access.addresses[lane]);
    }
    return access;
}

}  // namespace

const RecordedVariant& Recording::variant(const std::string& name) const {
    for (const RecordedVariant& candidate : variants) {
        if (candidate.name == name) return candidate;
    }
    throw std::runtime_error(step + " has no variant " + name);
}

Recording read_recording(const std::filesystem::path& folder, const std::string& step) {
    const std::filesystem::path file = folder / (step + ".json");
    std::ifstream in(file);
    if (!in)
        throw std::runtime_error(file.string() + " does not exist; build the target `recordings`");
    Recording recording{step, {}};
    const json recording_json = json::parse(in);
    for (const json& source : recording_json.at("variants")) {
        if (!source.contains("warp")) continue;  // this variant has no picture
        RecordedVariant variant;
        source.at("name").get_to(variant.name);
        source.at("warp").at("warp").get_to(variant.warp);
        for (const json& access_json : source.at("warp").at("accesses")) {
            variant.accesses.push_back(parse_access(access_json));
        }
        source.at("order").get_to(variant.block_order);
        recording.variants.push_back(std::move(variant));
    }
    return recording;
}

}  // namespace coalesce::diagrams
