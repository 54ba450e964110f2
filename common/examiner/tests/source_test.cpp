// Tests that files that are not source code are rejected, and tests the rules for includes.
#include "examiner/source.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>

#include "harness/text.h"
#include "scratch_folder.h"

using namespace coalesce;
using namespace coalesce::tests;

namespace {

FailureKind kind_of(const std::filesystem::path& file) {
    const Source source = read_source(file);
    // Each message must name the file and say what to do.
    if (!source.is_good()) {
        CHECK(source.problem.place.file == file.string());
        CHECK(!source.problem.headline.empty());
        CHECK(!source.problem.advice.empty());
    }
    return source.problem.kind;
}

FailureKind kind_of_text(const std::string& text) {
    return make_source(text, "kernel.cu").problem.kind;
}

}  // namespace

TEST_CASE("a path that is not a file is reported, with the reason") {
    const ScratchFolder folder;
    CHECK(kind_of(folder.path() / "nothing.cu") == FailureKind::file_missing);
    CHECK(kind_of(folder.path() / "no" / "such" / "folder.cu") == FailureKind::file_missing);
    CHECK(kind_of(folder.path()) == FailureKind::file_unreadable);
    CHECK(kind_of(folder.file("empty.cu", "")) == FailureKind::file_empty);
    CHECK(kind_of(folder.file("blank.cu", " \n\t\r\n")) == FailureKind::file_empty);
    CHECK(kind_of(folder.file("large.cu", std::string(kLargestSource + 1, ' '))) ==
          FailureKind::file_too_large);
    CHECK(kind_of(folder.file("zero.cu", std::string("int a;\0int b;", 13))) ==
          FailureKind::file_binary);
    CHECK(kind_of(folder.file("elf.cu",
                              "\x7f"
                              "ELF\x02\x01\x01")) == FailureKind::file_binary);
    CHECK(kind_of(folder.file("good.cu", "int a;\r\n\t// \xc3\xa4\xff\n")) == FailureKind::none);
    CHECK(kind_of("/dev/zero") == FailureKind::file_unreadable);
}

TEST_CASE("reading a pipe does not wait for a writer") {
    const ScratchFolder folder;
    const auto pipe = folder.path() / "pipe.cu";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(kind_of(pipe) == FailureKind::file_unreadable);
}

TEST_CASE("a file with bytes that are not text is reported, with the line of the first such byte") {
    const Source source = make_source("int a;\nint b;\n\x01", "kernel.cu");
    CHECK(source.problem.place.text() == "kernel.cu:3");
}

