#include "grader/sandbox/packet.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace coalesce::grader {
namespace {

/// Returns the timeout for poll, or -1 for no deadline. Rounds up, so that poll never returns
/// before the deadline.
int milliseconds_until(Clock::time_point deadline) {
    if (deadline == Clock::time_point::max()) return -1;
    const auto milliseconds_left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    return static_cast<int>(std::clamp<long long>(milliseconds_left, 0, 1'000'000'000));
}

/// Aligned space for the descriptors of a message.
union ControlBuffer {
    cmsghdr header;
    std::array<char, CMSG_SPACE(kMaxPacketDescriptors * sizeof(int))> bytes;
};

void extract_descriptors(msghdr& header, Packet& message) {
    for (cmsghdr* control_part = CMSG_FIRSTHDR(&header); control_part;
         control_part = CMSG_NXTHDR(&header, control_part)) {
        if (control_part->cmsg_level != SOL_SOCKET || control_part->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t count = (control_part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int descriptor = -1;
            std::memcpy(&descriptor, CMSG_DATA(control_part) + i * sizeof(int), sizeof(int));
            message.descriptors.emplace_back(descriptor);
        }
    }
}

}  // namespace

std::pair<Descriptor, Descriptor> socket_pair() {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
        throw std::system_error(errno, std::generic_category(), "a socket pair cannot be created");
    }
    return {Descriptor(sockets[0]), Descriptor(sockets[1])};
}

bool send_packet(int socket, std::string_view bytes, const std::vector<int>& descriptors) {
    iovec buffer{const_cast<char*>(bytes.data()), bytes.size()};
    ControlBuffer control{};
    msghdr header{};
    header.msg_iov = &buffer;
    header.msg_iovlen = 1;
    if (!descriptors.empty()) {
        const std::size_t size = descriptors.size() * sizeof(int);
        header.msg_control = control.bytes.data();
        header.msg_controllen = CMSG_SPACE(size);
        cmsghdr* control_part = CMSG_FIRSTHDR(&header);
        control_part->cmsg_level = SOL_SOCKET;
        control_part->cmsg_type = SCM_RIGHTS;
        control_part->cmsg_len = CMSG_LEN(size);
        std::memcpy(CMSG_DATA(control_part), descriptors.data(), size);
    }
    for (;;) {
        const ssize_t sent = sendmsg(socket, &header, MSG_NOSIGNAL);
        if (sent >= 0) return static_cast<std::size_t>(sent) == bytes.size();
        if (errno != EINTR) return false;
    }
}

ReceiveStatus receive_packet(int socket, Packet& message, Clock::time_point deadline) {
    for (;;) {
        pollfd poll_entry{socket, POLLIN, 0};
        const int ready_count = poll(&poll_entry, 1, milliseconds_until(deadline));
        if (ready_count < 0 && errno == EINTR) continue;
        if (ready_count < 0) return ReceiveStatus::closed;
        if (ready_count == 0) return ReceiveStatus::timed_out;
        std::array<char, kMaxPacketBytes> bytes;
        iovec buffer{bytes.data(), bytes.size()};
        ControlBuffer control{};
        msghdr header{};
        header.msg_iov = &buffer;
        header.msg_iovlen = 1;
        header.msg_control = control.bytes.data();
        header.msg_controllen = control.bytes.size();
        const ssize_t count = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count <= 0) return ReceiveStatus::closed;
        message = {};
        extract_descriptors(header, message);
        message.bytes.assign(bytes.data(), static_cast<std::size_t>(count));
        return ReceiveStatus::packet;
    }
}

int wait_for_either(int first, int second, Clock::time_point deadline) {
    for (;;) {
        std::array<pollfd, 2> poll_entries{pollfd{first, POLLIN, 0}, pollfd{second, POLLIN, 0}};
        const int ready_count =
            poll(poll_entries.data(), poll_entries.size(), milliseconds_until(deadline));
        if (ready_count < 0 && errno == EINTR) continue;
        if (ready_count <= 0) return -1;
        return poll_entries[0].revents ? first : second;
    }
}

}  // namespace coalesce::grader
