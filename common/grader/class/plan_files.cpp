#include "grader/class/plan_files.h"

#include "grader/store/errors.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace {

// Of the key too: a result is good for no other submission.
std::string seal_of(const Assignment& assignment, const std::string& key,
                    const std::string& result) {
    return hex(hmac_sha256(assignment.key, "result of " + key + "\n" + result));
}

}  // namespace

std::string sealed_result(const Assignment& assignment, const std::string& key,
                          const std::string& result) {
    return seal_of(assignment, key, result) + "\n" + result;
}

std::string opened_result(const Assignment& assignment, const std::string& key,
                          const std::string& sealed) {
    std::size_t end = sealed.find('\n');
    std::string result = end == sealed.npos ? "" : sealed.substr(end + 1);
    if (end != sealed.npos && sealed.substr(0, end) == seal_of(assignment, key, result)) {
        return result;
    }
    throw Infrastructure("results/" + key +
                         " is not as a chunk wrote it: remove it, and run its chunk again");
}

}  // namespace coalesce::grader
