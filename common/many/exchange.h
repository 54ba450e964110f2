/// \file
/// The ways to transpose over several GPUs, for any kernels that turn and that unpack pieces.
#pragma once

#include <memory>

#include "many/pieces.h"

namespace coalesce::many {

/// Starts a kernel that turns and stores the pieces of one rank.
using Turn = void (*)(const RankLaunch& launch, cudaStream_t stream);
/// Starts a kernel that puts a piece, which was received in one run, to its place among longer rows.
using Unpack = void (*)(float* out, std::size_t pitch, const float* piece, int rows, int cols,
                        cudaStream_t stream);

/// Each rank stores its pieces into the memory of the others.
std::unique_ptr<Way> store_into_peers(const Ranks& ranks, Turn turn);
/// The other way round: each rank reads from the memory of the others what it needs.
std::unique_ptr<Way> read_from_peers(const Ranks& ranks, Turn turn);
/// Packed, and carried to their places by the GPUs' copy engines, in chunks: no thread has to carry anything.
std::unique_ptr<Way> send_copies(const Ranks& ranks, Tuning tuning, Turn pack);
/// Packed, sent by NCCL, unpacked, in chunks.
std::unique_ptr<Way> send_by_nccl(const Ranks& ranks, Tuning tuning, Turn pack, Unpack unpack);

}  // namespace coalesce::many
