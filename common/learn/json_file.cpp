#include "learn/json_file.h"

#include <stdexcept>

#include "base/files.h"

namespace coalesce::learn {

Json read_json(const std::filesystem::path& file) {
    try {
        return Json::parse(read_file(file));
    } catch (const Json::exception& error) {
        throw std::runtime_error(file.string() + " is not JSON: " + error.what());
    }
}

}  // namespace coalesce::learn
