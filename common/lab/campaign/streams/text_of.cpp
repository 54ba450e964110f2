// Generates CUDA source from a plan. Start with `generate_source` at the end of the file. Tests
// check the kernels' results against `Computation`.
#include <algorithm>

#include "base/text.h"
#include "harness/text.h"
#include "lab/campaign/streams/plan.h"

namespace coalesce::timing {
namespace {

constexpr const char* kUnrollPragma = "#pragma unroll\n";

std::string element_type_of(int element) {
    switch (element) {
        case 1: return "unsigned char";
        case 2: return "unsigned short";
        case 4: return "unsigned";
        case 8: return "uint2";
        default: return "uint4";
    }
}

// ---- functions that work on one element ----

/// Replaces "WORD" in `expression` with each word of `value`, and combines the results.
std::string apply_to_words(int element, const std::string& expression) {
    const auto expression_for_word = [&](const std::string& word) {
        const std::size_t placeholder_position = expression.find("WORD");
        return expression.substr(0, placeholder_position) + word +
               expression.substr(placeholder_position + 4);
    };
    switch (element) {
        case 8:
            return "make_uint2(" + expression_for_word("value.x") + ", " +
                   expression_for_word("value.y") + ")";
        case 16:
            return "make_uint4(" + expression_for_word("value.x") + ", " +
                   expression_for_word("value.y") + ", " + expression_for_word("value.z") + ", " +
                   expression_for_word("value.w") + ")";
        default:
            return "static_cast<" + element_type_of(element) + ">(" + expression_for_word("value") +
                   ")";
    }
}

/// Returns the source code for the arithmetic on a word. expected.cpp executes the same arithmetic
/// on the host.
std::string arithmetic_function_code(const Computation& work) {
    std::string code = "__device__ unsigned stirred(unsigned word) {\n";
    if (work.arithmetic == Arithmetic::fma) code += "float number = __uint_as_float(word);\n";
    code +=
        kUnrollPragma + format("for (int step = 0; step < %d; ++step) {\n", work.arithmetic_steps);
    if (work.arithmetic == Arithmetic::fma) {
        code += "number = fmaf(number, -0.96875f, 3.0f);\n}\nreturn __float_as_uint(number);\n}\n";
    } else {
        code += "word ^= word >> 15;\nword *= 0x2c1b3c6du;\n}\nreturn word;\n}\n";
    }
    return code;
}

std::string helper_functions_code(const KernelPlan& plan) {
    const Computation& work = plan.work;
    const std::string type = element_type_of(work.element_bytes);
    std::string code;
    if (work.arithmetic != Arithmetic::none) {
        code += arithmetic_function_code(work) + "__device__ " + type + " worked(" + type +
                " value) {\nreturn " + apply_to_words(work.element_bytes, "stirred(WORD)") +
                ";\n}\n";
    }
    if (work.kind == MatrixOperation::sum) {
        const std::string sum = work.element_bytes == 16  ? "value.x + value.y + value.z + value.w"
                                : work.element_bytes == 8 ? "value.x + value.y"
                                                          : "value";
        code += "__device__ unsigned words_of(" + type + " value) {\nreturn " + sum + ";\n}\n";
    }
    if (work.kind == MatrixOperation::fill) {
        // The words of an element are not equal: word i is "cell" + i.
        const std::string constructor_code =
            work.element_bytes == 16  ? "make_uint4(cell, cell + 1, cell + 2, cell + 3)"
            : work.element_bytes == 8 ? "make_uint2(cell, cell + 1)"
                                      : "static_cast<" + type + ">(cell)";
        code += "__device__ " + type + " made(int row, int col) {\n" +
                "const unsigned cell = row * 0x9e3779b1u + col * 0x85ebca6bu;\nreturn " +
                constructor_code + ";\n}\n";
    }
    return code;
}

std::string arithmetic_code(const KernelPlan& plan, const std::string& value) {
    return plan.work.arithmetic == Arithmetic::none ? value : "worked(" + value + ")";
}

/// Returns code that sets `hop` to the loaded value & `zero`, so that the address of the next load
/// depends on this load.
std::string dependency_code(const KernelPlan& plan, const std::string& value) {
    return "hop = " + value + (plan.work.element_bytes >= 8 ? ".x" : "") + " & zero;\n";
}

// ---- the order of tiles ----

std::string tile_origin_code(const KernelPlan& plan, const std::string& col,
                             const std::string& row) {
    return format("const int first_col = %s * %d;\nconst int first_row = %s * %d;\n", col.c_str(),
                  plan.tile_width, row.c_str(), plan.tile_height);
}

std::string tile_index_code(const KernelPlan& plan) {
    switch (plan.tile_order) {
        case TileOrder::rows: return tile_origin_code(plan, "(block % across)", "(block / across)");
        case TileOrder::columns: return tile_origin_code(plan, "(block / down)", "(block % down)");
        case TileOrder::bands: break;
    }
    return format("const int band = block / (across * %d);\n", plan.band_height_in_tiles) +
           format("const int high = min(%d, down - band * %d);\n", plan.band_height_in_tiles,
                  plan.band_height_in_tiles) +
           format("const int within = block - band * across * %d;\n", plan.band_height_in_tiles) +
           tile_origin_code(plan, "(within / high)",
                            format("(band * %d + within %% high)", plan.band_height_in_tiles));
}

/// Wraps `body` in code that executes it for the block's tile, or for each tile of a persistent
/// block.
std::string tile_loop_code(const KernelPlan& plan, const std::string& body) {
    if (plan.tile_order == TileOrder::rows && plan.persistent_blocks == 0) {
        return tile_origin_code(plan, "static_cast<int>(blockIdx.x)",
                                "static_cast<int>(blockIdx.y)") +
               body;
    }
    const std::string count =
        format("const int across = (cols + %d) / %d;\n", plan.tile_width - 1, plan.tile_width) +
        format("const int down = (rows + %d) / %d;\n", plan.tile_height - 1, plan.tile_height);
    if (plan.persistent_blocks == 0)
        return count + "const int block = blockIdx.x;\n" + tile_index_code(plan) + body;
    return count + "for (int block = blockIdx.x; block < across * down; block += gridDim.x) {\n" +
           tile_index_code(plan) + body + "}\n";
}

// ---- without shared memory ----

std::string element_loop_code(const KernelPlan& plan, const std::string& body,
                              bool is_unrolled = true) {
    return (is_unrolled ? kUnrollPragma : "#pragma unroll 1\n") +
           format("for (int k = 0; k < %d; ++k) {\n", plan.elements_per_thread()) + body + "}\n";
}

/// Returns an expression for the column of position p. Neighbouring lanes have neighbouring
/// positions.
std::string column_expression(const KernelPlan& plan, int stride) {
    const int column_group = plan.work.column_group, columns_per_pass = column_group / stride;
    const std::string p =
        stride == 1 ? "p"
                    : format("(p %% %d * %d + p / %d)", columns_per_pass, stride, columns_per_pass);
    return plan.work.fill_column_step == 1
               ? p
               : format("%s * %d", p.c_str(), plan.work.fill_column_step);
}

/// Returns code that computes the row and the columns of element k.
std::string element_position_code(const KernelPlan& plan) {
    std::string position_code =
        format("const int p = threadIdx.x + k %% %d * %d;\n", plan.elements_across,
               plan.threads_x) +
        format("const int q = threadIdx.y + k / %d * %d;\n", plan.elements_across, plan.threads_y);
    if (plan.reads_down_columns)
        return position_code + "const int row = first_row + p, col = first_col + q;\n";
    const Computation& work = plan.work;
    const bool reads_input = work.kind != MatrixOperation::fill;
    position_code += "const int row = first_row + q;\nconst int col = first_col + " +
                     column_expression(plan, reads_input ? work.read_stride : work.write_stride) +
                     ";\n";
    if (reads_input && work.write_stride != work.read_stride) {
        position_code +=
            "const int to_col = first_col + " + column_expression(plan, work.write_stride) + ";\n";
    }
    return position_code;
}

std::string bounds_check_code(const KernelPlan& plan, const std::string& statement) {
    return plan.has_only_whole_tiles ? statement : "if (row < rows && col < cols) " + statement;
}

std::string load_code(const KernelPlan& plan, const std::string& value) {
    const bool does_load_depend_on_previous = plan.load_order == LoadOrder::dependent;
    return bounds_check_code(plan, value + " = in[row * in_pitch + col" +
                                       (does_load_depend_on_previous ? " + hop" : "") + "];\n");
}

/// Returns code that stores a loaded element or adds it to the sum.
std::string store_code(const KernelPlan& plan, const std::string& value) {
    const std::string value_to_store = arithmetic_code(plan, value);
    const char* col = plan.work.write_stride != plan.work.read_stride ? "to_col" : "col";
    switch (plan.work.kind) {
        case MatrixOperation::copy:
            return bounds_check_code(
                plan, format("out[row * out_pitch + %s] = ", col) + value_to_store + ";\n");
        case MatrixOperation::transpose:
            return bounds_check_code(plan,
                                     "out[col * out_pitch + row] = " + value_to_store + ";\n");
        case MatrixOperation::fill:
            return bounds_check_code(plan, "out[row * out_pitch + col] = made(row, col);\n");
        case MatrixOperation::sum: break;
    }
    // The bounds check also covers the arithmetic, because the arithmetic would change the zero
    // that stands for an element outside the matrix.
    return bounds_check_code(plan, "sum += words_of(" + value_to_store + ");\n");
}

std::string body_without_tile_code(const KernelPlan& plan) {
    const std::string type = element_type_of(plan.work.element_bytes),
                      position_code = element_position_code(plan);
    if (plan.work.kind == MatrixOperation::fill)
        return element_loop_code(plan, position_code + store_code(plan, ""));
    if (plan.load_order == LoadOrder::batched) {
        return type + format(" value[%d] = {};\n", plan.elements_per_thread()) +
               element_loop_code(plan, position_code + load_code(plan, "value[k]")) +
               element_loop_code(plan, position_code + store_code(plan, "value[k]"));
    }
    std::string body = position_code + type + " value = {};\n" + load_code(plan, "value") +
                       store_code(plan, "value");
    if (plan.load_order == LoadOrder::barrier) body += "__syncthreads();\n";
    if (plan.load_order == LoadOrder::dependent) body += dependency_code(plan, "value");
    // Compilers do not move a load above a store that may alias it. A sum has no such stores, so
    // its loop must not be unrolled if the loads are to stay separate.
    const bool is_unrolled =
        plan.work.kind != MatrixOperation::sum || plan.load_order != LoadOrder::one_by_one;
    return (plan.load_order == LoadOrder::dependent ? "int hop = 0;\n" : "") +
           element_loop_code(plan, body, is_unrolled);
}

/// Returns code that adds up the sums of a block's threads and stores the result.
std::string block_reduction_code(const KernelPlan& plan) {
    const int threads = plan.threads();
    std::string code = format("const int t = threadIdx.y * %d + threadIdx.x;\n", plan.threads_x);
    std::string block_sum_code = "part[0]";
    if (plan.sums_by_tree) {
        int half = 16;
        while (half * 2 < threads) half *= 2;
        code +=
            format("__shared__ unsigned part[%d];\npart[t] = sum;\n__syncthreads();\n", threads) +
            format("for (int half = %d; half > 0; half /= 2) {\n", half) +
            format("if (t < half && t + half < %d) part[t] += part[t + half];\n", threads) +
            "__syncthreads();\n}\n";
    } else {
        code += format("__shared__ unsigned part[%d];\n", threads / 32) +
                "for (int lanes = 16; lanes > 0; lanes /= 2) {\n"
                "sum += __shfl_down_sync(0xffffffffu, sum, lanes);\n}\n"
                "if (t % 32 == 0) part[t / 32] = sum;\n__syncthreads();\n"
                "unsigned total = 0;\n" +
                format("for (int warp = 0; warp < %d; ++warp) {\ntotal += part[warp];\n}\n",
                       threads / 32);
        block_sum_code = "total";
    }
    return code + "if (t == 0) out[blockIdx.y * gridDim.x + blockIdx.x] = " + block_sum_code +
           ";\n";
}

// ---- through shared memory ----

/// Returns code that computes row r and column c of element i in the tile. Elements are numbered
/// along the rows, or along the columns if `is_tile_transposed`.
std::string tile_position_code(const KernelPlan& plan, bool is_tile_transposed) {
    const int count = plan.tile_width * plan.tile_height;
    std::string code = format("const int i = threadIdx.x + k * %d;\n", plan.threads());
    if (count % plan.threads() != 0) code += format("if (i >= %d) break;\n", count);
    return code +
           (is_tile_transposed
                ? format("const int r = i %% %d, c = i / %d;\n", plan.tile_height, plan.tile_height)
                : format("const int r = i / %d, c = i %% %d;\n", plan.tile_width, plan.tile_width));
}

std::string tile_cell_code(const KernelPlan& plan, const std::string& column) {
    if (!plan.is_swizzled) return "tile[r][" + column + "]";
    return "tile[r][(" + column + ") ^ " + format("(r & %d)]", plan.tile_width - 1);
}

std::string load_tile_code(const KernelPlan& plan) {
    const std::string type = element_type_of(plan.work.element_bytes);
    const std::string position_code =
        tile_position_code(plan, false) + "const int row = first_row + r, col = first_col + c;\n";
    if (plan.load_order == LoadOrder::batched) {
        return type + format(" value[%d] = {};\n", plan.elements_per_thread()) +
               element_loop_code(plan, position_code + load_code(plan, "value[k]")) +
               element_loop_code(plan, tile_position_code(plan, false) + tile_cell_code(plan, "c") +
                                           " = value[k];\n");
    }
    std::string body = type + " value = {};\n" + load_code(plan, "value") +
                       tile_cell_code(plan, "c") + " = value;\n";
    if (plan.load_order == LoadOrder::dependent) body += dependency_code(plan, "value");
    if (plan.load_order == LoadOrder::barrier) body += "__syncthreads();\n";
    return (plan.load_order == LoadOrder::dependent ? "int hop = 0;\n" : "") +
           element_loop_code(plan, position_code + body, plan.load_order != LoadOrder::one_by_one);
}

/// Returns code that reverses each row of the tile an even number of times, so that the tile does
/// not change.
std::string row_reversal_code(const KernelPlan& plan) {
    const std::string type = element_type_of(plan.work.element_bytes);
    const std::string mirrored_cell = tile_cell_code(plan, format("%d - c", plan.tile_width - 1));
    return format("#pragma unroll 1\nfor (int pass = 0; pass < %d; ++pass) {\n",
                  plan.extra_tile_passes) +
           type + format(" held[%d] = {};\n", plan.elements_per_thread()) +
           element_loop_code(plan, tile_position_code(plan, false) +
                                       "held[k] = " + tile_cell_code(plan, "c") + ";\n") +
           "__syncthreads();\n" +
           element_loop_code(plan,
                             tile_position_code(plan, false) + mirrored_cell + " = held[k];\n") +
           "__syncthreads();\n}\n";
}

/// Returns code that stores the tile. In a copy, each element is stored by a thread that did not
/// load it. Otherwise, the tile would be unnecessary.
std::string store_tile_code(const KernelPlan& plan) {
    const bool is_transposed = plan.work.kind == MatrixOperation::transpose;
    const std::string tile_column_code =
        is_transposed ? "c" : format("%d - c", plan.tile_width - 1);
    const std::string position_code = tile_position_code(plan, is_transposed) +
                                      "const int row = first_row + r, col = first_col + " +
                                      tile_column_code + ";\n";
    return element_loop_code(
        plan, position_code + store_code(plan, tile_cell_code(plan, tile_column_code)));
}

std::string body_with_tile_code(const KernelPlan& plan) {
    std::string code = load_tile_code(plan) + "__syncthreads();\n";
    if (plan.extra_tile_passes > 0) code += row_reversal_code(plan);
    code += store_tile_code(plan);
    // Add a barrier, because the next tile reuses the same shared memory.
    if (plan.persistent_blocks > 0) code += "__syncthreads();\n";
    return code;
}

std::string launch_bounds_code(const KernelPlan& plan) {
    if (!plan.has_launch_bounds) return "";
    return plan.min_blocks_launch_bound == 0
               ? format("__launch_bounds__(%d) ", plan.threads())
               : format("__launch_bounds__(%d, %d) ", plan.threads(), plan.min_blocks_launch_bound);
}

}  // namespace

std::string generate_source(const KernelPlan& plan, const std::string& name) {
    const std::string type = element_type_of(plan.work.element_bytes);
    const std::string out_type = plan.work.kind == MatrixOperation::sum ? "unsigned" : type;
    std::string body;
    if (plan.is_tiled) {
        body =
            "__shared__ " + type +
            format(" tile[%d][%d];\n", plan.tile_height, plan.tile_width + plan.tile_row_padding) +
            tile_loop_code(plan, body_with_tile_code(plan));
    } else if (plan.work.kind == MatrixOperation::sum) {
        body = "unsigned sum = 0;\n" + tile_loop_code(plan, body_without_tile_code(plan)) +
               block_reduction_code(plan);
    } else {
        body = tile_loop_code(plan, body_without_tile_code(plan));
    }
    return wrap(format_description(plan) + ".", "// ") +
           indented(helper_functions_code(plan) + "extern \"C\" __global__ void " +
                    launch_bounds_code(plan) + name + "(" + out_type + "* out, const " + type +
                    "* in, int rows, int cols, int in_pitch, int out_pitch, int zero) {\n" + body +
                    "}\n");
}

}  // namespace coalesce::timing
