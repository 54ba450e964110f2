// Tests which files the server of `learn play` serves, both through function calls and over a real
// connection.

#include "learn/web_server.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <thread>

#include "base/files.h"
#include "examiner/course/course.h"
#include "expect.h"
#include "learn/own_exercise.h"

using namespace coalesce;
using namespace coalesce::learn;
namespace fs = std::filesystem;

namespace {

// A folder with a book, and files outside of that folder, which the server must not serve.
struct Site {
    TemporaryFolder folder;
    fs::path book = folder / "book";

    Site() {
        fs::create_directories(book / "compiler");
        write_file(book / "index.html", "<p>The book</p>");
        write_file(book / "a page.html", "<p>A page</p>");
        write_file(book / "compiler" / "clang.wasm.gz", "packed");
        for (const char* name :
             {"a.js", "a.css", "a.svg", "a.json", "a.wasm", "a.txt", "a.png", "a"}) {
            write_file(book / name, "text");
        }
        write_file(folder / "secret.html", "secret");
        fs::create_symlink(folder / "secret.html", book / "link.html");
        fs::create_symlink(book / "index.html", book / "inside.html");
        fs::create_directory(folder / "bookmarks");
        write_file(folder / "bookmarks" / "index.html", "secret");
    }

    WebAnswer get(const std::string& target, const std::string& more = "") const {
        return answer_request(book,
                              "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + more + "\r\n");
    }
};

std::string header(const WebAnswer& answer, const std::string& name) {
    const std::size_t at = answer.headers.find(name + ": ");
    if (at == answer.headers.npos) return "";
    const std::size_t begin = at + name.size() + 2;
    return answer.headers.substr(begin, answer.headers.find("\r\n", begin) - begin);
}

// Sends bytes to a port. Returns the server's response.
std::string sent(int port, const std::string& bytes) {
    const Descriptor connection(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(connect(connection.get(), reinterpret_cast<sockaddr*>(&place), sizeof place) == 0);
    REQUIRE(write_all(connection.get(), bytes));
    std::string answer;
    REQUIRE(read_all(connection.get(), answer));
    return answer;
}

}  // namespace

TEST_CASE("files in the folder are served under their paths") {
    const Site site;
    CHECK(site.get("/").body == "<p>The book</p>");
    CHECK(site.get("/index.html").body == "<p>The book</p>");
    CHECK(site.get("/index.html?one=two#three").body == "<p>The book</p>");
    CHECK(site.get("/a%20page.html").body == "<p>A page</p>");
    CHECK(site.get("/inside.html").body == "<p>The book</p>");
    CHECK(site.get("/compiler/clang.wasm.gz").body == "packed");
    CHECK(site.get("/compiler/../index.html").status == 200);
    CHECK(site.get("/nothing.html").status == 404);
    CHECK(site.get("/compiler").status == 404);
    CHECK(site.get("/compiler/").status == 404);
}

TEST_CASE("nothing outside the folder is served") {
    const Site site;
    for (const char* target :
         {"/../secret.html", "/%2e%2e/secret.html", "/..%2fsecret.html", "/%2E%2E%2Fsecret.html",
          "/compiler/../../secret.html", "/link.html", "/../bookmarks/index.html", "/../bookmarks/",
          "/....//secret.html", "//etc/passwd", "/%2fetc/passwd", "/..",
          "/../../../../../../etc/passwd"}) {
        CAPTURE(target);
        const WebAnswer answer = site.get(target);
        CHECK(answer.status == 404);
        CHECK_FALSE(has(answer.body, "secret"));
    }
    const std::string absolute = site.folder / "secret.html";
    CHECK(site.get(absolute).status == 404);
    CHECK(site.get("/" + absolute).status == 404);
}

TEST_CASE("an invalid request is refused") {
    const Site site;
    for (const char* target :
         {"index.html", "http://127.0.0.1/index.html", "*", "/a%2", "/%zz", "/index.html%00.js"}) {
        CAPTURE(target);
        CHECK(site.get(target).status == 400);
    }
    CHECK(answer_request(site.book, "").status == 400);
    CHECK(answer_request(site.book, "GET\r\n\r\n").status == 400);
    CHECK(answer_request(site.book, "GET /index.html HTTP/1.1\r\n").status == 400);
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get"}) {
        CAPTURE(method);
        const WebAnswer answer =
            answer_request(site.book, std::string(method) + " / HTTP/1.1\r\n\r\n");
        CHECK(answer.status == 405);
        CHECK(header(answer, "Allow") == "GET, HEAD");
    }
}

TEST_CASE("each kind of file is served with its content type") {
    const Site site;
    const auto type = [&](const std::string& target) {
        return header(site.get(target), "Content-Type");
    };
    CHECK(type("/") == "text/html; charset=utf-8");
    CHECK(type("/a.js") == "text/javascript; charset=utf-8");
    CHECK(type("/a.css") == "text/css; charset=utf-8");
    CHECK(type("/a.svg") == "image/svg+xml");
    CHECK(type("/a.png") == "image/png");
    CHECK(type("/a.json") == "application/json");
    CHECK(type("/a.wasm") == "application/wasm");
    CHECK(type("/a.txt") == "text/plain; charset=utf-8");
    CHECK(type("/a") == "application/octet-stream");
    // The page itself decompresses this file, so the response must have no Content-Encoding.
    CHECK(type("/compiler/clang.wasm.gz") == "application/gzip");
    CHECK_FALSE(has(site.get("/compiler/clang.wasm.gz").headers, "Content-Encoding"));
}

TEST_CASE("a file in the browser's cache is resent only if it has changed") {
    const Site site;
    const std::string tag = header(site.get("/index.html"), "ETag");
    REQUIRE(tag.size() > 2);
    const WebAnswer same = site.get("/index.html", "if-none-match: " + tag + "\r\n");
    CHECK(same.status == 304);
    CHECK(same.body.empty());
    CHECK(header(same, "Cache-Control") == "no-cache");
    write_file(site.book / "index.html", "<p>Another book</p>");
    const WebAnswer other = site.get("/index.html", "If-None-Match: " + tag + "\r\n");
    CHECK(other.status == 200);
    CHECK(other.body == "<p>Another book</p>");
}

TEST_CASE("a generated file is regenerated for each request") {
    const Site site;
    int requests = 0;
    const GeneratedFiles generated = {{"/own.js", [&] { return std::to_string(++requests); }}};
    const std::string request = "GET /own.js?1 HTTP/1.1\r\n\r\n";
    CHECK(answer_request(site.book, request, generated).body == "1");
    const WebAnswer again = answer_request(site.book, request, generated);
    CHECK(again.body == "2");
    CHECK(header(again, "Content-Type") == "text/javascript; charset=utf-8");
    CHECK(header(again, "Cache-Control") == "no-store");
    CHECK(answer_request(site.book, "GET /other.js HTTP/1.1\r\n\r\n", generated).status == 404);
}

TEST_CASE("a learner's own exercises are listed together with their problems") {
    const Site site;
    const fs::path folder = site.folder / "solutions" / "x_twice";
    fs::create_directories(folder);
    fs::create_directory_symlink(fs::path(COALESCE_REPOSITORY) / "steps", site.folder / "steps");
    write_file(site.folder / "course.toml",
               read_file(fs::path(COALESCE_REPOSITORY) / "course.toml"));
    const auto write_record = [&](const std::string& sizes) {
        write_file(folder / "exercise.toml",
                   "title = \"Twice\"\nsizes = [" + sizes +
                       "]\narguments = [\"int* out[n]\", \"const int* in[n]\", \"int n\"]\n"
                       "shapes = [[4]]\n");
    };
    write_file(folder / "reference.cu",
               "__device__ int twice_reference(const int* in, int n, int index) {\n"
               "    return 2 * in[index];\n}\n");
    write_file(folder / "kernel.cu", "//! [blank]\n//! // TODO\nint answer;\n//! [blank]\n");
    write_record("\"n\"");
    const std::string script = own_exercises_script(site.folder.path, site.book);
    CHECK(script.find("\"name\":\"x_twice\"") != script.npos);
    CHECK(script.find("twice_reference(const int* in") != script.npos);
    CHECK(script.find("\"problem\":\"\"") != script.npos);
    write_record("\"m\"");
    const std::string wrong = own_exercises_script(site.folder.path, site.book);
    CHECK(wrong.find("exercise.toml:3") != wrong.npos);
    CHECK(wrong.find("x_twice\",\"title") == wrong.npos);
    write_file(site.book / "exercise_x_twice.html", "");
    write_record("\"n\"");
    CHECK(own_exercises_script(site.folder.path, site.book).find("x_twice") == script.npos);
}

TEST_CASE("the server answers several connections to the loopback address") {
    // The server runs until the program ends, so its folder must exist as long.
    static const Site site;
    static WebServer server(site.book, 0);
    REQUIRE(server.port() > 0);
    CHECK(server.address() == "http://127.0.0.1:" + std::to_string(server.port()) + "/");
    std::thread([] { server.serve(); }).detach();

    const std::string get = sent(server.port(), "GET / HTTP/1.1\r\n\r\n");
    CHECK(get.starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(has(get, "\r\nContent-Length: 15\r\n"));
    CHECK(get.ends_with("\r\n\r\n<p>The book</p>"));
    const std::string head = sent(server.port(), "HEAD / HTTP/1.1\r\n\r\n");
    CHECK(has(head, "\r\nContent-Length: 15\r\n"));
    CHECK(head.ends_with("\r\n\r\n"));
    CHECK(sent(server.port(), "GET /../secret.html HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
    CHECK(sent(server.port(), std::string(16384, 'x')).starts_with("HTTP/1.1 400 "));

    // A connection that sends nothing must not block other connections.
    const Descriptor silent(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(server.port()));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(connect(silent.get(), reinterpret_cast<sockaddr*>(&place), sizeof place) == 0);
    CHECK(sent(server.port(), "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 "));

    CHECK_THROWS_AS(WebServer(site.book, server.port()), PortInUse);
}
