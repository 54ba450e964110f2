#include "learn/json_file.h"

#include <iostream>
#include <stdexcept>

#include "base/codec.h"
#include "base/files.h"

namespace coalesce::learn {

Json read_json(const std::filesystem::path& file) {
    try {
        return Json::parse(read_file(file));
    } catch (const Json::exception& error) {
        throw std::runtime_error(file.string() + " is not JSON: " + error.what());
    }
}

std::string json_text(const Json& json) {
    return codec::write(json, true) + "\n";
}

void print_json(const Json& json) {
    std::cout << json_text(json);
}

}  // namespace coalesce::learn