TEST_CASE("headers of the toolkit may be included, but other files may not") {
    CHECK(kind_of_text("#include <cuda_fp16.h>\n") == FailureKind::none);
    CHECK(kind_of_text("#include <cuda/barrier>\n") == FailureKind::none);
    CHECK(kind_of_text("  #  include \"cuda_fp16.h\"\n") == FailureKind::none);
    CHECK(kind_of_text("// never #include \"/etc/passwd\"\n") == FailureKind::none);
    CHECK(kind_of_text("/* as in\n#include \"../x.h\"\n*/ int a;\n") == FailureKind::none);
    CHECK(kind_of_text("int a; /*\n#include \"../x.h\"\n*/\n") == FailureKind::none);
    CHECK(kind_of_text("#define include 3\n#pragma unroll\n") == FailureKind::none);
    for (const char* text : {
             "#include \"/etc/passwd\"\n",
             "#include </dev/zero>\n",
             "#include \"../../solutions/02_naive/kernel.cu\"\n",
             "#include <cuda/../../secret.h>\n",
             "#include \"~/secret.h\"\n",
             "#define NAME </etc/passwd>\n#include NAME\n",
             "  # \t include\t</etc/passwd>\n",
             "%:include </etc/passwd>\n",
             "#/* */include </etc/passwd>\n",
             "/* */ #include </etc/passwd>\n",
             "int a; /*\n*/#include </etc/passwd>\n",
             "#/*\n*/include </etc/passwd>\n",
             "#inc\\\nlude </etc/passwd>\n",
             "#inc\\ \nlude </etc/passwd>\n",
             "#\\\r\ninclude </etc/passwd>\n",
             "int a;\r#include </etc/passwd>\n",
             "#include_next </etc/passwd>\n",
             "#import </etc/passwd>\n",
             "#embed \"/etc/passwd\"\n",
             "#if __has_include(\"/etc/passwd\")\n#endif\n",
             "#include\n",
             "/*\n# x */ #include </etc/passwd>\n",
             "/* a */ # x /* b */ #include </etc/passwd>\n",
             "/*/ # x */#include </etc/passwd>\n",
             "/* a\n*/\n#include </etc/passwd>\n/* b */\n",
             // Some compilers do not treat these lines as part of a comment.
             "const char* a = \"/*\";\n#include </etc/passwd>\n/* */\n",
             "#if 0\n1'0 ' /*\n#endif\n#include </etc/passwd>\n/* */\n",
             "auto a = R\"(\n/*\n)\";\n#include </etc/passwd>\n/* */\n",
             "// a \r/*\n#include </etc/passwd>\n/* */\n",
             "#if 0\n/\\ \n*\n#endif\n#include </etc/passwd>\n/* */\n",
             "#if 0\n\?\?/\n/*\n#endif\n#include </etc/passwd>\n/* */\n",
             "// a /*\n#include </etc/passwd>\n/* */\n",
             "#error /*\n#include </etc/passwd>\n/* */\n",
         }) {
        CAPTURE(text);
        CHECK(kind_of_text(text) == FailureKind::include_refused);
    }
}

TEST_CASE("a condition may not use __has_include, even if its name is assembled with ##") {
    const std::string paste = "#define PASTE(a, b) a##b\n";
    CHECK(kind_of_text(paste + "int PASTE(a, b);\n#if defined(X)\n#endif\n") == FailureKind::none);
    CHECK(kind_of_text("#define __half_sum 1\n#if __half_sum\n#endif\n") == FailureKind::none);
    for (const std::string text : {
             "#if PASTE(__has_, include)(\"/etc/passwd\")\n#endif\n",
             "#define ASK PASTE(_, _has_include)(\"/etc/passwd\")\n#if 0\n#elif ASK\n#endif\n",
             "#define B A\n#define A PASTE(x, y)\n#if B\n#endif\n",
             "#define __CUDA_SOMETHING PASTE(__has_, include)(\"/etc/passwd\")\n",
         }) {
        CAPTURE(text);
        CHECK(kind_of_text(paste + text) == FailureKind::include_refused);
        CHECK(kind_of_text("%:define PASTE(a, b) a %:%: b\n" + text) ==
              FailureKind::include_refused);
    }
}

TEST_CASE("the time to check a line is linear in its length, even if it consists of comments") {
    for (const std::string comment : {"/**/", "*/", "/*", "/*/", "*/#", "#/*", "\\\n", "*/#a"}) {
        std::string text;
        while (text.size() + comment.size() < kLargestSource) text += comment;
        CAPTURE(comment);
        const auto begin = std::chrono::steady_clock::now();
        CHECK(kind_of_text(text) != FailureKind::file_too_large);
        // This takes about 20 ms. An earlier algorithm, which was quadratic, took minutes.
        CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(3));
    }
}

TEST_CASE("a carriage return alone ends a line") {
    const Source source = make_source("int a;\r// b\rint c;\r", "kernel.cu");
    CHECK(source.is_good());
    CHECK(source.text == "int a;\n// b\nint c;\n");
    CHECK(make_source("int a;\r\nint b;\r", "kernel.cu").text == "int a;\r\nint b;\r");
}

TEST_CASE("the line of a rejected include is reported") {
    const Source source =
        make_source("int a;\n// \\\n joined\n#include \"/etc/passwd\"\n", "kernel.cu");
    CHECK(source.problem.place.text() == "kernel.cu:4");
}
