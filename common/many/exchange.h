/// \file
/// The ways to transpose over several GPUs, with any kernel that transposes pieces.
#pragma once

#include <memory>

#include "many/pieces.h"

namespace coalesce::many {

/// Launches a kernel that transposes and stores the pieces of one rank.
using Turn = void (*)(const RankLaunch& launch, cudaStream_t stream);

/// Each rank stores its pieces into the memory of the others.
std::unique_ptr<Way> store_into_peers(const Ranks& ranks, Turn turn);
/// Each rank reads the pieces that it needs from the memory of the others.
std::unique_ptr<Way> read_from_peers(const Ranks& ranks, Turn turn);
/// Pieces are packed, and the GPUs' copy engines write them to their final addresses, in chunks. No
/// thread moves data between GPUs.
std::unique_ptr<Way> send_copies(const Ranks& ranks, Tuning tuning, Turn pack);
/// Pieces are packed, sent by NCCL, and unpacked, in chunks.
std::unique_ptr<Way> send_by_nccl(const Ranks& ranks, Tuning tuning, Turn pack);

}  // namespace coalesce::many
