#include "exercises/text_file.h"

#include <fstream>
#include <iterator>

#include "exercises/skeleton.h"

namespace coalesce::exercises {

std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) throw ExerciseError(file.string() + " cannot be read; is it there?");
    return text;
}

}  // namespace coalesce::exercises
