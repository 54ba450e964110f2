// Serves files over HTTP. Each connection has its own thread and handles a single request, and each
// file is read into memory completely. This is fast enough for a browser on the same computer.
#include "learn/web_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <optional>
#include <thread>

#include "base/files.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

/// The maximum size, in bytes, of a request without its body.
constexpr std::size_t kMaxRequestBytes = 16384;

const char* status_phrase(int status) {
    switch (status) {
        case 200: return "OK";
        case 304: return "Not Modified";
        case 400: return "Bad Request";
        case 404: return "Not Found";
        default: return "Method Not Allowed";
    }
}

WebAnswer make_refusal(int status) {
    return {status, "Content-Type: text/plain; charset=utf-8\r\n",
            status_phrase(status) + std::string("\n")};
}

std::string content_type_of(const fs::path& file) {
    static const std::map<std::string, std::string> types = {
        {".css", "text/css; charset=utf-8"},
        {".gz", "application/gzip"},
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".json", "application/json"},
        {".png", "image/png"},
        {".svg", "image/svg+xml"},
        {".txt", "text/plain; charset=utf-8"},
        {".wasm", "application/wasm"},
        {".woff2", "font/woff2"},
    };
    const auto content_type = types.find(file.extension());
    return content_type == types.end() ? "application/octet-stream" : content_type->second;
}

/// Decodes escape sequences such as "%20". Returns nothing if a sequence is malformed or represents
/// a zero byte.
std::optional<std::string> decode_url(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            if (i + 2 >= text.size()) return {};
            unsigned char byte = 0;
            const char *const digits = text.data() + i + 1, *const end = digits + 2;
            if (std::from_chars(digits, end, byte, 16).ptr != end) return {};
            c = static_cast<char>(byte);
            i += 2;
        }
        if (c == '\0') return {};
        result += c;
    }
    return result;
}

/// Returns the file for a decoded path such as "/index.html". Returns nothing unless the path, with
/// all links resolved, leads to a regular file inside the folder.
std::optional<fs::path> resolve_path(const fs::path& folder, std::string path) {
    if (path.ends_with('/')) path += "index.html";
    std::error_code problem;
    const fs::path root = fs::canonical(folder, problem);
    const fs::path file = fs::canonical(folder / fs::path(path).relative_path(), problem);
    if (problem || !fs::is_regular_file(file, problem)) return {};
    const auto [rest, unused] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
    if (rest != root.end()) return {};
    return file;
}

/// Returns an ETag that changes whenever the content of the file changes.
std::string compute_etag(const fs::path& file) {
    const auto time = fs::last_write_time(file).time_since_epoch().count();
    return '"' + std::to_string(time) + '-' + std::to_string(fs::file_size(file)) + '"';
}

/// Returns the value of the header `name`, or "" if the request does not contain this header. Upper
/// and lower case are not distinguished.
std::string find_header(const std::string& request, std::string name) {
    name = "\r\n" + name + ":";
    const auto equals_ignoring_case = [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    };
    const auto header_position =
        std::search(request.begin(), request.end(), name.begin(), name.end(), equals_ignoring_case);
    if (header_position == request.end()) return "";
    std::string value(header_position + static_cast<std::ptrdiff_t>(name.size()), request.end());
    value.resize(std::min(value.find("\r\n"), value.size()));
    value.erase(0, std::min(value.find_first_not_of(' '), value.size()));
    return value;
}

/// Reads the header lines of a request. Stops if they take too long to arrive or are too large, and
/// returns the text that has arrived.
std::string read_request(int connection) {
    std::string request;
    char bytes[2048];
    while (request.size() < kMaxRequestBytes && request.find("\r\n\r\n") == request.npos) {
        const ssize_t count = recv(connection, bytes, sizeof bytes, 0);
        if (count <= 0) break;
        request.append(bytes, static_cast<std::size_t>(count));
    }
    return request;
}

