// Tests the compilation of kernels: results, messages and the cache.
#include "examiner/compile.h"
#include "examiner/render.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>

#include "examiner/cache.h"
#include "examiner/compiled_from.h"
#include "examiner/compilers.h"
#include "examiner/messages.h"
#include "examiner/wrapper.h"
#include "scratch_folder.h"

using namespace coalesce;
using namespace coalesce::tests;

namespace {

const std::string kernel_text =
    R"(__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
)";
const std::string configure_text = R"(constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
)";

Source good() {
    return make_source(kernel_text + configure_text, "exercises/kernel.cu");
}

Compiled compile_text(const std::string& text, Compiler compiler = Compiler::any) {
    return compile(make_source(text, "kernel.cu"), {.compiler = compiler});
}

std::string launch_with(const std::string& launch) {
    return kernel_text + "Launch configure(int rows, int cols) { return " + launch + "; }\n";
}

/// Returns the installed compilers.
std::vector<Compiler> compilers() {
    std::vector<Compiler> here;
    for (const Compiler one :
         {Compiler::nvrtc, Compiler::nvcc, Compiler::clang, Compiler::clang_ir}) {
        if (!describe_compiler(one).empty()) here.push_back(one);
    }
    return here;
}

bool mentions_ours(const Compiled& compiled) {
    const auto is_ours = [](const std::string& text) {
        return text.find("/coalesce/") != text.npos || text.find("/learner/") != text.npos;
    };
    return is_ours(terminal_text(compiled.failure)) ||
           std::any_of(compiled.messages.begin(), compiled.messages.end(),
                       [&](const Message& message) {
                           return is_ours(message.text) || is_ours(message.place.file);
                       });
}

}  // namespace

TEST_CASE("every installed compiler generates PTX with the kernel and configure") {
    REQUIRE(!compilers().empty());
    for (const Compiler compiler : compilers()) {
        const Compiled compiled = compile(good(), {.compiler = compiler});
        CAPTURE(compiled.compiler);
        INFO(terminal_text(compiled.failure));
        REQUIRE(compiled.is_ok());
        CHECK(compiled.entry == "_Z9transposePfPKfii");
        CHECK(compiled.ptx.find(".entry " + compiled.entry) != std::string::npos);
        CHECK(compiled.ptx.find(std::string(".entry ") + kConfigureEntry) != std::string::npos);
        // The PTX must contain the internal name of the file, with line numbers starting at 1.
        CHECK(compiled.ptx.find(kLearnerFile) != std::string::npos);
        CHECK(compiled.messages.empty());
    }
}

TEST_CASE("a file may include exercise.h, although it is prepended to every file anyway") {
    std::string include;
    SUBCASE("") {
        include = "#include \"exercise.h\"  // Launch, ceil_div\n";
    }
    SUBCASE("with blanks") {
        include = " #  include  \"exercise.h\" /* Launch */\n";
    }
    SUBCASE("with a digraph") {
        include = "%:include \"exercise.h\"\n";
    }
    for (const Compiler compiler : compilers()) {
        const Compiled compiled = compile_text(include + kernel_text + configure_text, compiler);
        CAPTURE(compiled.compiler);
        INFO(terminal_text(compiled.failure));
        CHECK(compiled.is_ok());
        CHECK(compiled.messages.empty());
        const Compiled wrong = compile_text(include + "missing;\n" + kernel_text, compiler);
        CHECK(wrong.failure.place.line == 2);
        const Compiled other = compile_text("#include \"other.h\"\n" + kernel_text, compiler);
        CHECK(other.failure.kind == FailureKind::does_not_compile);
    }
}

TEST_CASE("a file may include <cstddef>, and use its types") {
    for (const Compiler compiler : compilers()) {
        const Compiled compiled = compile_text(
            "#include <cstddef>\nusing Step = std::ptrdiff_t;\n"
            "using Count = std::size_t;\n" +
                kernel_text + configure_text,
            compiler);
        CAPTURE(compiled.compiler);
        INFO(terminal_text(compiled.failure));
        CHECK(compiled.is_ok());
    }
}

