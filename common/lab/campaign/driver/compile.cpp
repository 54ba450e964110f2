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
    int (*create_program)(Program*, const char*, const char*, int, const char* const*,
                          const char* const*);
    int (*destroy_program)(Program*);
    int (*compile_program)(Program, int, const char* const*);
    int (*get_log_size)(Program, std::size_t*);
    int (*get_log)(Program, char*);
    int (*get_ptx_size)(Program, std::size_t*);
    int (*get_ptx)(Program, char*);
    bool is_available = false;

    Nvrtc() {
        void* library = nullptr;
        for (const char* name : {"libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13",
                                 "/usr/local/cuda/lib/libnvrtc.so.13"})
            if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL))) break;
        if (!library) return;
        const auto load_function = [&](const char* name, auto& function) {
            function =
                reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
        is_available = load_function("nvrtcCreateProgram", create_program) &&
                       load_function("nvrtcDestroyProgram", destroy_program) &&
                       load_function("nvrtcCompileProgram", compile_program) &&
                       load_function("nvrtcGetProgramLogSize", get_log_size) &&
                       load_function("nvrtcGetProgramLog", get_log) &&
                       load_function("nvrtcGetPTXSize", get_ptx_size) &&
                       load_function("nvrtcGetPTX", get_ptx);
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
std::vector<std::string> list_nvrtc_options(const std::string& configuration) {
    if (configuration == "nvrtc-G") return {"-G"};
    if (configuration == "nvrtc-O0") return {"--Ofast-compile=max"};
    return {"-lineinfo"};
}

}  // namespace

Compilers::Compilers() {
    toolkit_folder_ = find_first_existing({"/usr/local/cuda", "/usr/lib/cuda"});
    clang_path_ =
        find_first_existing({"/usr/lib/llvm-22/bin/clang++", "/usr/lib/llvm-21/bin/clang++",
                             "/usr/lib/llvm-20/bin/clang++", "/usr/lib/llvm-19/bin/clang++"});
    const std::string probe_source =
        "extern \"C\" __global__ void kernel(unsigned* out) { *out = threadIdx.x; }";
    for (const char* name : {"nvrtc-O3", "nvrtc-G", "nvrtc-O0", "clang-O1", "clang-O3"})
        if (!compile(probe_source, name).ptx.empty()) configurations_.push_back(name);
}

CompilationResult Compilers::compile(const std::string& source,
                                     const std::string& configuration) const {
    if (configuration.starts_with("nvrtc")) return compile_with_nvrtc(source, configuration);
    return compile_with_clang(source, configuration);
}

CompilationResult Compilers::compile_with_nvrtc(const std::string& source,
                                                const std::string& configuration) const {
    if (!nvrtc().is_available) return {"", "libnvrtc.so.13 was not found"};
    Nvrtc::Program program = nullptr;
    if (nvrtc().create_program(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0)
        return {"", "NVRTC cannot create a program"};
    std::vector<std::string> options = list_nvrtc_options(configuration);
    options.insert(options.end(),
                   {"-std=c++20", "-arch=compute_90", "-I" + toolkit_folder_ + "/include",
                    "-I" + toolkit_folder_ + "/include/cccl"});
    std::vector<const char*> option_texts;
    for (const std::string& option : options) option_texts.push_back(option.c_str());
    const int error_code = nvrtc().compile_program(program, static_cast<int>(option_texts.size()),
                                                   option_texts.data());
    CompilationResult result;
    std::size_t bytes = 0;
    std::string& text_to_fill = error_code ? result.error_message : result.ptx;
    (error_code ? nvrtc().get_log_size : nvrtc().get_ptx_size)(program, &bytes);
    text_to_fill.resize(bytes);
    (error_code ? nvrtc().get_log : nvrtc().get_ptx)(program, text_to_fill.data());
    while (!text_to_fill.empty() && text_to_fill.back() == '\0') text_to_fill.pop_back();
    nvrtc().destroy_program(&program);
    return result;
}

CompilationResult Compilers::compile_with_clang(const std::string& source,
                                                const std::string& configuration) const {
    if (clang_path_.empty() || toolkit_folder_.empty())
        return {"", "clang 19 or newer, or the CUDA toolkit, was not found"};
    const TemporaryFolder folder;
    const std::string in = folder / "kernel.cu", out = folder / "kernel.ptx";
    write_file(in, source);
    const std::string optimization_option = configuration.substr(configuration.find('-'));
    const ProcessResult compiler_result = run_child(
        {clang_path_, "-x", "cuda", "-std=c++20", "--cuda-gpu-arch=sm_90", "--cuda-device-only",
         "-S", "-fno-finite-loops", "-gline-tables-only", "-Wno-unknown-cuda-version",
         optimization_option, "--cuda-path=" + toolkit_folder_, "-isystem",
         toolkit_folder_ + "/include/cccl", "-o", out, in},
        kCompilerSeconds);
    if (compiler_result.exit_code != 0) return {"", compiler_result.output};
    return {read_file(out), ""};
}

}  // namespace coalesce::campaign
