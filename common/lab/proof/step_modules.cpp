// Loads modules with RTLD_LOCAL, because kernels of two steps may have the same name, and each step
// must use its own kernel. If a module lacks a symbol, such as run_step, the symbol is resolved in
// this program.

#include "lab/proof/step_modules.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/errors.h"

namespace coalesce {
namespace {

// run_step, called by a module's main, stores its variants here.
std::vector<Variant>* caught_variants = nullptr;

}  // namespace

/// Replaces the harness's run_step in a program that links this file. Such a program loads steps
/// instead of running one.
int run_step(int, char**, const std::vector<Variant>& variants) {
    *caught_variants = variants;
    return exit_right;
}

namespace proof {
namespace {

namespace fs = std::filesystem;

fs::path path_of_module(const std::string& name) {
    return fs::read_symlink("/proc/self/exe").parent_path() / "modules" / (name + ".so");
}

StepVariants load(const std::string& name) {
    const fs::path file = path_of_module(name);
    void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        throw UsageError("the kernels of " + name + " cannot be loaded: " + dlerror() +
                         "; build them with the target proof_programs");
    }
    using Main = int (*)(int, char**);
    const auto main_of_step = reinterpret_cast<Main>(dlsym(module, "main"));
    if (!main_of_step)
        throw UsageError(file.string() + " has no function main, so it is not a step");
    StepVariants step;
    step.name = name;
    caught_variants = &step.variants;
    std::string program = name;
    char* argv[] = {program.data(), nullptr};
    main_of_step(1, argv);
    if (step.variants.empty()) throw UsageError(file.string() + " has no variants");
    return step;
}

}  // namespace

std::vector<StepVariants> load_steps(const std::vector<std::string>& names) {
    std::vector<StepVariants> steps;
    for (const std::string& name : names) steps.push_back(load(name));
    return steps;
}

bool has_module(const std::string& name) {
    return fs::exists(path_of_module(name));
}

}  // namespace proof
}  // namespace coalesce
