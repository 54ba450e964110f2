// Results of lessons for tests, with invented numbers.
#pragma once

#include <string>

#include "learn/json_file.h"

namespace coalesce::learn {

inline const Json SIM = {{"name", "A simulated GPU"}, {"kind", "sim"}};
inline const Json GPU = {{"name", "A GPU"}, {"kind", "gpu"}};
inline const Json PREDICTED = {{"name", "A GPU"}, {"kind", "predicted"}};

inline Json counted(const std::string& step, const std::string& variant) {
    return {{"step", step},
            {"variant", variant},
            {"rows", 1024},
            {"cols", 1024},
            {"verified", true},
            {"counters",
             {{"load_requests", 32768},
              {"load_sectors", 131072},
              {"store_requests", 32768},
              {"store_sectors", 1048576},
              {"shared_load_requests", 32768},
              {"shared_load_wavefronts", 1048576},
              {"shared_load_ideal", 32768},
              {"shared_store_requests", 32768},
              {"shared_store_wavefronts", 32768},
              {"shared_store_ideal", 32768}}}};
}

inline Json timed(const std::string& step, const std::string& variant) {
    return {{"step", step},     {"variant", variant}, {"rows", 4096},   {"cols", 512},
            {"verified", true}, {"ms", 2.09712},      {"gbps", 4096.6}, {"of_copy", 0.9574}};
}

inline Json predicted(const std::string& step, const std::string& variant, const std::string& gpu) {
    return {{"step", step},
            {"variant", variant},
            {"predicted",
             {{"gpu", gpu},
              {"measured_gpu", true},
              {"rows", 4096},
              {"cols", 512},
              {"ms", 2.1234},
              {"gbps", 4046},
              {"of_copy", 0.9444},
              {"binds", "barrier"},
              {"error_band", 0.08},
              {"unknown", Json::array()}}}};
}

}  // namespace coalesce::learn
