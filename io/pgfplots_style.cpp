// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/pgfplots_style.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <string_view>

namespace dimscope::io {
namespace {

using analysis::Ink;
using analysis::MarkerShape;
using analysis::Role;

struct KernelEntry {
    std::string_view name;
    unsigned colour;
    KernelMarker marker;
};

constexpr unsigned kText = 0x1B1F24, kSecondary = 0x59616C;
constexpr unsigned kOrange = 0xE69F00, kSkyBlue = 0x56B4E9, kGreen = 0x009E73, kBlue = 0x0072B2, kVermilion = 0xD55E00,
                   kPurple = 0xCC79A7;

constexpr std::array kKernels{
    KernelEntry{"softmax", kText, {MarkerShape::Disc, true}},
    KernelEntry{"performer", kOrange, {MarkerShape::Square, true}},
    KernelEntry{"rfa", kOrange, {MarkerShape::Square, false}},
    KernelEntry{"polysketch", kOrange, {MarkerShape::Diamond, false}},
    KernelEntry{"spectraformer", kSkyBlue, {MarkerShape::TriangleUp, true}},
    KernelEntry{"spectraformer_unbiased", kSkyBlue, {MarkerShape::TriangleUp, false}},
    KernelEntry{"dijiang", kGreen, {MarkerShape::TriangleDown, true}},
    KernelEntry{"hedgehog", kGreen, {MarkerShape::TriangleUp, false}},
    KernelEntry{"lolcats", kGreen, {MarkerShape::Diamond, true}},
    KernelEntry{"taylorshift", kBlue, {MarkerShape::Diamond, true}},
    KernelEntry{"taylor", kBlue, {MarkerShape::Diamond, false}},
    KernelEntry{"based", kBlue, {MarkerShape::Square, false}},
    KernelEntry{"rebased", kBlue, {MarkerShape::TriangleUp, false}},
    KernelEntry{"power", kBlue, {MarkerShape::TriangleDown, false}},
    KernelEntry{"global", kPurple, {MarkerShape::Square, true}},
    KernelEntry{"linear_zeros", kPurple, {MarkerShape::TriangleDown, true}},
    KernelEntry{"zeros_sm", kPurple, {MarkerShape::TriangleUp, false}},
    KernelEntry{"oal", kVermilion, {MarkerShape::Disc, true}},
    KernelEntry{"elu", kText, {MarkerShape::Square, false}},
    KernelEntry{"cosformer", kText, {MarkerShape::TriangleUp, false}},
    KernelEntry{"retnet", kText, {MarkerShape::Diamond, false}},
};

const KernelEntry* kernelEntry(std::string_view kernel) {
    for (const KernelEntry& entry : kKernels)
        if (entry.name == kernel) return &entry;
    return nullptr;
}

struct NamedColour {
    std::string_view name;
    unsigned colour;
};

NamedColour roleColour(Role role) {
    switch (role) {
        case Role::Text: return {"Text", kText};
        case Role::Secondary: return {"Secondary", kSecondary};
        case Role::BulkQuery: return {"BulkQuery", 0x8B939E};
        case Role::BulkKey: return {"BulkKey", 0xB3BAC3};
        case Role::OutlierQuery: return {"OutlierQuery", kVermilion};
        case Role::OutlierKey: return {"OutlierKey", 0xEA9A5C};
        case Role::OutlierText: return {"OutlierText", 0xB34E00};
        case Role::Partner: return {"Partner", kSkyBlue};
        case Role::Band: return {"Band", 0xF0F6FA};
        case Role::Accent: return {"Accent", 0x0068A3};
        case Role::Kernel: break;
    }
    return {"Text", kText};
}

}  // namespace

const std::string& PgfplotsColours::name(const Ink& ink) {
    const auto define = [this](const std::string& name, unsigned colour) -> const std::string& {
        return used_.try_emplace(name, colour).first->first;
    };
    const KernelEntry* kernel = kernelEntry(ink.kernel);
    if (ink.role == Role::Kernel && !kernel) return define("inkOther", kSecondary);
    if (ink.role != Role::Kernel) {
        const NamedColour role = roleColour(ink.role);
        return define(fmt::format("ink{}", role.name), role.colour);
    }
    std::string name = "ink";
    bool capital = true;
    for (const char c : kernel->name) {
        if (c != '_') name += capital ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        capital = c == '_';
    }
    return define(name, kernel->colour);
}

std::string PgfplotsColours::definitions() const {
    std::string out;
    for (const auto& [name, colour] : used_)
        out += fmt::format("\\definecolor{{{}}}{{HTML}}{{{:06X}}}\n", name, colour);
    return out;
}

KernelMarker kernelMarker(const std::string& kernel) {
    const KernelEntry* entry = kernelEntry(kernel);
    return entry ? entry->marker : KernelMarker{};
}

std::string markerOptions(MarkerShape shape, bool filled, const std::string& colour) {
    std::string mark = "*";
    switch (shape) {
        case MarkerShape::Disc: break;
        case MarkerShape::Square: mark = "square*"; break;
        case MarkerShape::Diamond: mark = "diamond*"; break;
        case MarkerShape::TriangleUp:
        case MarkerShape::TriangleDown: mark = "triangle*"; break;
    }
    return fmt::format("mark={}, mark options={{solid, draw={}, fill={}{}}}", mark, colour, filled ? colour : "white",
                       shape == MarkerShape::TriangleDown ? ", rotate=180" : "");
}

std::string colourMapOptions(analysis::ColourMap map) {
    // Cividis (Nuñez, Anderton, Renslow 2018) at 17 even steps; a diverging map through white.
    constexpr std::array kCividis{0x00224EU, 0x002E6AU, 0x1A386FU, 0x32436DU, 0x434E6CU, 0x535A6DU,
                                  0x61656FU, 0x6F7073U, 0x7D7C78U, 0x8B8778U, 0x9A9376U, 0xAAA073U,
                                  0xBBAD6DU, 0xCCBA64U, 0xDDC858U, 0xEFD748U, 0xFEE838U};
    constexpr std::array kDiverging{kBlue, 0xFFFFFFU, kVermilion};
    std::string stops;
    const auto add = [&stops](unsigned c) {
        stops += fmt::format(" rgb255=({},{},{})", c >> 16, c >> 8 & 0xFFU, c & 0xFFU);
    };
    if (map == analysis::ColourMap::Cividis)
        for (const unsigned colour : kCividis) add(colour);
    else
        for (const unsigned colour : kDiverging) add(colour);
    return fmt::format("colormap={{{}}}{{{} }}", map == analysis::ColourMap::Cividis ? "cividis" : "diverging", stops);
}

}  // namespace dimscope::io
