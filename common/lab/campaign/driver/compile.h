// Compiles CUDA C++ to PTX with each installed compiler and optimization level.
#pragma once

#include <string>
#include <vector>

namespace coalesce::campaign {

struct CompilationResult {
    std::string ptx;            ///< empty if compilation failed
    std::string error_message;  ///< the compiler's message if it failed
};

class Compilers {
public:
    Compilers();
    /// Returns the configurations that work on this machine, out of "nvrtc-O3", "nvrtc-G",
    /// "nvrtc-O0", "clang-O1" and "clang-O3". A configuration is a compiler and an optimization
    /// level.
    const std::vector<std::string>& configurations() const { return configurations_; }
    CompilationResult compile(const std::string& source, const std::string& configuration) const;

private:
    CompilationResult compile_with_nvrtc(const std::string& source,
                                         const std::string& configuration) const;
    CompilationResult compile_with_clang(const std::string& source,
                                         const std::string& configuration) const;
    std::vector<std::string> configurations_;
    std::string clang_path_, toolkit_folder_;
};

}  // namespace coalesce::campaign
