// CUDA C++ to PTX, by each compiler and at each level of optimisation that is here.
#pragma once

#include <string>
#include <vector>

namespace coalesce::campaign {

struct Compiled {
    std::string ptx;      ///< empty when it did not work
    std::string problem;  ///< then: what the compiler said
};

class Compilers {
public:
    Compilers();
    /// "nvrtc-O3", "nvrtc-G", "nvrtc-O0", "clang-O1", "clang-O3": those that work here.
    const std::vector<std::string>& configurations() const { return configurations_; }
    Compiled compile(const std::string& source, const std::string& configuration) const;

private:
    Compiled by_nvrtc(const std::string& source, const std::string& configuration) const;
    Compiled by_clang(const std::string& source, const std::string& configuration) const;
    std::vector<std::string> configurations_;
    std::string clang_, toolkit_;
};

}  // namespace coalesce::campaign
