/// \file
/// The methods to transpose a matrix across several GPUs, with any kernel that transposes
/// pieces.
#pragma once

#include <memory>

#include "many/pieces.h"

namespace coalesce::many {

/// Launches a kernel that transposes and stores the pieces of one rank.
using LaunchPieces = void (*)(const RankLaunch& launch, cudaStream_t stream);

/// Returns a way in which each rank stores its pieces directly into the memory of the others.
std::unique_ptr<Method> store_into_peers(const Ranks& ranks, LaunchPieces turn);
/// Returns a way in which each rank reads the pieces that it needs from the memory of the others.
std::unique_ptr<Method> read_from_peers(const Ranks& ranks, LaunchPieces turn);
/// Returns a way in which pieces are packed in chunks, and the GPUs' copy engines write them to
/// their final addresses. No thread moves data between GPUs.
std::unique_ptr<Method> send_copies(const Ranks& ranks, Tuning tuning, LaunchPieces pack);
/// Returns a way in which pieces are packed, sent by NCCL, and unpacked, in chunks.
std::unique_ptr<Method> send_by_nccl(const Ranks& ranks, Tuning tuning, LaunchPieces pack);

}  // namespace coalesce::many
