#include "examiner/compile.h"

#include "examiner/cache.h"
#include "examiner/compiled_from.h"
#include "examiner/compilers.h"
#include "examiner/verdict_codec.h"
#include "examiner/wrapper.h"

namespace coalesce {
namespace {

Failure explain_missing_compiler(Compiler compiler) {
    if (compiler == Compiler::clang_ir) {
        return {.kind = FailureKind::no_compiler,
                .headline =
                    "LLVM IR cannot be generated, because no clang of versions 17 to 22 was found.",
                .advice =
                    "Install such a clang (Debian: apt-get install clang-19), or set "
                    "COALESCE_CLANG to its path."};
    }
    const std::string requirement =
        compiler == Compiler::any
            ? "neither the CUDA toolkit (libnvrtc.so.13 or nvcc) nor clang was"
            : std::string(name_compiler_kind(compiler)) + " was not";
    return {.kind = FailureKind::no_compiler,
            .headline = "the kernel cannot be compiled, because " + requirement + " found.",
            .advice =
                "Run ./learn, which installs missing packages, or set CUDA_HOME to the toolkit's "
                "folder."};
}

Compiled compile_or_find(const Source& source, const CompileOptions& options,
                         const FoundCompiler& compiler) {
    const std::string text = wrap_source(source.text, dialect_of(compiler), options.kernel.sizes);
    const std::string entry = mangle_kernel_name(options.kernel);
    const std::string key = compiler.identity +
                            (options.keeps_variables ? " for a debugger\n" : "\n") +
                            options.architecture + "\n" + entry + "\n" + text;
    const Cache cache(options.cache);
    if (auto cached = read_cached<Compiled>(cache.find("ptx", key))) {
        cached->entry = entry;
        // The cache key does not contain the file's name, so a cached message may name another
        // file.
        for (Message& message : cached->messages) message.place.file = source.name;
        cached->is_from_cache = true;
        return *cached;
    }
    const RawOutput raw_output = run_compiler(compiler, text, options.architecture, options.seconds,
                                              options.keeps_variables);
    const Compiled compiled =
        finish_compilation(source, options.kernel, read_version(compiler), raw_output);
    if (compiled.is_ok()) cache.save_cached("ptx", key, codec::write(compiled));
    return compiled;
}

}  // namespace

Compiled compile(const Source& source, const CompileOptions& options) {
    Compiled compiled;
    const auto compiler = find_compiler(options.compiler);
    if (!source.is_good()) {
        compiled.failure = source.problem;
    } else if (!compiler) {
        compiled.failure = explain_missing_compiler(resolve_compiler_kind(options.compiler));
    } else {
        compiled = compile_or_find(source, options, *compiler);
    }
    compiled.file = source.name;
    compiled.kernel = options.kernel.kernel;
    compiled.sizes = options.kernel.sizes;
    return compiled;
}

std::string describe_compiler(Compiler kind) {
    const auto compiler = find_compiler(kind);
    return compiler ? read_version(*compiler) + " (" + compiler->path + ")" : "";
}

std::string compiler_identity(Compiler kind) {
    const auto compiler = find_compiler(kind);
    return compiler ? compiler->identity : "";
}

}  // namespace coalesce
