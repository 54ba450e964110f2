// Tests the functions that find the line of a mistake in a kernel's source. They must find nothing
// in correct code.
#include "examiner/source_lines.h"

#include <doctest/doctest.h>

using namespace coalesce;

TEST_CASE("a cast of a value to a vector type is reported, but a cast of an address is not") {
    const std::string head = "void k(float* out, const float* __restrict__ in) {\n";
    for (const char* cast :
         {"(float2)in[i]", "( float4 ) in [i]", "static_cast<float4>(in[i])", "float2(in[i])"}) {
        CAPTURE(cast);
        const Declaration found = find_cast_of_value(head + "auto v =\n" + cast + ";");
        CHECK(found.line == 3);
        CHECK(found.name.starts_with("float"));
    }
    CHECK(find_cast_of_value(head + "auto v = *(float2*)&in[i];").line == 0);
    CHECK(find_cast_of_value(head + "auto v = reinterpret_cast<const float2&>(in[i]);").line == 0);
    CHECK(find_cast_of_value(head + "// (float2)in[i]").line == 0);
    CHECK(find_cast_of_value("void k(const float2* in) { auto v = (float2)in[i]; }").line == 0);
}

TEST_CASE("a component of a vector that is never set is reported") {
    const auto lost = [](const std::string& body) {
        return find_component_never_set("{\n float4 a, v;\n" + body + "}\n{ v.w = 1; }").name;
    };
    CHECK(lost("v.x = 1; v.y = 2; v.z = 3; out[i] = v;") == "v.w");
    CHECK(lost("v.x = 1; v.z = v.y; v.w = 3; out[i] = v;") == "v.y");
    CHECK(lost("a.x = 1; a.z = 2; a.w = 3; f(a);") == "a.y");
    CHECK(lost("v.x = 1; v.y = 2; v.z = 3; v.w = 4; out[i] = v;").empty());
    // In these bodies, all components may be set, or the vector is never used as a whole.
    CHECK(lost("v = in[i]; v.x = 1; out[i] = v;").empty());
    CHECK(lost("load(&v); v.x = 1; out[i] = v;").empty());
    CHECK(lost("v.x = 1; out[i] = v.x;").empty());
    CHECK(find_component_never_set("float2 v;\nv.x = 1;\nout[i] = v;").name == "v.y");
    CHECK(find_component_never_set("float2 v;\nv.x = 1; v.y = 1;\nout[i] = v;").line == 0);
}

TEST_CASE("the line that repeats a component of a vector is reported") {
    const std::string x = "t[0] = v.x;\n", y = "t[1] = v.y;\n", z = "t[2] = v.z;\n";
    CHECK(find_line_with_repeated_component(x + y + z) == 0);
    CHECK(find_line_with_repeated_component(x + y + "t[2] = v.y;\nt[3] = v.w;") == 3);
    CHECK(find_line_with_repeated_component("t[0] = v.y;\n" + y) == 1);
    CHECK(find_line_with_repeated_component("v.x = t[0];\nv.y = t[0];\n") == 2);
    // Lines must not be reported if they are not adjacent, or if their values are not components of
    // a vector.
    CHECK(find_line_with_repeated_component(x + "\n" + x) == 0);
    CHECK(find_line_with_repeated_component("a = t[0];\nb = t[0];") == 0);
}

TEST_CASE("for a line with only braces, the line of the statement before it is returned") {
    const std::string text = "a = 1;\n{\n  b = 2;\n  }\n} // end\n";
    CHECK(find_statement_line(text, 1) == 1);
    CHECK(find_statement_line(text, 3) == 3);
    CHECK(find_statement_line(text, 5) == 3);
    CHECK(find_statement_line(text, 0) == 0);
}

TEST_CASE("a dynamic shared array is recognized") {
    CHECK(has_dynamic_array("extern __shared__ float tile[];"));
    CHECK_FALSE(has_dynamic_array("__shared__ float tile[32]; // extern __shared__"));
}

TEST_CASE("text far longer than a kernel is searched quickly") {
    const std::string blanks(1 << 20, ' '), word(1 << 20, 'a'), lines(1 << 20, '\n');
    for (const std::string& filler : {blanks, word, lines}) {
        const std::string text = "float4 v;\nfloat " + filler + " tile" + filler +
                                 "; v.x = 1; (float2)" + filler + "[0]; f(v);\n__syncthreads();" +
                                 "extern " + filler + " __global__ " + filler;
        CHECK(find_cast_of_value(text).line == 0);
        CHECK(find_unshared_array(text).line == 0);
        CHECK(find_component_never_set(text).line == 0);
        CHECK(find_line_with_repeated_component(text) == 0);
        CHECK(find_kernel_line(text, "") == 0);
        CHECK_FALSE(has_dynamic_array(text));
    }
}

