/// \file
/// Sends short messages with descriptors between the grader and a jail, over a SOCK_SEQPACKET pair.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.h"

namespace coalesce::grader {

/// The clock for time limits. It does not jump when the system time is changed.
using Clock = std::chrono::steady_clock;

/// A message, with the descriptors that were sent with it.
struct Packet {
    std::string bytes;
    std::vector<Descriptor> descriptors;
};

/// The result of waiting for a message.
enum class ReceiveStatus { packet, closed, timed_out };

/// The maximum number of bytes and of descriptors in a message.
constexpr std::size_t kMaxPacketBytes = 4096;
constexpr std::size_t kMaxPacketDescriptors = 4;

/// Returns two connected sockets, which child programs do not inherit. Throws std::runtime_error on
/// failure.
std::pair<Descriptor, Descriptor> socket_pair();
/// Sends a message. Returns false if the other side has closed its socket.
bool send_packet(int socket, std::string_view bytes, const std::vector<int>& descriptors = {});
/// Waits for a message until `deadline`.
ReceiveStatus receive_packet(int socket, Packet& message, Clock::time_point deadline);
/// Waits until one of two sockets is readable or closed, and returns that socket. Returns -1 at the
/// deadline.
int wait_for_either(int first, int second, Clock::time_point deadline);

}  // namespace coalesce::grader
