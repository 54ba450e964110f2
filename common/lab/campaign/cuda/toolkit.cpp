// Generates uses of the toolkit's headers: pipelines, and cooperative groups for nvcc only (clang
// does not support everything that their header uses).
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

constexpr const char* kGroups =
    "#ifndef __clang__\n#include <cooperative_groups.h>\nnamespace cg = "
    "cooperative_groups;\n#endif\n";

/// Generates a use of cooperative-groups tiles within a warp. All threads of the block take part.
void generate_warp_tile_group(Kernel& kernel, StatementPlace& place) {
    if (kernel.threads % 32 != 0) return;
    kernel.define_global_once("groups", kGroups);
    kernel.write(
        "#ifndef __clang__\nconst auto @tile = cg::tiled_partition<$1>(cg::this_thread_block());",
        {kernel.random.pick({2, 4, 8, 16, 32})});
    generate_use_of_pattern(
        kernel, place,
        kernel.random.pick(
            {"@tile.shfl($u, $n % @tile.size())", "@tile.shfl_xor($u, @tile.size() / 2)",
             "(@tile.shfl_down($u, 1) * (u32)(@tile.thread_rank() + 1 < @tile.size()))",
             "(u32)@tile.ballot($b)", "(@tile.any($b) ? 3u : 4u)", "(@tile.all($b) ? 9u : 5u)",
             "@tile.match_any($u & 3)", "(u32)@tile.meta_group_rank()"}));
    kernel.write("@tile.sync();\n#endif");
}

void generate_block_group(Kernel& kernel, StatementPlace& place) {
    kernel.define_global_once("groups", kGroups);
    kernel.write("#ifndef __clang__\ncg::this_thread_block().sync();");
    generate_use_of_pattern(
        kernel, place,
        "(cg::this_thread_block().thread_rank() * 3u + cg::this_thread_block().size())");
    kernel.write("#endif");
}

void generate_async_pipeline(Kernel& kernel, StatementPlace& place) {
    if (!kernel.reserve_shared(kernel.threads * 16)) return;
    kernel.define_global_once("pipeline", "#include <cuda_pipeline.h>\n");
    const std::string threads_per_block = std::to_string(kernel.threads);
    kernel.write(
        "__shared__ u32 @stages[2][$1];\n"
        "__pipeline_memcpy_async(&@stages[0][tid], in + ($u & 1023), 4);\n__pipeline_commit();\n"
        "__pipeline_memcpy_async(&@stages[1][tid], in + ($u & 1023), 4);\n__pipeline_commit();\n"
        "__pipeline_wait_prior(1);\n__syncthreads();",
        {threads_per_block});
    generate_use_of_pattern(kernel, place, "@stages[0][($u) % " + threads_per_block + "]");
    kernel.write("__pipeline_wait_prior(0);\n__syncthreads();");
    generate_use_of_pattern(kernel, place, "@stages[1][" + threads_per_block + " - 1 - tid]");
    kernel.write("__syncthreads();");
}

}  // namespace

std::vector<Construct> toolkit_constructs() {
    return {{Requirement::barrier, false, 1, generate_warp_tile_group},
            {Requirement::barrier, false, 1, generate_block_group},
            {Requirement::barrier, false, 1, generate_async_pipeline}};
}

}  // namespace coalesce::campaign
