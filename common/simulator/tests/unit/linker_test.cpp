// Tests how files are linked: which definition is used, which names stay separate, and which source
// line each instruction has.
#include "simulator/ptx/linker.h"

#include <doctest/doctest.h>

#include "base/kernel_name.h"
#include "simulator/ptx/parser.h"

using coalesce::kernel_name;
using namespace coalesce::simulator;
using namespace coalesce::simulator::ptx;

namespace {

const std::string kFileHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";

std::unique_ptr<Module> link_texts(const std::vector<std::string>& texts) {
    std::vector<std::unique_ptr<Module>> modules;
    for (const std::string& text : texts) modules.push_back(parse(kFileHeader + text));
    return ptx::link(std::move(modules));
}

std::string problem_with(const std::vector<std::string>& texts) {
    try {
        link_texts(texts);
    } catch (const LinkError& error) {
        return error.what();
    }
    return "(linked)";
}

/// Returns the last operand of the function's first instruction. This operand must be a symbol.
std::string symbol_in(const Module& module, const std::string& function) {
    return module.functions.at(function)->body.at(0).operands.back().name;
}

/// Returns the PTX of a function that takes the address of `symbol`.
std::string address_function(const std::string& name, const std::string& symbol,
                             const std::string& linkage = ".visible") {
    return linkage + " .func " + name + "()\n{\n.reg .b64 %r;\nmov.u64 %r, " + symbol +
           ";\nret;\n}\n";
}

}  // namespace

TEST_CASE("a declaration refers to another file's definition, whichever file comes first") {
    const std::string declares = ".extern .global .u32 x;\n.extern .func f();\n";
    const std::string defines = ".visible .global .u32 x = 7;\n" + address_function("f", "x");
    for (const auto& texts : {std::vector{declares, defines}, std::vector{defines, declares}}) {
        const auto module = link_texts(texts);
        CHECK(module->variables.at("x").initial_bytes.at(0) == 7);
        CHECK_FALSE(module->variables.at("x").is_extern);
        CHECK(module->functions.at("f")->has_body);
        CHECK(symbol_in(*module, "f") == "x");
    }
}

TEST_CASE("a name that no file defines remains a declaration") {
    const auto module = link_texts({".extern .global .u32 x;\n", ".extern .func f();\n"});
    CHECK(module->variables.at("x").is_extern);
    CHECK_FALSE(module->functions.at("f")->has_body);
}

TEST_CASE("two definitions of a visible name are rejected") {
    CHECK(problem_with({".visible .global .u32 x;\n", ".visible .global .u32 x;\n"}) ==
          "two files define the variable 'x': declare it extern in one of the files");
    CHECK(problem_with({address_function("f", "f"), address_function("f", "f")}) ==
          "two files define the function 'f': declare it extern in one of the files");
    CHECK(problem_with({address_function("f", "f"), address_function("f", "f", "")}) == "(linked)");
}

TEST_CASE("the first weak definition is used if there is no visible one") {
    const std::string weak_a = ".weak .global .u32 a;\n" + address_function("f", "a", ".weak");
    const std::string weak_b = ".weak .global .u32 b;\n" + address_function("f", "b", ".weak");
    const std::string strong = ".visible .global .u32 c;\n" + address_function("f", "c");
    CHECK(symbol_in(*link_texts({weak_a, weak_b}), "f") == "a");
    CHECK(symbol_in(*link_texts({weak_a, strong}), "f") == "c");
    CHECK(symbol_in(*link_texts({strong, weak_b}), "f") == "c");
}

TEST_CASE("the largest of several common variables is used") {
    const auto module = link_texts({".common .global .align 4 .b8 x[4];\n",
                                    ".common .global .align 16 .b8 x[64];\n",
                                    ".common .global .align 4 .b8 x[8];\n"});
    CHECK(module->variables.at("x").size == 64);
    CHECK(module->variables.at("x").align == 16);
}

TEST_CASE("local names of two files remain separate") {
    const std::string first = ".global .u32 x = 1;\n.visible .global .u64 to_x = x;\n" +
                              address_function("helper", "x", "") + address_function("f", "helper");
    const std::string second = ".global .u32 x = 2;\n" + address_function("helper", "x", "") +
                               address_function("g", "helper");
    const auto module = link_texts({first, second});
    const auto value_of = [&](const std::string& name) {
        return module->variables.at(symbol_in(*module, symbol_in(*module, name)))
            .initial_bytes.at(0);
    };
    CHECK(value_of("f") == 1);
    CHECK(value_of("g") == 2);
    const std::string pointee = module->variables.at("to_x").relocations.at(0).symbol;
    CHECK(module->variables.at(pointee).initial_bytes.at(0) == 1);
    for (const auto& [name, function] : module->functions) CHECK(function->name == name);
    for (const auto& [name, variable] : module->variables) CHECK(variable.name == name);
}

TEST_CASE("a local definition does not resolve a declaration in another file") {
    const auto module = link_texts({".global .u32 x = 1;\n" + address_function("f", "x"),
                                    ".extern .global .u32 x;\n" + address_function("g", "x"),
                                    ".visible .global .u32 x = 3;\n"});
    CHECK(module->variables.at(symbol_in(*module, "f")).initial_bytes.at(0) == 1);
    CHECK(module->variables.at(symbol_in(*module, "g")).initial_bytes.at(0) == 3);
}

TEST_CASE("a function's variable hides a module's variable of the same name") {
    const auto module = link_texts(
        {".global .u32 x;\n.visible .func f()\n{\n.local .b32 x;\n.reg .b64 %r;\nmov.u64 %r, "
         "x;\nret;\n}\n",
         ".global .u32 x;\n"});
    CHECK(symbol_in(*module, "f") == "x");
    CHECK(module->functions.at("f")->variables.contains("x"));
}

TEST_CASE("an instruction's position refers to its own PTX text and source file") {
    const auto file = [](const char* number, const char* name, const char* function) {
        return std::string(".file ") + number + " \"" + name + "\"\n.visible .func " + function +
               "()\n{\n.loc " + number + " 12 3\nret;\n}\n";
    };
    const auto module =
        link_texts({file("1", "a.cu", "f"), file("1", "b.cu", "g"), file("2", "a.cu", "h")});
    const auto place = [&](const char* function) {
        const Instruction& i = module->functions.at(function)->body.at(0);
        CHECK(module->find_text(i) == "ret");
        CHECK(i.where.line == 12);
        return module->files.at(i.where.file);
    };
    CHECK(place("f") == "a.cu");
    CHECK(place("g") == "b.cu");
    CHECK(place("h") == "a.cu");
    CHECK(module->files.size() == 2);
}

TEST_CASE("nvcc's prefix is removed from the names of static kernels") {
    CHECK(kernel_name("__nv_static_24__a5f5c4f6_4_c_cu_pointer__Z6kernelPi") == "kernel");
    CHECK(kernel_name("__nv_static_24__a5f5c4f6_4_c_cu_pointer_plain") == "plain");
    CHECK(kernel_name("_Z6kernelPi") == "kernel");
    // These names have no valid file prefix, so the linker does not change them.
    for (const std::string name : {"__nv_static_99__a5f5c4f6_x", "__nv_static_", "__nv_static_4"})
        CHECK(kernel_name(name) == name);
}