TEST_CASE("the errors of every compiler refer to lines and columns of the learner's file") {
    for (const Compiler compiler : compilers()) {
        const Compiled compiled = compile_text(
            "__global__ void transpose(float* out, const float* in, int rows, int cols) {\n"
            "    out[0] = 1;\n"
            "\tout[1] = missing;\n"
            "}\n" +
                configure_text,
            compiler);
        CAPTURE(compiled.compiler);
        INFO(terminal_text(compiled.failure));
        CHECK(compiled.failure.kind == FailureKind::does_not_compile);
        CHECK(compiled.failure.place == Place{"kernel.cu", 3, 11});
        CHECK(compiled.failure.headline.find("missing") != std::string::npos);
        CHECK_FALSE(mentions_ours(compiled));
        CHECK(compiled.ptx.empty());
    }
}

namespace {

void expect_no_line_of_ours(Compiler compiler) {
    const std::string broken[] = {
        kernel_text,                                            // no configure function
        kernel_text + "int configure(int rows) { return 1; }",  // other parameters
        // The last brace is missing.
        kernel_text + configure_text.substr(0, configure_text.size() - 3),
        "}}}}" + kernel_text + configure_text,
        "/* never closed\n" + kernel_text + configure_text,
        "#if 1\n" + kernel_text + configure_text,
        "#define Launch 3\n" + kernel_text + configure_text,
        "#define float float double\n" + kernel_text + configure_text,
        "#error \"/coalesce\"\\\n",
        "R\"(" + kernel_text + configure_text,
        "namespace hidden {\n" + kernel_text + configure_text + "}\n",
    };
    for (const std::string& text : broken) {
        const Compiled compiled = compile_text(text, compiler);
        CAPTURE(text);
        INFO(terminal_text(compiled.failure));
        CHECK_FALSE(compiled.is_ok());
        CHECK(compiled.failure.place.file == "kernel.cu");
        if (text.find("#error") == std::string::npos) CHECK_FALSE(mentions_ours(compiled));
    }
}

}  // namespace

TEST_CASE(
    "no compiler quotes a generated line in its messages, even if the file has syntax errors") {
    for (const Compiler compiler : compilers()) {
        if (compiler != Compiler::nvcc) expect_no_line_of_ours(compiler);
    }
}

// nvcc takes as long as all other compilers together, so it is used only if NVRTC is not
// installed.
TEST_CASE("nvcc's messages contain no generated line") {
    if (!describe_compiler(Compiler::nvcc).empty()) expect_no_line_of_ours(Compiler::nvcc);
}

TEST_CASE("a missing closing brace is reported before the errors that it causes") {
    const Compiled compiled =
        compile_text(kernel_text + configure_text.substr(0, configure_text.rfind('}')));
    CHECK_FALSE(compiled.is_ok());
    if (compiled.compiler.starts_with("clang")) return;  // clang reports the next function first
    CHECK(compiled.failure.headline.find("expected a \"}\"") != std::string::npos);
    CHECK(compiled.failure.place.line == 6);
}

TEST_CASE("configure may return integers of any type, or dim3") {
    for (const char* launch : {
             "{.grid = {cols / 32, rows / 8}, .block = {32, 8}}",
             "{.grid = cols, .block = 256}",
             "{.grid = dim3(cols, rows), .block = dim3(32)}",
             "{.grid = {1u, 2ull, 3}, .block = {32}, .shared_bytes = sizeof(float) * rows}",
             "{.grid = {ceil_div(cols, 32)}, .block = {32}, .shared_bytes = rows * 4}",
             "{}",
         }) {
        CAPTURE(launch);
        const Compiled compiled = compile_text(launch_with(launch), Compiler::any);
        INFO(terminal_text(compiled.failure));
        CHECK(compiled.is_ok());
    }
}

TEST_CASE("warnings are recorded, but the compilation still succeeds") {
    const Compiled compiled = compile_text(
        "__global__ void transpose(float* out, const float* in, int rows, int cols) {\n"
        "    int unused = 1;\n}\n" +
        configure_text);
    REQUIRE(compiled.is_ok());
    REQUIRE(!compiled.messages.empty());
    CHECK(compiled.messages[0].severity == Severity::warning);
    CHECK(compiled.messages[0].place.line == 2);
}

TEST_CASE("a file may end in a backslash, or begin with a byte order mark") {
    CHECK(compile_text("\xEF\xBB\xBF" + kernel_text + configure_text + "// end \\").is_ok());
}

TEST_CASE("a kernel may include headers of the toolkit") {
    const Compiled compiled = compile_text(
        "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n" + kernel_text + configure_text,
        Compiler::nvrtc);
    if (describe_compiler(Compiler::nvrtc).empty()) return;
    INFO(terminal_text(compiled.failure));
    CHECK(compiled.is_ok());
}

