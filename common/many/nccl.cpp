#include "many/nccl.h"

#include <dlfcn.h>

#include <cstdlib>

#include "base/child.h"
#include "harness/errors.h"

namespace coalesce::many {
namespace {

/// What is used of NCCL's interface; it has been the same since 2.7. A result of 0 is a success.
constexpr int kFloat32 = 7;

/// Communicators that are made with the same one belong together.
struct UniqueId {
    char bytes[128];
};

struct Library {
    int (*get_unique_id)(UniqueId*) = nullptr;
    int (*init_rank)(void** communicator, int count, UniqueId, int rank) = nullptr;
    int (*destroy)(void* communicator) = nullptr;
    int (*group_start)() = nullptr;
    int (*group_end)() = nullptr;
    int (*send)(const void*, std::size_t, int type, int peer, void* communicator,
                cudaStream_t) = nullptr;
    int (*receive)(void*, std::size_t, int type, int peer, void* communicator,
                   cudaStream_t) = nullptr;
    const char* (*error_text)(int) = nullptr;
    std::string problem;
};

/// The folder of the wheel nvidia-nccl, which comes with PyTorch; "" where there is none.
std::string folder_of_wheel() {
    constexpr double seconds = 60;
    const Ended python = run_child(
        {"python3", "-c", "import nvidia.nccl; print(list(nvidia.nccl.__path__)[0])"}, seconds);
    return python.exit_code == 0 ? python.output.substr(0, python.output.find('\n')) : "";
}

void* opened() {
    if (const char* given = std::getenv("COALESCE_NCCL")) return dlopen(given, RTLD_NOW);
    if (void* library = dlopen("libnccl.so.2", RTLD_NOW)) return library;
    const std::string folder = folder_of_wheel();
    return folder.empty() ? nullptr : dlopen((folder + "/lib/libnccl.so.2").c_str(), RTLD_NOW);
}

Library load() {
    Library library;
    void* handle = opened();
    if (!handle) {
        library.problem =
            "NCCL (libnccl.so.2) was not found: install it, or name the file in COALESCE_NCCL";
        return library;
    }
    const auto find = [&](auto& function, const char* name) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
        if (!function) library.problem = std::string("this NCCL has no ") + name;
    };
    find(library.get_unique_id, "ncclGetUniqueId");
    find(library.init_rank, "ncclCommInitRank");
    find(library.destroy, "ncclCommDestroy");
    find(library.group_start, "ncclGroupStart");
    find(library.group_end, "ncclGroupEnd");
    find(library.send, "ncclSend");
    find(library.receive, "ncclRecv");
    find(library.error_text, "ncclGetErrorString");
    return library;
}

const Library& library() {
    static const Library library = load();
    return library;
}

void check(int result, const char* call) {
    if (result == 0) return;
    throw UsageError(std::string(call) + ": " + library().error_text(result) +
                     " (NCCL_DEBUG=WARN says more)");
}

}  // namespace

std::string Nccl::why_not() {
    return library().problem;
}

Nccl::Nccl(const Ranks& ranks) : communicators_(ranks.devices.size()) {
    if (!why_not().empty()) throw UsageError(why_not());
    UniqueId id = {};
    if (ranks.team->rank() == 0) check(library().get_unique_id(&id), "ncclGetUniqueId");
    ranks.team->hand_out(&id, sizeof id);
    begin_group();
    ranks.each([&](int rank) {
        check(library().init_rank(&communicators_[rank], ranks.count(), id, rank),
              "ncclCommInitRank");
    });
    end_group();
}

Nccl::~Nccl() {
    for (void* communicator : communicators_) {
        if (communicator) library().destroy(communicator);
    }
}

void Nccl::begin_group() {
    check(library().group_start(), "ncclGroupStart");
}

void Nccl::end_group() {
    check(library().group_end(), "ncclGroupEnd");
}

void Nccl::send(int from, int to, const float* data, std::size_t count, cudaStream_t stream) {
    void* communicator = communicators_[from];
    check(library().send(data, count, kFloat32, to, communicator, stream), "ncclSend");
}

void Nccl::receive(int to, int from, float* data, std::size_t count, cudaStream_t stream) {
    void* communicator = communicators_[to];
    check(library().receive(data, count, kFloat32, from, communicator, stream), "ncclRecv");
}

}  // namespace coalesce::many
