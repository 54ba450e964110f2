/// \file
/// The methods of transposing a matrix across several GPUs. Each method can use any kernel that
/// transposes pieces of a matrix.
#pragma once

#include <memory>

#include "many/pieces.h"

namespace coalesce::many {

/// A function that launches a kernel. The kernel transposes and stores the pieces of one rank.
using LaunchPieces = void (*)(const RankLaunch& launch, cudaStream_t stream);

/// Returns the method in which each rank stores its pieces directly into the memory of the other
/// ranks.
std::unique_ptr<Method> store_into_peers(const Ranks& ranks, LaunchPieces transpose_pieces);
/// Returns the method in which each rank reads the pieces that it needs from the memory of the
/// other ranks.
std::unique_ptr<Method> read_from_peers(const Ranks& ranks, LaunchPieces transpose_pieces);
/// Returns the method that packs pieces in chunks, and lets the GPUs' copy engines write the chunks
/// to their final addresses. No thread moves data between GPUs.
std::unique_ptr<Method> send_copies(const Ranks& ranks, Tuning tuning, LaunchPieces pack_pieces);
/// Returns the method that packs pieces, sends them with NCCL and unpacks them, chunk by chunk.
std::unique_ptr<Method> send_by_nccl(const Ranks& ranks, Tuning tuning, LaunchPieces pack_pieces);

}  // namespace coalesce::many
