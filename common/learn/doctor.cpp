#include "learn/commands.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "base/child.h"
#include "base/codec.h"
#include "base/enum_names.h"
#include "base/text.h"
#include "examiner/compile.h"
#include "examiner/compilers.h"
#include "harness/device.h"
#include "harness/text.h"
#include "learn/file_watcher.h"
#include "learn/paths.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

// The state of one part of the installation.
struct Finding {
    std::string component;                        // name of the part, such as "GPU"
    enum State { there, absent, missing } state;  // absent: missing, but optional
    std::string description;                      // a description, or why the part is missing
    std::string meaning;                          // what the finding means, and what to do about it
};

constexpr Finding::State last_of(Finding::State) {
    return Finding::missing;
}

void describe(auto& codec, Finding& finding) {
    fields(codec, "what", finding.component, "state", finding.state, "found", finding.description,
           "meaning", finding.meaning);
}

// Returns the line printed by `nvcc --version` that states the release, or "" if there is none.
std::string find_release(const std::string& nvcc) {
    constexpr double MAX_SECONDS = 20;
    for (const std::string& line : lines_of(run_child({nvcc, "--version"}, MAX_SECONDS).output)) {
        if (line.find("release") != std::string::npos) return line;
    }
    return "";
}

Finding check_nvcc() {
    const auto description = find_compiler(Compiler::nvcc);
    const std::string nvcc = description ? description->path : "";
    const std::string version = description ? find_release(nvcc) : "";
    if (version.empty()) {
        return {"nvcc", Finding::absent, "not found on the PATH or in /usr/local/cuda",
                "clang builds the steps for the simulated GPU only; a real GPU needs the CUDA 13 "
                "toolkit: install the toolkit, or set CUDA_HOME to its folder"};
    }
    if (std::string(COALESCE_BUILT_BY) == "clang") {
        return {"nvcc", Finding::absent, nvcc + ": " + version,
                "not used: the course was built with clang, for the simulated GPU only; "
                "COALESCE_COMPILER=nvcc ./learn build rebuilds it with nvcc"};
    }
    return {"nvcc", Finding::there, nvcc + ": " + version, "builds the steps"};
}

Finding check_compiler() {
    std::string description = describe_compiler();
    if (description.empty()) {
        const char* compiler_variable = std::getenv("COALESCE_COMPILER");
        return {"compiler", Finding::missing,
                compiler_variable != nullptr
                    ? std::string("COALESCE_COMPILER=") + compiler_variable + " was not found"
                    : "NVRTC, nvcc and clang were not found",
                "your kernels cannot be compiled: ./learn build installs clang, which needs no "
                "CUDA toolkit"};
    }
    bool is_nvrtc = description.starts_with("NVRTC");
    return {"compiler", Finding::there, description,
            is_nvrtc
                ? "compiles your kernels, in about 15 to 60 ms"
                : "compiles your kernels, in about a quarter of a second; libnvrtc from CUDA 13 "
                  "would be faster"};
}

Finding check_driver() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return {"driver", Finding::absent, "libcuda.so.1 was not found: there is no NVIDIA driver",
                "only a real GPU needs the driver"};
    }
    int version = 0;
    auto get_driver_version = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
    if (get_driver_version == nullptr || get_driver_version(&version) != 0) version = 0;
    dlclose(library);
    std::string description = "supports CUDA " + std::to_string(version / 1000) + "." +
                              std::to_string(version % 1000 / 10);
    if (version < 13000) {
        return {"driver", Finding::absent, description,
                "too old for CUDA 13: install a newer driver to use the GPU"};
    }
    return {"driver", Finding::there, description, "a GPU can be used"};
}

Finding check_gpu() {
    std::string failure_reason = find_gpu_problem();
    if (!failure_reason.empty()) {
        return {
            "GPU", Finding::absent, failure_reason,
            "everything runs on the simulated GPU: costs are counted, but times are not measured"};
    }
    return {"GPU", Finding::there, "a working GPU", "kernels that pass are also timed on this GPU"};
}

Finding check_simulator() {
    const char* simulator_variable = std::getenv("COALESCE_SIMULATOR");
    fs::path folder = simulator_variable != nullptr ? fs::path(simulator_variable)
                                                    : programs_folder().parent_path() / "lib";
    fs::path library = folder / "libcudart.so.13";
    if (!fs::exists(library)) {
        return {"simulator", Finding::missing, library.string() + " is missing",
                "kernels cannot be checked until ./learn build builds the simulator"};
    }
    return {"simulator", Finding::there, library.string(),
            "runs your kernels, counts their costs and checks them"};
}

Finding check_grader_program() {
    const std::string program = checks_program().string();
    if (!fs::exists(program)) {
        return {"checks", Finding::missing, program + " is missing",
                "./learn build builds this program"};
    }
    return {"checks", Finding::there, program, "examines your kernels"};
}

Finding check_learner_files() {
    std::error_code error;
    fs::create_directories(learners_folder(), error);
    if (error || access(learners_folder().c_str(), W_OK) != 0) {
        return {"progress", Finding::absent, learners_folder().string() + " cannot be written",
                "progress is not saved, and compiling takes longer: make this folder writable"};
    }
    return {"progress", Finding::there, learners_folder().string(), "stores your progress"};
}

Finding check_file_watching() {
    fs::path folder = repository() / "exercises";
    if (must_poll(folder)) {
        return {"watching", Finding::absent,
                folder.string() + " is on a file system that does not report changes",
                "./learn watch checks your file for changes five times per second instead"};
    }
    return {"watching", Finding::there, "inotify", "./learn watch notices a change at once"};
}

}  // namespace

int doctor(bool json, const Style& style) {
    const std::vector<Finding> findings = {
        check_compiler(),  check_nvcc(),           check_driver(),        check_gpu(),
        check_simulator(), check_grader_program(), check_learner_files(), check_file_watching()};
    const bool has_everything =
        std::ranges::count(findings, Finding::missing, &Finding::state) == 0;
    if (json) {
        print_json(
            Json{{"format", 1}, {"works", has_everything}, {"findings", codec::encode(findings)}});
        return has_everything ? 0 : 2;
    }
    for (auto& finding : findings) {
        const bool is_missing = finding.state == Finding::missing;
        const std::string word =
            is_missing ? style.paint_bad("MISSING") : dashed_name(finding.state);
        std::cout << format("%-11s", finding.component.c_str()) << word << "\n"
                  << wrap(finding.description, "    ") << wrap("-> " + finding.meaning, "    ");
    }
    std::cout
        << "\n"
        << (has_everything
                ? "Your kernels can be checked here.\n"
                : "Kernels cannot be checked here until you fix everything marked MISSING.\n");
    return has_everything ? 0 : 2;
}

}  // namespace coalesce::learn
