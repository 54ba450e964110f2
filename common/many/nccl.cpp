#include "many/nccl.h"

#include <dlfcn.h>

#include <cstdlib>

#include "base/child.h"
#include "harness/errors.h"

namespace coalesce::many {

/// The id with which all communicators of a group are created.
struct UniqueId {
    char bytes[128];
};

// Declares the functions of NCCL that this program uses. They have not changed since NCCL 2.7. A
// result of 0 means success.
extern "C" {
int ncclGetUniqueId(UniqueId* id);
int ncclCommInitRank(void** communicator, int count, UniqueId id, int rank);
int ncclCommDestroy(void* communicator);
int ncclGroupStart();
int ncclGroupEnd();
int ncclSend(const void* data, std::size_t count, int type, int peer, void* communicator,
             cudaStream_t stream);
int ncclRecv(void* data, std::size_t count, int type, int peer, void* communicator,
             cudaStream_t stream);
const char* ncclGetErrorString(int result);
}

namespace {

constexpr const char* kFunctionNames[] = {"ncclGetUniqueId", "ncclCommInitRank",  "ncclCommDestroy",
                                          "ncclGroupStart",  "ncclGroupEnd",      "ncclSend",
                                          "ncclRecv",        "ncclGetErrorString"};
constexpr int kFloat32 = 7;

/// Returns the folder of the Python package nvidia-nccl, which PyTorch installs, or "" if the
/// package is not installed.
std::string find_wheel_folder() {
    constexpr double timeout_seconds = 60;
    const ProcessResult python_result =
        run_child({"python3", "-c", "import nvidia.nccl; print(list(nvidia.nccl.__path__)[0])"},
                  timeout_seconds);
    return python_result.exit_code == 0
               ? python_result.output.substr(0, python_result.output.find('\n'))
               : "";
}

void* open_library() {
    if (const char* library_path = std::getenv("COALESCE_NCCL"))
        return dlopen(library_path, RTLD_NOW);
    if (void* library = dlopen("libnccl.so.2", RTLD_NOW)) return library;
    const std::string folder = find_wheel_folder();
    return folder.empty() ? nullptr : dlopen((folder + "/lib/libnccl.so.2").c_str(), RTLD_NOW);
}

/// Returns the handle of NCCL's library, or null if the library is not installed.
void* library() {
    static void* const library = open_library();
    return library;
}

/// Looks up a function of the library at run time, so that the program need not be linked to the
/// library.
#define NCCL_FUNCTION(name) reinterpret_cast<decltype(&name)>(dlsym(library(), #name))

void check(int result, const char* call) {
    if (result == 0) return;
    throw UsageError(std::string(call) + ": " + NCCL_FUNCTION(ncclGetErrorString)(result) +
                     " (NCCL_DEBUG=WARN shows more details)");
}

/// Calls a function of the library, and throws UsageError if it fails.
#define NCCL_CHECK(name, ...) check(NCCL_FUNCTION(name)(__VA_ARGS__), #name)

}  // namespace

std::string Nccl::reason_not_to_run() {
    if (!library()) {
        return "NCCL (libnccl.so.2) was not found: install NCCL, or name the file in COALESCE_NCCL";
    }
    for (const char* name : kFunctionNames) {
        if (!dlsym(library(), name)) return std::string("this NCCL has no ") + name;
    }
    return "";
}

Nccl::Nccl(const Ranks& ranks) : communicators_(ranks.devices.size()) {
    if (!reason_not_to_run().empty()) throw UsageError(reason_not_to_run());
    UniqueId id = {};
    if (ranks.team->rank() == 0) NCCL_CHECK(ncclGetUniqueId, &id);
    ranks.team->broadcast_bytes(&id, sizeof id);
    begin_group();
    ranks.for_each_rank([&](int rank) {
        NCCL_CHECK(ncclCommInitRank, &communicators_[rank], ranks.count(), id, rank);
    });
    end_group();
}

Nccl::~Nccl() {
    for (void* communicator : communicators_) {
        if (communicator) NCCL_FUNCTION(ncclCommDestroy)(communicator);
    }
}

void Nccl::begin_group() {
    NCCL_CHECK(ncclGroupStart);
}

void Nccl::end_group() {
    NCCL_CHECK(ncclGroupEnd);
}

void Nccl::send(int from, int to, const float* data, std::size_t count, cudaStream_t stream) {
    NCCL_CHECK(ncclSend, data, count, kFloat32, to, communicators_[from], stream);
}

void Nccl::receive(int to, int from, float* data, std::size_t count, cudaStream_t stream) {
    NCCL_CHECK(ncclRecv, data, count, kFloat32, from, communicators_[to], stream);
}

}  // namespace coalesce::many
