#include "lab/campaign/driver/compile.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/child.h"
#include "base/files.h"

namespace coalesce::campaign {
namespace {

constexpr double kCompilerSeconds = 1e6;

/// The NVRTC functions, declared here so that no toolkit header is needed.
struct Nvrtc {
    using Program = struct Opaque*;
    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
    int (*destroy)(Program*);
    int (*compile)(Program, int, const char* const*);
    int (*log_size)(Program, std::size_t*);
    int (*log)(Program, char*);
    int (*ptx_size)(Program, std::size_t*);
    int (*ptx)(Program, char*);
    bool is_available = false;

    Nvrtc() {
        void* library = nullptr;
        for (const char* name : {"libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13",
                                 "/usr/local/cuda/lib/libnvrtc.so.13"})
            if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL))) break;
        if (!library) return;
        const auto find = [&](const char* name, auto& function) {
            function =
                reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
        is_available = find("nvrtcCreateProgram", create) && find("nvrtcDestroyProgram", destroy) &&
                       find("nvrtcCompileProgram", compile) &&
                       find("nvrtcGetProgramLogSize", log_size) &&
                       find("nvrtcGetProgramLog", log) && find("nvrtcGetPTXSize", ptx_size) &&
                       find("nvrtcGetPTX", ptx);
    }
};

const Nvrtc& nvrtc() {
    static const Nvrtc instance;
    return instance;
}

std::string find_first_existing(const std::vector<std::string>& files) {
    for (const std::string& file : files)
        if (std::filesystem::exists(file)) return file;
    return "";
}

/// Returns the options for NVRTC. NVRTC has no -O0; its fastest compilation mode skips the
/// optimizer.
std::vector<std::string> nvrtc_options(const std::string& configuration) {
    if (configuration == "nvrtc-G") return {"-G"};
    if (configuration == "nvrtc-O0") return {"--Ofast-compile=max"};
    return {"-lineinfo"};
}

}  // namespace

Compilers::Compilers() {
    toolkit_ = find_first_existing({"/usr/local/cuda", "/usr/lib/cuda"});
    clang_ = find_first_existing({"/usr/lib/llvm-22/bin/clang++", "/usr/lib/llvm-21/bin/clang++",
                                  "/usr/lib/llvm-20/bin/clang++", "/usr/lib/llvm-19/bin/clang++"});
    const std::string probe =
        "extern \"C\" __global__ void kernel(unsigned* out) { *out = threadIdx.x; }";
    for (const char* name : {"nvrtc-O3", "nvrtc-G", "nvrtc-O0", "clang-O1", "clang-O3"})
        if (!compile(probe, name).ptx.empty()) configurations_.push_back(name);
}

Compiled Compilers::compile(const std::string& source, const std::string& configuration) const {
    if (configuration.starts_with("nvrtc")) return compile_with_nvrtc(source, configuration);
    return compile_with_clang(source, configuration);
}

Compiled Compilers::compile_with_nvrtc(const std::string& source,
                                       const std::string& configuration) const {
    if (!nvrtc().is_available) return {"", "libnvrtc.so.13 was not found"};
    Nvrtc::Program program = nullptr;
    if (nvrtc().create(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0)
        return {"", "NVRTC cannot create a program"};
    std::vector<std::string> options = nvrtc_options(configuration);
    options.insert(options.end(), {"-std=c++20", "-arch=compute_90", "-I" + toolkit_ + "/include",
                                   "-I" + toolkit_ + "/include/cccl"});
    std::vector<const char*> texts;
    for (const std::string& option : options) texts.push_back(option.c_str());
    const int failed = nvrtc().compile(program, static_cast<int>(texts.size()), texts.data());
    Compiled compiled;
    std::size_t bytes = 0;
    std::string& into = failed ? compiled.problem : compiled.ptx;
    (failed ? nvrtc().log_size : nvrtc().ptx_size)(program, &bytes);
    into.resize(bytes);
    (failed ? nvrtc().log : nvrtc().ptx)(program, into.data());
    while (!into.empty() && into.back() == '\0') into.pop_back();
    nvrtc().destroy(&program);
    return compiled;
}

Compiled Compilers::compile_with_clang(const std::string& source,
                                       const std::string& configuration) const {
    if (clang_.empty() || toolkit_.empty())
        return {"", "clang 19 or newer, or the CUDA toolkit, was not found"};
    const TemporaryFolder folder;
    const std::string in = folder / "kernel.cu", out = folder / "kernel.ptx";
    write_file(in, source);
    const std::string level = configuration.substr(configuration.find('-'));
    const ProcessResult ended = run_child(
        {clang_, "-x", "cuda", "-std=c++20", "--cuda-gpu-arch=sm_90", "--cuda-device-only", "-S",
         "-fno-finite-loops", "-gline-tables-only", "-Wno-unknown-cuda-version", level,
         "--cuda-path=" + toolkit_, "-isystem", toolkit_ + "/include/cccl", "-o", out, in},
        kCompilerSeconds);
    if (ended.exit_code != 0) return {"", ended.output};
    return {read_file(out), ""};
}

}  // namespace coalesce::campaign
