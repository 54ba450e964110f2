#include "learn/commands.h"

#include <filesystem>
#include <iostream>
#include <thread>

#include "base/child.h"
#include "base/errors.h"
#include "learn/own_exercise.h"
#include "learn/paths.h"
#include "learn/web_server.h"

namespace coalesce::learn {
namespace {

/// The port is fixed, because a browser stores its data (the compiler, the learner's code)
/// separately for each address and port.
constexpr int kDefaultPort = 8237;

WebServer make_server(const std::filesystem::path& book_folder, const std::optional<int>& port) {
    const GeneratedFiles generated = {{"/own-exercises.js", [book_folder] {
                                           return own_exercises_script(repository(), book_folder);
                                       }}};
    try {
        return {book_folder, port.value_or(kDefaultPort), generated};
    } catch (const PortInUse& error) {
        if (port) throw UsageError(std::string(error.what()) + "; --port 0 uses a free port");
        std::cout << "learn: " << error.what() << ", so another port is used. The browser stores\n"
                  << "code for each address separately, so the code that you wrote at the usual\n"
                  << "address is not shown.\n";
        return {book_folder, 0, generated};
    }
}

void open_in_browser(const std::string& address) {
    for (const char* name : {"xdg-open", "sensible-browser", "open"}) {
        const std::string program = find_program(name);
        if (program.empty()) continue;
        // The command that opens the browser may run until the browser is closed, so wait for it in
        // a separate thread.
        std::thread([program, address] {
            run_to_end({.program = program, .arguments = {address}});
        }).detach();
        return;
    }
    std::cout << "learn: no program that opens a browser was found; open the address yourself\n";
}

}  // namespace

void play(const PlayArguments& arguments) {
    const std::filesystem::path book_folder = programs_folder().parent_path() / "docs" / "html";
    if (!std::filesystem::exists(book_folder / "index.html")) {
        throw UsageError("there is no book in " + book_folder.string() +
                         "; ./learn docs builds it");
    }
    WebServer server = make_server(book_folder, arguments.port);
    std::cout << "The course is at " << server.address() << "\nYour own exercises are at "
              << server.address() << "own.html"
              << "\nOnly this computer can open these pages. Ctrl-C stops the server." << std::endl;
    if (arguments.should_open) open_in_browser(server.address());
    server.serve();
}

}  // namespace coalesce::learn