TEST_CASE("a kernel cannot include files beside its source or in the working folder") {
    const ScratchFolder folder;
    folder.file("mine.h", "#define MINE 1\n");
    const auto file =
        folder.file("kernel.cu", "#include \"mine.h\"\n" + kernel_text + configure_text);
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    for (const Compiler compiler : compilers()) {
        const Compiled compiled = compile(read_source(file), {.compiler = compiler});
        CAPTURE(compiled.compiler);
        CHECK(compiled.failure.kind == FailureKind::does_not_compile);
        CHECK(compiled.failure.headline.find("mine.h") != std::string::npos);
    }
    std::filesystem::current_path(before);
}

TEST_CASE("a kernel with a different name can be requested") {
    std::string text = kernel_text + configure_text;
    text.replace(text.find("transpose"), 9, "copy");
    const Compiled compiled = compile(make_source(text, "kernel.cu"), {.kernel = "copy"});
    CHECK(compiled.entry == "_Z4copyPfPKfii");
}

TEST_CASE("a compiler that takes too long is killed") {
    if (describe_compiler(Compiler::nvcc).empty()) return;
    const Compiled compiled = compile(good(), {.compiler = Compiler::nvcc, .seconds = 0});
    CHECK(compiled.failure.kind == FailureKind::compile_time_out);
}

TEST_CASE("a missing compiler is reported as a problem with the computer, not the kernel") {
    if (!describe_compiler(Compiler::clang).empty()) {
        const std::string path = std::getenv("PATH");
        setenv("PATH", "/nowhere", 1);
        const Compiled compiled = compile(good(), {.compiler = Compiler::clang});
        setenv("PATH", path.c_str(), 1);
        CHECK(compiled.failure.kind == FailureKind::no_compiler);
        CHECK(compiled.failure.advice.find("./learn") != std::string::npos);
    }
}

TEST_CASE("a sentence in a message ends with exactly one punctuation mark") {
    CHECK(end_sentence("did you mean '__syncthreads'?") == "did you mean '__syncthreads'?");
    CHECK(end_sentence("it is undefined") == "it is undefined.");
    CHECK(end_sentence("it ends.") == "it ends.");
}

// ---- through LLVM IR ----

TEST_CASE("the compiler's name shows whether the PTX was generated from clang's IR") {
    if (describe_compiler(Compiler::clang_ir).empty()) return;
    const Compiled compiled = compile(good(), {.compiler = Compiler::clang_ir});
    INFO(terminal_text(compiled.failure));
    CHECK(compiled.is_ok());
    CHECK(compiled.compiler.starts_with("clang "));
    CHECK(compiled.compiler.ends_with(", translated"));
    CHECK(compiled.entry == "_Z9transposePfPKfii");
}

TEST_CASE("a loop that searches for the end of a string is not replaced with a call to strlen") {
    if (describe_compiler(Compiler::clang_ir).empty()) return;
    const Compiled compiled = compile_text(
        "__global__ void transpose(float* out, const float* in, int rows, int cols) {\n"
        "    const char* text = reinterpret_cast<const char*>(in);\n"
        "    int length = 0;\n"
        "    while (text[length] != 0) ++length;\n"
        "    out[0] = static_cast<float>(length);\n"
        "}\n" +
            configure_text,
        Compiler::clang_ir);
    INFO(terminal_text(compiled.failure));
    CHECK(compiled.is_ok());
    CHECK(compiled.ptx.find("call") == std::string::npos);
}

TEST_CASE("clang gives the same messages whether it generates IR or PTX") {
    const std::string clang = describe_compiler(Compiler::clang);
    const std::string with_ir = describe_compiler(Compiler::clang_ir);
    const auto version = [](const std::string& found) {
        return found.substr(0, found.find_first_of(",("));
    };
    if (with_ir.empty() || version(clang).find(version(with_ir)) == std::string::npos) return;
    for (const std::string& text :
         {"__global__ void transpose(float* out) { int unused; out[0] = x; }\n" + configure_text,
          kernel_text + "Launch configure() { return {}; }\n",
          "#include <nowhere.h>\n" + kernel_text + configure_text,
          kernel_text + configure_text + "__device__ void f() { throw 1; }\n"}) {
        const Compiled one = compile_text(text, Compiler::clang);
        const Compiled other = compile_text(text, Compiler::clang_ir);
        CAPTURE(text);
        CHECK(!other.is_ok());
        CHECK(terminal_text(one.failure) == terminal_text(other.failure));
        REQUIRE(one.messages.size() == other.messages.size());
        for (std::size_t i = 0; i < one.messages.size(); ++i) {
            CHECK(one.messages[i].text == other.messages[i].text);
            CHECK(one.messages[i].place == other.messages[i].place);
        }
    }
}

