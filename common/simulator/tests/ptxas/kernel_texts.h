// The PTX of the course's kernels, for tests that compare the simulator with ptxas.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct KernelText {
    std::string group;  ///< "learners' files" or "programs"
    std::string file, ptx;
};

/// Of the learners' files in `course` that are right, and of its solutions, compiled here.
std::vector<KernelText> learners_files(const std::filesystem::path& course);
/// Of the programs in a folder, whose PTX lies in them, and of its files of PTX.
std::vector<KernelText> texts_in_folder(const std::filesystem::path& folder);

/// What tells a kernel apart from others, its name and its number among those of its file left out: its instructions
/// and the launches that it allows. In two files, the same kernel has labels of other names: "$L__BB12_3".
std::string without_names(const ptx::Module& module, const ptx::Function& kernel);

/// The text was compiled without optimisation: ptxas does nothing then of what the simulator follows.
bool is_for_debugging(const std::string& ptx);

}  // namespace coalesce::simulator
