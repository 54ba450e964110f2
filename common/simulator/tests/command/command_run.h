// Helpers for the tests of the simulate command.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "simulator/tests/run/simulate_run.h"

namespace coalesce::tests {

inline const std::string kProgram = PROGRAMS "/endings";

inline Outcome run(const std::vector<std::string>& program,
                   const std::vector<std::string>& options = {}) {
    return simulate(SIMULATE, options, program);
}

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

/// Joins lines that simulate has wrapped to fit the terminal.
inline std::string unbroken(std::string text) {
    for (std::size_t at; (at = text.find("\n  ")) != text.npos;) {
        const std::size_t end = text.find_first_not_of(' ', at + 1);
        text.replace(at, (end == text.npos ? text.size() : end) - at, " ");
    }
    return text;
}

/// A temporary file. The destructor deletes it.
struct ScratchFile {
    std::string path;
    explicit ScratchFile(const std::string& content = "", bool executable = true) {
        std::string pattern = "/tmp/coalesce-scratch-XXXXXX";
        const int file = mkstemp(pattern.data());
        close(file);
        path = pattern;
        std::ofstream(path) << content;
        std::filesystem::permissions(
            path, executable ? std::filesystem::perms(0700) : std::filesystem::perms(0600));
    }
    ~ScratchFile() { std::filesystem::remove(path); }
    ScratchFile(const ScratchFile&) = delete;

    std::string content() const { return coalesce::read_file(path); }
    void replace(const std::string& old_text, const std::string& new_text) const {
        std::string text = content();
        const std::size_t at = text.find(old_text);
        if (at != text.npos) text.replace(at, old_text.size(), new_text);
        std::ofstream(path) << text;
    }
};

}  // namespace coalesce::tests
