// Collects the PTX of the course's kernels, for tests that compare the simulator with ptxas.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct KernelText {
    std::string group;  ///< "learners' files" or "programs"
    std::string file, ptx;
};

/// Compiles the correct exercise files in `course` and its solutions. Returns their PTX.
std::vector<KernelText> learners_files(const std::filesystem::path& course);
/// Returns the PTX of the programs and PTX files in a folder, in the order of their file names.
/// Returns nothing if the folder does not exist.
std::vector<KernelText> texts_in_folder(const std::filesystem::path& folder);

/// Parsed PTX, and the kernels in it that a test compares.
struct ParsedText {
    KernelText text;
    std::unique_ptr<ptx::Module> module;
    std::vector<ptx::Function*> kernels;
};
/// Parses the texts, and chooses kernels for which `is_compared` returns true. A hash selects one
/// in `every` kernels, so that the choice is the same on every machine. Identical kernels are used
/// only once. Omits texts without such kernels, and texts that were compiled without optimisation.
std::vector<ParsedText> choose_kernels(std::vector<KernelText> texts, u32 every,
                                       bool (*is_compared)(const ptx::Function&));

/// Calls `work(k)` for every k below `count` in parallel, on all processors.
void for_each_in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

/// Returns the text of a module in which only the kernels in `kept` have a body. ptxas compiles
/// this text faster.
std::string text_with_kernels(const ptx::Module& module, const std::vector<ptx::Function*>& kept);

/// Computes the FNV-1a hash. Unlike std::hash, it is the same on every platform.
u32 hash_of(const std::string& text);

/// Returns the instructions and launch bounds of a kernel without its name and label numbers, so
/// that equal kernels from different files have equal texts. Labels such as "$L__BB12_3" contain
/// the index of the kernel in its file.
std::string without_names(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace coalesce::simulator
