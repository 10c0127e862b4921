// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/contribution_pieces.h"

#include <fmt/format.h>

#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

constexpr const char* kProfileKey = "profile";

/// Prompts, then per head: layer, head, values that are not finite, head_dim, chi, chi of every prompt.
Piece profilePiece(const ProfileResult& profile) {
    Piece piece{{static_cast<double>(profile.prompts.size())}, {}};
    for (const PromptIndex prompt : profile.prompts) piece.numbers.push_back(prompt.value);
    for (const HeadProfile& head : profile.heads) {
        const bool usable = head.usable();
        piece.numbers.insert(piece.numbers.end(),
                             {static_cast<double>(head.layer.value), static_cast<double>(head.head.value),
                              static_cast<double>(head.nonFinite), static_cast<double>(usable ? head.chi.size() : 0)});
        if (!usable) continue;
        piece.numbers.insert(piece.numbers.end(), head.chi.begin(), head.chi.end());
        const std::vector<double>& perPrompt = head.chiPrompts.values();
        piece.numbers.insert(piece.numbers.end(), perPrompt.begin(), perPrompt.end());
    }
    return piece;
}

/// Reads numbers one after another; throws ShapeError where they end too soon.
class NumberReader {
public:
    explicit NumberReader(const std::vector<double>& numbers) : numbers_(numbers) {}
    bool atEnd() const { return at_ == numbers_.size(); }
    double next() {
        if (atEnd()) throw kernels::ShapeError(fmt::format("piece {} is too short", kProfileKey));
        return numbers_[at_++];
    }
    std::vector<double> next(std::size_t count) {
        std::vector<double> values;
        for (std::size_t n = 0; n < count; ++n) values.push_back(next());
        return values;
    }

private:
    const std::vector<double>& numbers_;
    std::size_t at_ = 0;
};

ProfileResult profileFrom(const Piece& piece) {
    ProfileResult profile;
    NumberReader reader(piece.numbers);
    const auto prompts = static_cast<Index>(reader.next());
    for (Index p = 0; p < prompts; ++p) profile.prompts.emplace_back(static_cast<int>(reader.next()));
    while (!reader.atEnd()) {
        HeadProfile head;
        head.layer = LayerIndex{static_cast<int>(reader.next())};
        head.head = HeadIndex{static_cast<int>(reader.next())};
        head.nonFinite = static_cast<Index>(reader.next());
        const auto dim = static_cast<std::size_t>(reader.next());
        head.chi = reader.next(dim);
        head.chiPrompts = kernels::Matrix<double>(prompts, static_cast<Index>(dim));
        for (Index p = 0; p < prompts; ++p)
            for (Index r = 0; r < static_cast<Index>(dim); ++r) head.chiPrompts(p, r) = reader.next();
        profile.heads.push_back(std::move(head));
    }
    return profile;
}

}  // namespace

std::optional<ProfileResult> contributions(const Selection& selection, const std::vector<PromptIndex>& prompts,
                                           HeadSource& source, kernels::Backend& backend, Pieces& pieces,
                                           const RunControl& control) {
    Selection calibration = selection;
    calibration.prompts = prompts;
    const std::optional<Piece> piece = pieces.getShared(
        kProfileKey, [&] { return profilePiece(profileHeads(calibration, source, backend, control)); });
    if (!piece) return std::nullopt;
    return profileFrom(*piece);
}

}  // namespace dimscope::analysis