TEST_CASE("IR that the translator does not support is not reported as a mistake in the C++ code") {
    const RawOutput raw{.is_good = true,
                        .ir = "define void @k() {\n  %1 = frobnicate i32 0\n  ret void\n}\n"};
    const Compiled compiled =
        finish_compilation(good(), "transpose", "clang 22.1.8, translated", raw);
    CHECK(compiled.failure.kind == FailureKind::not_translated);
    CHECK(compiled.failure.place.file == "exercises/kernel.cu");
    CHECK(compiled.failure.details.find("frobnicate") != std::string::npos);
    CHECK(compiled.ptx.empty());
}

TEST_CASE("clang does not generate IR if its version is too old or too new") {
    const ScratchFolder folder;
    const std::filesystem::path clang = folder.path() / "clang";
    for (const char* version : {"16.0.6", "23.1.0"}) {
        std::ofstream(clang) << "#!/bin/sh\necho " << version << "\n";
        std::filesystem::permissions(clang, std::filesystem::perms::owner_all);
        setenv("COALESCE_CLANG", clang.c_str(), 1);
        setenv("COALESCE_COMPILER", "clang_ir", 1);
        const Compiled compiled = compile(good(), {});
        unsetenv("COALESCE_COMPILER");
        unsetenv("COALESCE_CLANG");
        CHECK(compiled.failure.kind == FailureKind::no_compiler);
        CHECK(compiled.failure.advice.find("clang-19") != std::string::npos);
    }
}

// ---- the cache ----

namespace {

std::filesystem::path only_file_in(const std::filesystem::path& folder) {
    std::filesystem::path found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        CHECK(found.empty());
        found = entry.path();
    }
    return found;
}

std::string content_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("compiled kernels are cached by content, regardless of the file's name") {
    const ScratchFolder folder;
    const CompileOptions options{.cache = folder.path() / "cache"};
    const std::string text = "// \xff is no UTF-8\n" + kernel_text + configure_text;
    const Compiled first = compile(make_source(text, "a.cu"), options);
    const Compiled again = compile(make_source(text, "b.cu"), options);
    REQUIRE(first.is_ok());
    CHECK_FALSE(first.is_from_cache);
    CHECK(again.is_from_cache);
    CHECK(again.ptx == first.ptx);
    CHECK(again.entry == first.entry);
    CHECK(again.compiler == first.compiler);
    CHECK_FALSE(compile(make_source(text + "\n", "a.cu"), options).is_from_cache);
}

TEST_CASE("a damaged cache entry is ignored and replaced") {
    const ScratchFolder folder;
    const CompileOptions options{.cache = folder.path()};
    REQUIRE(compile(good(), options).is_ok());
    const auto file = only_file_in(folder.path());
    const std::string whole = content_of(file);
    std::string changed = whole;
    changed[whole.size() / 2] ^= 1;
    for (const std::string& damaged : {std::string(), std::string("x"), whole.substr(0, 40),
                                       whole.substr(0, whole.size() - 1), whole + "x", changed}) {
        std::ofstream(file, std::ios::binary) << damaged;
        const Compiled compiled = compile(good(), options);
        CHECK(compiled.is_ok());
        CHECK_FALSE(compiled.is_from_cache);
        CHECK(content_of(file) == whole);
    }
    CHECK(compile(good(), options).is_from_cache);
}

TEST_CASE("a cache entry with the same name but a different key is ignored") {
    const ScratchFolder folder;
    const CompileOptions options{.cache = folder.path()};
    REQUIRE(compile(good(), options).is_ok());
    const auto file = only_file_in(folder.path());
    const Source other = make_source(kernel_text + configure_text + "// other\n", "kernel.cu");
    REQUIRE(compile(other, options).is_ok());
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        if (entry.path() != file) {
            std::filesystem::copy_file(file, entry.path(),
                                       std::filesystem::copy_options::overwrite_existing);
        }
    }
    CHECK_FALSE(compile(other, options).is_from_cache);
}