void serve_connection(const Descriptor& connection, const fs::path& folder,
                      const GeneratedFiles& generated) {
    // Set a read timeout, because browsers open connections that they may never use.
    const timeval limit{30, 0};
    setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(connection.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const std::string request = read_request(connection.get());
    if (request.empty()) return;
    const WebAnswer answer = answer_request(folder, request, generated);
    std::string head = "HTTP/1.1 " + std::to_string(answer.status) + " " +
                       status_phrase(answer.status) + "\r\n" + answer.headers +
                       "Content-Length: " + std::to_string(answer.body.size()) +
                       "\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";
    if (write_all(connection.get(), head) && !request.starts_with("HEAD ")) {
        write_all(connection.get(), answer.body);
    }
}

std::runtime_error failure(const std::string& failed_action) {
    return std::runtime_error(failed_action + ": " + strerror(errno));
}

}  // namespace

WebAnswer answer_request(const fs::path& folder, const std::string& request,
                         const GeneratedFiles& generated) {
    const std::size_t space = request.find(' ');
    const std::string method = request.substr(0, space);
    if (space == request.npos || request.find("\r\n\r\n") == request.npos) return make_refusal(400);
    if (method != "GET" && method != "HEAD") {
        WebAnswer answer = make_refusal(405);
        answer.headers += "Allow: GET, HEAD\r\n";
        return answer;
    }
    const std::string target =
        request.substr(space + 1, request.find_first_of(" ?#\r", space + 1) - space - 1);
    const std::optional<std::string> path = decode_url(target);
    if (!path || !path->starts_with('/')) return make_refusal(400);
    if (const auto generated_file = generated.find(*path); generated_file != generated.end()) {
        return {200, "Content-Type: " + content_type_of(*path) + "\r\nCache-Control: no-store\r\n",
                generated_file->second()};
    }
    const std::optional<fs::path> file = resolve_path(folder, *path);
    if (!file) return make_refusal(404);
    const std::string etag = compute_etag(*file);
    // The browser requests the file every time, but the server sends it only if it has changed. A
    // rebuilt book is therefore shown immediately.
    const std::string caching_headers = "Cache-Control: no-cache\r\nETag: " + etag + "\r\n";
    if (find_header(request, "If-None-Match") == etag) return {304, caching_headers, ""};
    const std::optional<std::string> bytes = read_if_exists(*file);
    if (!bytes) return make_refusal(404);
    return {200, "Content-Type: " + content_type_of(*file) + "\r\n" + caching_headers, *bytes};
}

WebServer::WebServer(fs::path folder, int port, GeneratedFiles generated)
    : folder_(std::move(folder)), generated_(std::move(generated)) {
    listener_.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!listener_) throw failure("no socket");
    // Allow reuse of the port if this program used it recently.
    const int enabled = 1;
    setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &enabled, sizeof enabled);
    sockaddr_in server_address{};
    server_address.sin_family = AF_INET;
    server_address.sin_port = htons(static_cast<std::uint16_t>(port));
    server_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* address = reinterpret_cast<sockaddr*>(&server_address);
    socklen_t size = sizeof server_address;
    const std::string address_text = "port " + std::to_string(port) + " of 127.0.0.1";
    if (bind(listener_.get(), address, size) != 0) {
        if (errno == EADDRINUSE) throw PortInUse(address_text + " is taken");
        throw failure(address_text);
    }
    if (listen(listener_.get(), 64) != 0) throw failure(address_text);
    getsockname(listener_.get(), address, &size);
    port_ = ntohs(server_address.sin_port);
}

std::string WebServer::address() const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/";
}

void WebServer::serve() {
    // A browser that closes the connection early must not terminate the server.
    std::signal(SIGPIPE, SIG_IGN);
    for (;;) {
        Descriptor connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (connection) {
            std::thread([this, connection = std::move(connection)] {
                serve_connection(connection, folder_, generated_);
            }).detach();
        } else {
            // The probable cause is that too many files are open. Wait until some of them are
            // closed.
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
}

}  // namespace coalesce::learn
