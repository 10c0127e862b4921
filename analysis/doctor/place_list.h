// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace dimscope::analysis {

/// The first of several findings in a sentence, and how many more there are: "layer 4 head 1, layer 12 head 0 and 7
/// more".
class PlaceList {
public:
    void add(std::string place) { places_.push_back(std::move(place)); }
    bool empty() const { return places_.empty(); }
    std::size_t size() const { return places_.size(); }
    std::string text() const {
        constexpr std::size_t kShown = 6;
        std::string text;
        for (std::size_t n = 0; n < places_.size() && n < kShown; ++n) text += (n == 0 ? "" : ", ") + places_[n];
        if (places_.size() > kShown) text += " and " + std::to_string(places_.size() - kShown) + " more";
        return text;
    }

private:
    std::vector<std::string> places_;
};

}  // namespace dimscope::analysis
