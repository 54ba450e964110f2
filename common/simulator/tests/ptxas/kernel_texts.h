// The PTX of the course's kernels, for tests that compare the simulator with ptxas.
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

/// Of the learners' files in `course` that are right, and of its solutions, compiled here.
std::vector<KernelText> learners_files(const std::filesystem::path& course);
/// Of the programs in a folder, whose PTX lies in them, and of its files of PTX, by file name. None if there is no such
/// folder.
std::vector<KernelText> texts_in_folder(const std::filesystem::path& folder);

/// A text with the kernels of it that are compared.
struct ParsedText {
    KernelText text;
    std::unique_ptr<ptx::Module> module;
    std::vector<ptx::Function*> kernels;
};
/// Parses texts and chooses kernels: those that `is_compared`, each once, however many files have it, and of those one in
/// `every` (by a hash of the kernel, so that the choice is the same everywhere). Leaves out texts without any, and those
/// that were compiled without optimisation.
std::vector<ParsedText> choose_kernels(std::vector<KernelText> texts, u32 every,
                                       bool (*is_compared)(const ptx::Function&));

/// Calls `work(k)` for all k below `count`, on all processors.
void for_each_in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

/// The text of a module, in which all kernels but some have no instructions: ptxas compiles it faster.
std::string text_with_kernels(const ptx::Module& module, const std::vector<ptx::Function*>& kept);

/// FNV-1a: the same everywhere, unlike std::hash.
u32 hash_of(const std::string& text);

/// What tells a kernel apart from others, its name and its number among those of its file left out: its instructions
/// and the launches that it allows. In two files, the same kernel has labels of other names: "$L__BB12_3".
std::string without_names(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace coalesce::simulator
