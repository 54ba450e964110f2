/// \file
/// Short messages between the grader and a jail, with descriptors, over a SOCK_SEQPACKET pair.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.h"

namespace coalesce::grader {

/// The clock that limits are kept by: no date can move it.
using Clock = std::chrono::steady_clock;

/// One message.
struct Packet {
    std::string bytes;
    std::vector<Descriptor> descriptors;
};

/// How waiting for a message ended.
enum class Received { packet, closed, timed_out };

/// The most bytes and descriptors that a message has.
constexpr std::size_t kMostPacketBytes = 4096;
constexpr std::size_t kMostPacketDescriptors = 4;

/// Two ends that are connected, neither inherited by other programs. Throws std::runtime_error.
std::pair<Descriptor, Descriptor> socket_pair();
/// False when the other side is gone.
bool send_packet(int socket, std::string_view bytes, const std::vector<int>& descriptors = {});
/// Waits until `deadline`.
Received receive_packet(int socket, Packet& message, Clock::time_point deadline);
/// Which of two sockets has something to read (or is closed); -1 after the deadline.
int wait_for_either(int first, int second, Clock::time_point deadline);

}  // namespace coalesce::grader
