#include "learn/json_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "learn/usage_error.h"

namespace coalesce::learn {

Json read_json(const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error(file.string() + " cannot be read");
    try {
        return Json::parse(stream);
    } catch (const Json::exception& error) {
        throw std::runtime_error(file.string() + " is not JSON: " + error.what());
    }
}

WholeFile::WholeFile(const std::filesystem::path& goal)
    : goal(goal), temporary(goal.string() + ".unfinished-" + std::to_string(getpid())) {
    if (std::filesystem::is_directory(goal)) {
        throw UsageError(goal.string() + " is a folder; name a file in it");
    }
    int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        throw UsageError(goal.string() + " cannot be written (" + strerror(errno) +
                         "); name another file");
    }
    close(file);
}

WholeFile::~WholeFile() {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
}

void WholeFile::finish(const std::string& text) {
    std::ofstream stream(temporary, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) throw std::runtime_error(goal.string() + " cannot be written: is the disk full?");
    std::filesystem::rename(temporary, goal);
}

}  // namespace coalesce::learn