TEST_CASE("an early return of the blocks on the diagonal is recognized") {
    CHECK(find_line_leaving_diagonal("\nif (blockIdx.y >= blockIdx.x) return;") == 2);
    CHECK(find_line_leaving_diagonal("if (blockIdx.x == blockIdx.y) {\n    return;\n}") == 1);
    CHECK(find_line_leaving_diagonal("if (blockIdx.y > blockIdx.x) return;") == 0);
    CHECK(find_line_leaving_diagonal("if (row >= side) return;") == 0);
    CHECK(find_line_leaving_diagonal("// if (blockIdx.y >= blockIdx.x) return;") == 0);
}

TEST_CASE(
    "a line that indexes an array with a different row length from all other lines is reported") {
    const std::string usual = "a = data[row * side + col];\nb = data[(col + 1) * side + row];\n";
    const OddPitch odd = find_odd_pitch(usual + "data[row * TILE + col] = b;", "data");
    CHECK(odd.line == 3);
    CHECK(odd.pitch == "TILE");
    CHECK(odd.usual_pitch == "side");
    CHECK(find_odd_pitch(usual, "data").line == 0);
    // If there are only two lines, with different pitches, neither of them is the exception.
    CHECK(find_odd_pitch("a = data[row * side + col];\ndata[row * TILE + col] = a;", "data").line ==
          0);
    CHECK(find_odd_pitch(usual + "other[row * TILE + col] = b;", "data").line == 0);
}

TEST_CASE("a line that adds an offset to a pointer is recognized") {
    CHECK(find_pointer_advance_line("float a = in[3];\nin += blockIdx.z;", "in") == 2);
    CHECK(find_pointer_advance_line("const float* one = in + 64;", "in") == 1);
    CHECK(find_pointer_advance_line("int main_ = min + 1;", "in") == 0);
}

TEST_CASE("a PTX instruction in a function is attributed to the line that calls the function") {
    const std::string word =
        "__device__ void fetch(float* to, const float* from) {\n"
        "    asm volatile(\n"
        "        \"cp.async.bulk [%0], [%1], 16;\" ::\"r\"(address(to)),\n"
        "        \"l\"(from) : \"memory\");\n"
        "    count();\n"
        "}\n"
        "__global__ void kernel(float* out) {\n"
        "    asm volatile(\"membar.gl;\");\n";
    const std::string called = word + "    fetch(tile, in);\n}\n";
    for (const int line : {2, 3, 4}) CHECK(find_caller_of_asm(called, line) == 9);
    // A line is returned unchanged if it is another statement of the function, if it is in the
    // kernel, or if the function has two callers.
    CHECK(find_caller_of_asm(called, 5) == 5);
    CHECK(find_caller_of_asm(called, 8) == 8);
    CHECK(find_caller_of_asm(word + "    fetch(a, b);\n    fetch(c, d);\n}\n", 3) == 3);
    CHECK(find_caller_of_asm(word + "}\n", 3) == 3);
    CHECK(find_caller_of_asm(called, 0) == 0);
}

TEST_CASE("a loop in a macro's definition is no loop of the text") {
    CHECK(find_loops("#define FOR(i) for (int i = 0; i < 4; ++i)\n__syncthreads();\n").empty());
    CHECK(find_loops("  # define FOR(i) \\\n    for (int i = 0; i < 4; ++i)\nf();\n").empty());
    CHECK(find_loops("#pragma unroll\nfor (int i = 0; i < 4; ++i) f(i);\n").size() == 1);
}

TEST_CASE("the counter and the step of a loop are parsed") {
    const auto only_loop = [](const std::string& text) {
        const std::vector<Loop> loops = find_loops(text);
        REQUIRE(loops.size() == 1);
        return loops.front();
    };
    const Loop counting = only_loop("for (int k = f(0); k < n; k += f(BLOCK_ROWS)) a[k] = k;");
    CHECK(counting.counter == "k");
    CHECK(counting.step == "k += f(BLOCK_ROWS)");
    CHECK(only_loop("for (k = 0; k < 4;) ++k;").counter.empty());
    CHECK(only_loop("for (k = 0; k < 4;) ++k;").step == "");
    CHECK(only_loop("for (p->k = 0; p->k < 4; ++p->k) {}").counter.empty());
    CHECK(only_loop("for (; k < 4; k = k + 1) {}").counter.empty());
    CHECK_FALSE(only_loop("for (int one : all) {}").step);
    CHECK_FALSE(only_loop("while (k < 4) {}").step);
}
