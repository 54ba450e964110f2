#include "lab/proof/validate/tools.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/child.h"
#include "base/files.h"
#include "base/text.h"
#include "harness/errors.h"
#include "lab/proof/validate/compare_counters.h"

namespace coalesce::proof {
namespace {

namespace fs = std::filesystem;

constexpr double kMaxProfileSeconds = 420;

/// Returns the folders where toolkits install programs outside the PATH, newest first.
std::vector<fs::path> list_tool_folders() {
    std::vector<fs::path> folders;
    for (const char* root : {"/usr/local", "/opt/nvidia/nsight-compute", "/opt/nvidia"}) {
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(root, error)) {
            folders.push_back(entry.path());
            folders.push_back(entry.path() / "bin");
            folders.push_back(entry.path() / "compute-sanitizer");
        }
    }
    std::ranges::sort(folders, std::greater());
    return folders;
}

std::string format_metric_list(const std::vector<std::string>& excluded_metrics) {
    std::string list;
    for (const CounterMetric& counter : counter_metrics()) {
        std::vector<const char*> metrics = counter.further_metrics;
        metrics.insert(metrics.begin(), counter.metric);
        for (const char* metric : metrics) {
            if (std::ranges::find(excluded_metrics, metric) != excluded_metrics.end()) continue;
            list += (list.empty() ? "" : ",") + std::string(metric);
        }
    }
    return list;
}

/// Throws if one of the unknown metrics is required.
void check_unknown_metrics(const std::vector<std::string>& unknown_metrics) {
    for (const CounterMetric& counter : counter_metrics()) {
        if (!counter.is_required ||
            std::ranges::find(unknown_metrics, counter.metric) == unknown_metrics.end()) {
            continue;
        }
        throw std::runtime_error(std::string("this version of Nsight Compute does not support ") +
                                 counter.metric +
                                 "; ncu --query-metrics lists the metrics that it supports");
    }
}

}  // namespace

std::string find_tool(const std::string& name) {
    const std::string path_of_tool = find_program(name);
    if (!path_of_tool.empty()) return path_of_tool;
    for (const fs::path& folder : list_tool_folders()) {
        const fs::path file = folder / name;
        if (access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file)) return file;
    }
    throw UsageError(name +
                     " was not found: install the CUDA toolkit's profiling tools (packages "
                     "cuda-nsight-compute and cuda-sanitizer), or put the tool on the PATH");
}

std::string read_tool_version(const std::string& tool) {
    std::string version;
    for (const std::string& line : lines_of(run_child({tool, "--version"}, 60).output)) {
        if (line.find("ersion") != std::string::npos) version = line;
    }
    return version;
}

std::string find_cudart_folder() {
    Dl_info library_info{};
    if (!dladdr(reinterpret_cast<void*>(&cudaGetDeviceCount), &library_info)) return "";
    std::error_code error;
    // Look the symbol up in the library, because its address in this program may be the address of
    // a stub.
    void* library = dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD);
    void* function = library ? dlsym(library, "cudaGetDeviceCount") : nullptr;
    if (function) dladdr(function, &library_info);
    return fs::canonical(library_info.dli_fname, error).parent_path();
}

std::string profile_metrics(const std::string& ncu, const std::vector<std::string>& program,
                            const std::string& metrics) {
    const TemporaryFolder folder;
    const fs::path log_file = folder.path / "ncu.csv";
    // Leave the GPU's clocks unchanged, because the counters do not depend on them.
    std::vector<std::string> command{ncu,
                                     "--clock-control",
                                     "none",
                                     "--csv",
                                     "--page",
                                     "raw",
                                     "--print-units",
                                     "base",
                                     "--log-file",
                                     log_file.string(),
                                     "--metrics",
                                     metrics};
    command.insert(command.end(), program.begin(), program.end());
    const ProcessResult process_result =
        run_child(command, kMaxProfileSeconds, {"TMPDIR=" + folder.path.string()});
    const std::string text = read_if_exists(log_file).value_or("");
    if (process_result.timed_out) {
        throw std::runtime_error("Nsight Compute did not finish in time; try fewer --patterns");
    }
    if (process_result.exit_code != 0 &&
        find_unknown_metrics(text + process_result.output).empty()) {
        throw std::runtime_error("ncu ended with exit code " +
                                 std::to_string(process_result.exit_code) + ":\n" +
                                 process_result.output + text.substr(0, 1500));
    }
    return text + process_result.output;
}

std::string profile_all_metrics(const std::string& ncu, const std::vector<std::string>& program) {
    std::vector<std::string> excluded_metrics;
    for (std::size_t retry_count = 0;; ++retry_count) {
        const std::string text =
            profile_metrics(ncu, program, format_metric_list(excluded_metrics));
        const std::vector<std::string> unknown = find_unknown_metrics(text);
        // ncu may report only one unknown metric at a time, so retry without the unknown ones.
        if (unknown.empty() || retry_count == counter_metrics().size()) return text;
        check_unknown_metrics(unknown);
        excluded_metrics.insert(excluded_metrics.end(), unknown.begin(), unknown.end());
    }
}

}  // namespace coalesce::proof
