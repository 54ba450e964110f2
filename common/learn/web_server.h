/// \file
/// A server for the files of one folder, for browsers on this computer and no others.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "base/descriptor.h"

namespace coalesce::learn {

/// What a request is answered with.
struct WebAnswer {
    int status = 200;
    std::string headers;  ///< lines, each with its "\r\n"
    std::string body;
};

/// The answer to a request, of which the lines before its body are given. Only GET and HEAD of ordinary files
/// in the folder are answered with a file, wherever paths and links may lead.
WebAnswer web_answer(const std::filesystem::path& folder, const std::string& request);

/// Somebody else listens on that port.
class PortTaken : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Listens on 127.0.0.1 from the beginning; answers when it serves.
class WebServer {
public:
    /// Port 0: any that is free. Throws PortTaken, or std::runtime_error.
    WebServer(std::filesystem::path folder, int port);

    /// Where it listens: "http://127.0.0.1:PORT/".
    std::string address() const;
    int port() const { return port_; }

    /// Answers everybody, until the program ends.
    [[noreturn]] void serve();

private:
    std::filesystem::path folder_;
    Descriptor listener_;
    int port_ = 0;
};

}  // namespace coalesce::learn
