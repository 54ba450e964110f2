// Selects a sample of an exercise's tests. The option --every N, given before the exercise's name,
// selects every Nth test.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/errors.h"

namespace coalesce::exercises {

class Sample {
public:
    explicit Sample(std::size_t every = 1) : every(every) {}
    /// Reports whether to include the next item. The first item and every Nth item after it are
    /// included.
    bool takes_next() { return number++ % every == 0; }

private:
    std::size_t every, number = 0;
};

/// Removes --every N from the front of the arguments. Without this option, the sample contains
/// every item. Throws UsageError if N is not a positive number.
inline Sample sample_of(std::vector<std::string>& words) {
    if (words.empty() || words[0] != "--every") return Sample();
    const int every = words.size() > 1 ? std::atoi(words[1].c_str()) : 0;
    if (every < 1) throw UsageError("--every takes a whole number from 1 on");
    words.erase(words.begin(), words.begin() + 2);
    return Sample(static_cast<std::size_t>(every));
}

}  // namespace coalesce::exercises
