#include "grader/sandbox/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "base/descriptor.h"

namespace coalesce::grader {
namespace {

// The headers of some distributions do not define these flags yet.
constexpr std::uint64_t kAccessRefer = 1ULL << 13;     // version 2
constexpr std::uint64_t kAccessTruncate = 1ULL << 14;  // version 3
constexpr std::uint64_t kAccessIoctl = 1ULL << 15;     // version 5
/// all access rights of Landlock's version 1
constexpr std::uint64_t kAccessVersion1 = (1ULL << 13) - 1;

std::uint64_t supported_rights(int version) {
    std::uint64_t rights = kAccessVersion1;
    if (version >= 2) rights |= kAccessRefer;
    if (version >= 3) rights |= kAccessTruncate;
    if (version >= 5) rights |= kAccessIoctl;
    return rights;
}

[[noreturn]] void throw_landlock_error(const char* failure_text) {
    throw std::runtime_error(std::string("Landlock: ") + failure_text + ": " +
                             std::strerror(errno));
}

void allow_path(int ruleset, const std::string& path, std::uint64_t rights) {
    const Descriptor path_descriptor(open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status {};
    if (!path_descriptor || fstat(path_descriptor.get(), &status) != 0) return;
    landlock_path_beneath_attr rule{};
    rule.parent_fd = path_descriptor.get();
    rule.allowed_access = rights;
    if (S_ISDIR(status.st_mode)) rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
    if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
        throw_landlock_error("access to a folder cannot be allowed");
    }
}

}  // namespace

int landlock_version() {
    const long version =
        syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? static_cast<int>(version) : 0;
}

void allow_reading_only(const std::vector<std::string>& paths, bool may_execute) {
    landlock_ruleset_attr attributes{};
    attributes.handled_access_fs = supported_rights(landlock_version());
    const Descriptor ruleset(
        static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
    if (!ruleset) throw_landlock_error("it is not available");
    const std::uint64_t rights =
        LANDLOCK_ACCESS_FS_READ_FILE | (may_execute ? LANDLOCK_ACCESS_FS_EXECUTE : 0);
    for (const std::string& path : paths) allow_path(ruleset.get(), path, rights);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        throw_landlock_error("privileges cannot be given up");
    if (syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0)
        throw_landlock_error("the process cannot be restricted");
}

}  // namespace coalesce::grader
