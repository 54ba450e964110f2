// What the toolkit's headers add: cooperative groups, for nvcc alone (clang does not find all that the
// toolkit's header needs), and pipelines.
#include "campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

constexpr const char* kGroups =
    "#ifndef __clang__\n#include <cooperative_groups.h>\nnamespace cg = "
    "cooperative_groups;\n#endif\n";

/// Tiles of a warp. All threads of the block come.
void tile_of_warp(Kernel& kernel, Place& place) {
    if (kernel.threads % 32 != 0) return;
    kernel.need("groups", kGroups);
    const std::string tile = kernel.fresh("tile");
    kernel.write(
        "#ifndef __clang__\nconst auto $1 = cg::tiled_partition<$2>(cg::this_thread_block());",
        {tile, std::to_string(kernel.random.pick({2, 4, 8, 16, 32}))});
    const char* pattern = kernel.random.pick(
        {"$1.shfl($u, $n % $1.size())", "$1.shfl_xor($u, $1.size() / 2)",
         "($1.shfl_down($u, 1) * (u32)($1.thread_rank() + 1 < $1.size()))", "(u32)$1.ballot($b)",
         "($1.any($b) ? 3u : 4u)", "($1.all($b) ? 9u : 5u)", "$1.match_any($u & 3)",
         "(u32)$1.meta_group_rank()"});
    absorb(kernel, place, expand(kernel, pattern, Same::thread, 1, {tile}));
    kernel.write("$1.sync();\n#endif", {tile});
}

void block_group(Kernel& kernel, Place& place) {
    kernel.need("groups", kGroups);
    kernel.write("#ifndef __clang__\ncg::this_thread_block().sync();");
    absorb(kernel, place,
           "(cg::this_thread_block().thread_rank() * 3u + cg::this_thread_block().size())");
    kernel.write("#endif");
}

void pipeline(Kernel& kernel, Place& place) {
    if (!kernel.take_shared(kernel.threads * 16)) return;
    kernel.need("pipeline", "#include <cuda_pipeline.h>\n");
    const std::string stages = kernel.fresh("stages");
    kernel.write(
        "__shared__ u32 $1[2][$2];\n__pipeline_memcpy_async(&$1[0][tid], in + ($u & 1023), "
        "4);\n__pipeline_commit();\n"
        "__pipeline_memcpy_async(&$1[1][tid], in + ($u & 1023), "
        "4);\n__pipeline_commit();\n__pipeline_wait_prior(1);\n__syncthreads();",
        {stages, std::to_string(kernel.threads)});
    absorb(kernel, place,
           expand(kernel, "$1[0][($u) % $2]", Same::thread, 1,
                  {stages, std::to_string(kernel.threads)}));
    kernel.write("__pipeline_wait_prior(0);\n__syncthreads();");
    absorb(kernel, place,
           expand(kernel, "$1[1][$2 - 1 - tid]", Same::thread, 1,
                  {stages, std::to_string(kernel.threads)}));
    kernel.write("__syncthreads();");
}

}  // namespace

std::vector<Construct> toolkit_constructs() {
    return {{Needs::barrier, false, 1, tile_of_warp},
            {Needs::barrier, false, 1, block_group},
            {Needs::barrier, false, 1, pipeline}};
}

}  // namespace coalesce::campaign
