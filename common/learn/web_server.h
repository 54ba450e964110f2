/// \file
/// A web server for the files in a folder. Only browsers on this computer can reach the server.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "base/descriptor.h"

namespace coalesce::learn {

/// The response to a request.
struct WebAnswer {
    int status = 200;
    std::string headers;  ///< the header lines, each of which ends with "\r\n"
    std::string body;
};

/// Maps a path, such as "/own-exercises.js", to a function that generates the file on request.
using GeneratedFiles = std::map<std::string, std::function<std::string()>>;

/// Returns the response to a request. `request` contains the lines of the request before its body.
/// Only GET and HEAD are allowed. A path that leads outside the folder gets status 404.
WebAnswer answer_request(const std::filesystem::path& folder, const std::string& request,
                         const GeneratedFiles& generated = {});

/// Thrown if the port is already in use by another program.
class PortInUse : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A server on 127.0.0.1. It starts to listen when it is constructed, and answers requests in
/// `serve`.
class WebServer {
public:
    /// Starts listening. Port 0 means any free port. Throws PortInUse or std::runtime_error.
    WebServer(std::filesystem::path folder, int port, GeneratedFiles generated = {});

    /// Returns the server's address: "http://127.0.0.1:PORT/".
    std::string address() const;
    int port() const { return port_; }

    /// Answers requests until the program ends.
    [[noreturn]] void serve();

private:
    std::filesystem::path folder_;
    GeneratedFiles generated_;
    Descriptor listener_;
    int port_ = 0;
};

}  // namespace coalesce::learn
