// Reads samples of the output of NVIDIA's tools from the folder `samples`.
#pragma once

#include <string>

#include "base/files.h"

namespace coalesce::proof {

inline std::string sample(const std::string& name) {
    return read_file(COALESCE_SAMPLES "/" + name);
}

}  // namespace coalesce::proof
