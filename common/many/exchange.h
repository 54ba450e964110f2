/// \file
/// The ways to transpose over several GPUs, for any kernel that turns pieces.
#pragma once

#include <memory>

#include "many/pieces.h"

namespace coalesce::many {

/// Starts a kernel that turns and stores the pieces of one rank.
using Turn = void (*)(const RankLaunch& launch, cudaStream_t stream);

/// Each rank stores its pieces into the memory of the others.
std::unique_ptr<Way> store_into_peers(const Ranks& ranks, Turn turn);
/// The other way round: each rank reads from the memory of the others what it needs.
std::unique_ptr<Way> read_from_peers(const Ranks& ranks, Turn turn);
/// Packed, and carried to their places by the GPUs' copy engines, in chunks: no thread has to carry anything.
std::unique_ptr<Way> send_copies(const Ranks& ranks, Tuning tuning, Turn pack);
/// Packed, sent by NCCL, unpacked, in chunks.
std::unique_ptr<Way> send_by_nccl(const Ranks& ranks, Tuning tuning, Turn pack);

}  // namespace coalesce::many
