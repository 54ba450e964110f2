#include "grader/sandbox/places.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "base/files.h"
#include "grader/sandbox/jail.h"
#include "kernel/compilers.h"

namespace coalesce::grader {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
    return fs::read_symlink("/proc/self/exe").parent_path();
}

/// Calls `is_it` for this program's folder and those above it.
template <class IsIt>
fs::path look_upwards(IsIt is_it) {
    for (fs::path folder = own_folder();; folder = folder.parent_path()) {
        if (const fs::path found = is_it(folder); !found.empty()) return found;
        if (folder == folder.root_path()) return {};
    }
}

bool is_simulator(const fs::path& file) {
    return read_if_there(file).value_or("").find("coalesceSimulatorVersion") != std::string::npos;
}

}  // namespace

std::string bubblewrap_program() {
    for (const char* program : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"}) {
        if (access(program, X_OK) == 0) return program;
    }
    return "";
}

std::string toolkit_folder() {
    const auto compiler = find_compiler(Compiler::nvrtc);
    // .../lib64/libnvrtc.so.13
    return compiler ? fs::path(compiler->path).parent_path().parent_path().lexically_normal() : "";
}

std::string compiler_library_folder() {
    const auto compiler = find_compiler(Compiler::nvrtc);
    return compiler ? fs::path(compiler->path).parent_path().lexically_normal().string() : "";
}

std::vector<std::string> readable_places() {
    std::vector<std::string> places;
    const auto add = [&](const std::string& path) {
        std::error_code error;
        const bool is_new = std::find(places.begin(), places.end(), path) == places.end();
        if (!path.empty() && is_new && fs::exists(fs::symlink_status(path, error))) {
            places.push_back(path);
        }
    };
    add("/usr/lib");
    add("/usr/lib64");
    add("/lib");
    add("/lib64");
    const std::string toolkit = toolkit_folder();
    std::error_code error;
    if (toolkit == "/usr" || toolkit == "/usr/lib") {
        // A distribution's own: the libraries are there already.
        add("/usr/include");
    } else if (!toolkit.empty()) {
        const std::string real = fs::canonical(toolkit, error).string();
        add(real);
        add(toolkit);
    }
    return places;
}

std::filesystem::path jail_program() {
    if (const char* given = std::getenv("COALESCE_GRADER_PROGRAMS")) {
        return fs::absolute(fs::path(given) / "jail");
    }
    const fs::path found = look_upwards([](const fs::path& folder) -> fs::path {
        for (const char* inside : {"grader/jail", "bin/grader/jail"}) {
            if (access((folder / inside).c_str(), X_OK) == 0) return folder / inside;
        }
        return {};
    });
    if (!found.empty()) return found;
    throw std::runtime_error("the program grader/jail was not found near " + own_folder().string() +
                             ": build it (./learn build)");
}

std::filesystem::path simulator_folder() {
    const fs::path found = look_upwards([](const fs::path& folder) -> fs::path {
        if (is_simulator(folder / "lib/libcudart.so.13")) return folder / "lib";
        return {};
    });
    if (!found.empty()) return found;
    throw std::runtime_error("the simulated GPU (lib/libcudart.so.13) was not found near " +
                             own_folder().string() + ": build it (./learn build)");
}

}  // namespace coalesce::grader