TEST_CASE("a cache that cannot be written does not cause an error") {
    const ScratchFolder folder;
    const auto file = folder.file("not_a_folder", "x");
    CHECK(compile(good(), {.cache = file}).is_ok());
}

TEST_CASE("a cache has a size limit, and removes its oldest entries first") {
    const ScratchFolder folder;
    folder.file("not_ours", "x");
    const Cache cache(folder.path());
    for (int i = 0; i < 600; ++i) cache.save_cached("ptx", std::to_string(i), "value");
    const auto count = std::distance(std::filesystem::directory_iterator(folder.path()),
                                     std::filesystem::directory_iterator());
    CHECK(count <= 1 + static_cast<std::ptrdiff_t>(Cache::kMaxEntries));
    CHECK(cache.find("ptx", "599") == "value");
    CHECK_FALSE(cache.find("ptx", "0").has_value());
    CHECK(std::filesystem::exists(folder.path() / "not_ours"));
}

TEST_CASE("errors are not cached") {
    const ScratchFolder folder;
    const Source source = make_source("nonsense\n", "kernel.cu");
    CHECK_FALSE(compile(source, {.cache = folder.path()}).is_ok());
    CHECK(std::filesystem::is_empty(folder.path()));
}

// ---- what compilers print ----

TEST_CASE("messages in the formats of all three compilers are parsed") {
    const std::string source = "int a;\n    b = 1;\n";
    const auto nvidia = read_messages(
        "/learner/kernel.cu(2): error: identifier \"b\" is undefined\n"
        "      b = 1;\n"
        "      ^\n"
        "\n"
        "1 error detected in the compilation of \"x\".\n",
        source, "kernel.cu");
    REQUIRE(nvidia.messages.size() == 1);
    CHECK(nvidia.messages[0].place == Place{"kernel.cu", 2, 5});
    const auto numbered = read_messages(
        "/learner/kernel.cu(1): warning #177-D: variable \"a\" was declared but never referenced\n",
        source, "kernel.cu");
    REQUIRE(numbered.messages.size() == 1);
    CHECK(numbered.messages[0].severity == Severity::warning);
    const auto clang = read_messages(
        "/learner/kernel.cu:2:5: error: use of undeclared identifier 'b'\n", source, "kernel.cu");
    REQUIRE(clang.messages.size() == 1);
    CHECK(clang.messages[0].place == Place{"kernel.cu", 2, 5});
    CHECK(clang.messages[0].to_string_with_caret(source) ==
          "kernel.cu:2: error: use of undeclared identifier 'b'\n"
          "        b = 1;\n"
          "        ^\n");
}

TEST_CASE("a long list of errors is truncated, and so is a very long message") {
    std::string flood;
    for (int i = 0; i < 10000; ++i) {
        flood += "/learner/kernel.cu(1): error: number " + std::to_string(i) + "\n";
    }
    CHECK(read_messages(flood, "int a;\n", "kernel.cu").messages.size() <= 30);
    const std::string endless = "/learner/kernel.cu(1): error: " + std::string(1 << 20, 'x') + "\n";
    const auto found = read_messages(endless, "int a;\n", "kernel.cu");
    REQUIRE(found.messages.size() == 1);
    CHECK(found.messages[0].text.size() <= 1000);
}

TEST_CASE("NVRTC finds its built-in functions in a toolkit outside the system's folders") {
    const RawOutput compiled = run_nvrtc(PRETENDED_NVRTC, kernel_text, "sm_90");
    CHECK(compiled.ptx.find("// compiled") == 0);
}

TEST_CASE("every compiler accepts alignas after __shared__") {
    const auto by_clang = [](const std::string& text) {
        const std::string all = wrap_source(text, Dialect::bare_clang);
        CHECK(all.size() == wrap_source(std::string(text.size(), ' '), Dialect::bare_clang).size());
        return all;
    };
    CHECK(by_clang("__shared__ alignas(16) float a[4];")
              .find("\nalignas(16) __shared__ float a[4];") != std::string::npos);
    CHECK(by_clang("extern __shared__\nalignas(alignof(int)) char b[];")
              .find("\nalignas(alignof(int))\nextern __shared__ char b[];") != std::string::npos);
    for (const std::string text : {"__shared__ float a;", "__shared__ alignas",
                                   "__shared__ alignas(", "__shared__ alignas 4", "__shared__"})
        CHECK(by_clang(text).find("\n" + text + "\n") != std::string::npos);
}
