#include "lab/proof/bench/share_chart.h"

#include <algorithm>

#include "harness/text.h"
#include "lab/proof/bench/svg.h"

namespace coalesce::proof {
namespace {

constexpr const char* kColours[] = {kBlue, kGrey, kAmber};
constexpr double kLeft = 290, kRight = 640, kTop = 70, kBar = 13, kGap = 9;

double at(double share) {
    return kLeft + (kRight - kLeft) * share;
}

void draw_legend(Svg& svg, const std::vector<std::string>& compared) {
    double x = kLeft;
    for (std::size_t i = 0; i < compared.size(); ++i) {
        svg.box({x, 36}, 11, 11, kColours[i]);
        svg.text({x + 16, 46}, compared[i], Anchor::start, 11);
        x += 40 + 7 * static_cast<double>(compared[i].size());
    }
}

void draw_grid(Svg& svg, double bottom, const std::string& whole) {
    for (const int percent : {0, 25, 50, 75, 100}) {
        const double x = at(percent / 100.0);
        svg.line({x, kTop - 6}, {x, bottom}, kGridColour);
        svg.text({x, bottom + 14}, format("%d %%", percent), Anchor::middle, 11,
                 kSecondaryTextColour);
    }
    svg.text({at(0.5), bottom + 32}, whole, Anchor::middle, 11, kSecondaryTextColour);
}

void draw_bars(Svg& svg, const ShareChartItem& thing, double y) {
    const double height = kBar * static_cast<double>(thing.fractions_of_compared.size());
    svg.text({kLeft - 8, y + height / 2 + 4}, thing.name, Anchor::end);
    for (std::size_t i = 0; i < thing.fractions_of_compared.size(); ++i) {
        const double share = thing.fractions_of_compared[i];
        const double top = y + kBar * static_cast<double>(i);
        if (share < 0) continue;
        svg.box({kLeft, top}, at(share) - kLeft, kBar - 2, kColours[i]);
        svg.text({at(share) + 6, top + kBar - 3}, format("%.1f %%", 100 * share), Anchor::start, 11,
                 kSecondaryTextColour);
    }
}

double fraction_of_copy(const Json& row) {
    return row.value("of_copy", -1.0);
}

/// Returns the name of a shape, such as "float, tall, 1000003 x 37".
std::string format_shape(const Json& row) {
    const int batches = row.value("batches", 1);
    return row.value("case", "") + ", " + (batches > 1 ? format("%d x ", batches) : "") +
           format("%d x %d", row.value("rows", 0), row.value("cols", 0));
}

/// Returns the first part of a variant's name, such as "nccl" for "nccl/8-64K-30us".
std::string way_name(const Json& result) {
    const std::string variant = result.value("variant", "");
    return variant.substr(0, variant.find('/'));
}

double best_gbps_of_way(const Json& measured, const std::string& way) {
    double best = -1;
    for (const Json& result : measured.at("results")) {
        if (way_name(result) == way && result.value("verified", false)) {
            best = std::max(best, result.value("of_link", -1.0));
        }
    }
    return best;
}

}  // namespace

std::string share_chart(const ShareChartTexts& texts, const std::vector<ShareChartItem>& things) {
    const double step = kBar * static_cast<double>(texts.compared.size()) + kGap;
    const double bottom = kTop + step * static_cast<double>(things.size());
    Svg svg(760, static_cast<int>(bottom) + 44, texts.title);
    svg.text({14, 24}, texts.title, Anchor::start, 14);
    draw_legend(svg, texts.compared);
    draw_grid(svg, bottom, texts.whole);
    for (std::size_t i = 0; i < things.size(); ++i) {
        draw_bars(svg, things[i], kTop + step * static_cast<double>(i));
    }
    return svg.finish();
}

std::string shapes_chart(const Json& shapes) {
    std::vector<ShareChartItem> things;
    for (const Json& row : shapes.at("results")) {
        things.push_back(
            {format_shape(row),
             {fraction_of_copy(row), fraction_of_copy(row.value("torch_copy", Json::object()))}});
    }
    return share_chart(
        {.title = "Transposes of all shapes: " + shapes["device"].value("name", "") + ", measured",
         .whole = "of a copy of the same bytes",
         .compared = {"coalesce::transpose", "PyTorch"}},
        things);
}

std::string links_chart(const std::vector<Json>& of_gpus) {
    ShareChartTexts texts{.title = "One matrix over several GPUs: ",
                          .whole = "of the link's speed, each way with its best number of chunks",
                          .compared = {}};
    std::vector<ShareChartItem> things;
    for (const Json& measured : of_gpus) {
        const Json& device = measured.at("device");
        texts.compared.push_back(format("%d x ", device.value("gpus", 0)) +
                                 device.value("name", ""));
        for (const Json& result : measured.at("results")) {
            if (std::ranges::find(things, way_name(result), &ShareChartItem::name) ==
                things.end()) {
                things.push_back({way_name(result), {}});
            }
        }
    }
    for (ShareChartItem& thing : things) {
        for (const Json& measured : of_gpus) {
            thing.fractions_of_compared.push_back(best_gbps_of_way(measured, thing.name));
        }
    }
    const Json& first = of_gpus.at(0);
    texts.title += format("%d x %d floats, measured", first["results"][0].value("rows", 0),
                          first["results"][0].value("cols", 0));
    return share_chart(texts, things);
}

}  // namespace coalesce::proof
