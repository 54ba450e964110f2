#include "site.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "dress.h"
#include "frame.h"
#include "html_reader.h"
#include "search_index.h"

namespace coalesce::book {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> list_html_files(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".html") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    if (files.empty())
        throw BookError(folder.string() + ": there are no pages; build the book first");
    return files;
}

}  // namespace

namespace {

std::map<std::string, std::set<std::string>> collect_links(const fs::path& folder) {
    std::map<std::string, std::set<std::string>> links;
    for (const fs::path& file : list_html_files(folder)) {
        const std::string html = read_file(file);
        std::set<std::string>& targets = links[file.filename().string()];
        std::size_t position = 0;
        for (Tag tag; find_tag(html, position, tag); position = tag.end) {
            const std::string target = tag.attribute("href");
            targets.insert(target.substr(0, target.find_first_of("?#")));
        }
    }
    return links;
}

}  // namespace

std::vector<std::string> find_unreachable_pages(const fs::path& folder) {
    const auto links = collect_links(folder);
    std::set<std::string> reachable_pages{"index.html"};
    for (std::vector<std::string> pending_pages{"index.html"}; !pending_pages.empty();) {
        const auto page = links.find(pending_pages.back());
        pending_pages.pop_back();
        if (page == links.end()) continue;
        for (const std::string& target : page->second) {
            if (links.contains(target) && reachable_pages.insert(target).second)
                pending_pages.push_back(target);
        }
    }
    std::vector<std::string> unreachable_pages;
    for (const auto& [name, targets] : links) {
        if (!reachable_pages.contains(name)) unreachable_pages.push_back(name);
    }
    return unreachable_pages;
}

namespace {

/// Adds a class to the body of the page. The class names the layout: the front page, or a lesson
/// with an editor.
std::string add_layout_class(std::string html) {
    const std::string body_tag = "<body>";
    const std::size_t body_position = html.find(body_tag);
    const auto set_body_class = [&](const std::string& name) {
        html.replace(body_position, body_tag.size(), "<body class=\"" + name + "\">");
    };
    if (body_position == html.npos) return html;
    if (html.find("class=\"hero\"") != html.npos)
        set_body_class("front-page");
    else if (html.find("class=\"your-turn\"") != html.npos)
        set_body_class("with-editor");
    return html;
}

}  // namespace

void finish_site(const fs::path& folder, const Contents& contents) {
    // Delete the lists that Doxygen generates but the book does not use.
    for (const std::string& name : find_unreachable_pages(folder)) fs::remove(folder / name);
    nlohmann::json index = nlohmann::json::array();
    const auto add_to_index = [&](const std::string& name, const std::string& html) {
        for (auto& section : list_sections(name, html)) index.push_back(section);
    };
    bool has_explorer = false;
    for (const fs::path& file : list_html_files(folder)) {
        const std::string name = file.filename().string();
        std::string html = read_file(file);
        const std::string placeholder = "<!-- neighbours -->";
        const std::size_t placeholder_begin = html.find(placeholder);
        if (placeholder_begin == html.npos) continue;  // Doxygen did not generate this page
        has_explorer = has_explorer || html.find("href=\"explorer.html\"") != html.npos;
        html.replace(placeholder_begin, placeholder.size(),
                     previous_and_next_links_html(name, contents));
        html = postprocess_page(html, contents.root / "docs/diagrams", name);
        html = add_layout_class(html);
        write_text(file, html);
        add_to_index(name, html);
    }
    for (const char* name : {"explorer.html", "playground.html"}) {
        if (!has_explorer) continue;
        const std::string html =
            application_page_html(read_file(contents.root / "common/page" / name), contents);
        write_text(folder / name, html);
        add_to_index(name, html);
    }
    write_text(folder / "search-index.js",
               "window.searchIndex = " +
                   index.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + ";\n");
}

// ---- the checks ----

namespace {

struct CheckedPage {
    std::string name;
    std::set<std::string> anchors;
    struct LinkUse {
        std::string tag, target;
    };
    std::vector<LinkUse> link_uses;
    std::vector<std::string> duplicate_anchors;
    bool has_code = false;
};

CheckedPage read_page(const fs::path& file) {
    CheckedPage page;
    page.name = file.filename().string();
    const std::string html = read_file(file);
    page.has_code = html.find("<div class=\"fragment\"><div class=\"line\">") != html.npos;
    std::size_t position = 0;
    for (Tag tag; find_tag(html, position, tag); position = tag.end) {
        const std::string element_id = tag.attribute("id"),
                          name = tag.name == "a" ? tag.attribute("name") : "";
        if (!element_id.empty() && !page.anchors.insert(element_id).second && element_id != name)
            page.duplicate_anchors.push_back(element_id);
        if (!name.empty()) page.anchors.insert(name);
        for (const char* attribute_name : {"href", "src"}) {
            if (tag.has_attribute(attribute_name))
                page.link_uses.push_back({tag.name, tag.attribute(attribute_name)});
        }
    }
    return page;
}

bool is_external_link(const std::string& target) {
    return target.find("://") != target.npos || target.starts_with("//");
}

std::string find_fault(const CheckedPage::LinkUse& link_use, const CheckedPage& page,
                       const fs::path& folder, const std::map<std::string, CheckedPage>& pages) {
    if (link_use.target.starts_with("data:")) return "";
    if (is_external_link(link_use.target)) {
        return link_use.tag == "a" ? ""
                                   : "<" + link_use.tag + "> from another host: " + link_use.target;
    }
    const std::size_t hash_index = link_use.target.find('#');
    const std::string file = link_use.target.substr(0, hash_index);
    const std::string anchor =
        hash_index == link_use.target.npos ? "" : link_use.target.substr(hash_index + 1);
    if (!file.empty() && !fs::is_regular_file(folder / file)) return "no file " + file;
    const auto target = pages.find(file.empty() ? page.name : file);
    // In links to the explorer and the playground, the part after # is not an anchor. It describes
    // the state of the page.
    const bool holds_page_state = file == "explorer.html" || file == "playground.html";
    if (anchor.empty() || target == pages.end() || holds_page_state) return "";
    return target->second.anchors.contains(anchor)
               ? ""
               : "no anchor #" + anchor + " in " + target->first;
}

}  // namespace

std::vector<std::string> find_site_faults(const fs::path& folder) {
    std::map<std::string, CheckedPage> pages;
    for (const fs::path& file : list_html_files(folder)) {
        CheckedPage page = read_page(file);
        pages[page.name] = page;
    }
    std::vector<std::string> faults;
    for (const auto& [name, page] : pages) {
        for (const CheckedPage::LinkUse& link_use : page.link_uses) {
            const std::string fault = find_fault(link_use, page, folder, pages);
            if (!fault.empty()) faults.push_back(name + ": " + fault);
        }
        for (const std::string& element_id : page.duplicate_anchors)
            faults.push_back(name + ": two elements are #" + element_id);
        if (name.starts_with("lesson_") && !page.has_code) {
            faults.push_back(name +
                             ": a lesson must show its kernel, but this page contains no code");
        }
    }
    for (const std::string& name : find_unreachable_pages(folder)) {
        faults.push_back(name + ": no page links to this page");
    }
    return faults;
}

}  // namespace coalesce::book
