/// \file
/// The ways to transpose a matrix across several GPUs, with any kernel that transposes
/// pieces.
#pragma once

#include <memory>

#include "many/pieces.h"

namespace coalesce::many {

/// Launches a kernel that transposes and stores the pieces of one rank.
using Turn = void (*)(const RankLaunch& launch, cudaStream_t stream);

/// Returns a way in which each rank stores its pieces directly into the memory of the others.
std::unique_ptr<Way> store_into_peers(const Ranks& ranks, Turn turn);
/// Returns a way in which each rank reads the pieces that it needs from the memory of the others.
std::unique_ptr<Way> read_from_peers(const Ranks& ranks, Turn turn);
/// Returns a way in which pieces are packed in chunks, and the GPUs' copy engines write them to
/// their final addresses. No thread moves data between GPUs.
std::unique_ptr<Way> send_copies(const Ranks& ranks, Tuning tuning, Turn pack);
/// Returns a way in which pieces are packed, sent by NCCL, and unpacked, in chunks.
std::unique_ptr<Way> send_by_nccl(const Ranks& ranks, Tuning tuning, Turn pack);

}  // namespace coalesce::many
