// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/latex_text.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace dimscope::io {
namespace {

using Replacement = std::pair<std::string_view, std::string_view>;

/// Longer keys before their own beginnings.
constexpr std::array kReplacements{
    Replacement{"<i>", "\\textit{"},
    Replacement{"</i>", "}"},
    Replacement{"<sub>", "\\textsubscript{"},
    Replacement{"</sub>", "}"},
    Replacement{"\\", "\\textbackslash{}"},
    Replacement{"{", "\\{"},
    Replacement{"}", "\\}"},
    Replacement{"$", "\\$"},
    Replacement{"&", "\\&"},
    Replacement{"%", "\\%"},
    Replacement{"#", "\\#"},
    Replacement{"_", "\\_"},
    Replacement{"~", "\\textasciitilde{}"},
    Replacement{"^", "\\textasciicircum{}"},
    Replacement{"<", "\\ensuremath{<}"},
    Replacement{">", "\\ensuremath{>}"},
    Replacement{"|", "\\ensuremath{|}"},
    Replacement{"\"", "\\char34{}"},
    Replacement{"\r\n", " "},
    Replacement{"\n", " "},
    Replacement{"\r", " "},
    Replacement{"\t", " "},
    Replacement{"·", "\\ensuremath{\\cdot}"},
    Replacement{"×", "\\ensuremath{\\times}"},
    Replacement{"−", "\\ensuremath{-}"},
    Replacement{"±", "\\ensuremath{\\pm}"},
    Replacement{"≤", "\\ensuremath{\\leq}"},
    Replacement{"≥", "\\ensuremath{\\geq}"},
    Replacement{"≈", "\\ensuremath{\\approx}"},
    Replacement{"∞", "\\ensuremath{\\infty}"},
    Replacement{"→", "\\ensuremath{\\rightarrow}"},
    Replacement{"←", "\\ensuremath{\\leftarrow}"},
    Replacement{"…", "\\ldots{}"},
    Replacement{"–", "--"},
    Replacement{"—", "---"},
    Replacement{"‘", "`"},
    Replacement{"’", "'"},
    Replacement{"“", "``"},
    Replacement{"”", "''"},
    Replacement{"α", "\\ensuremath{\\alpha}"},
    Replacement{"β", "\\ensuremath{\\beta}"},
    Replacement{"γ", "\\ensuremath{\\gamma}"},
    Replacement{"δ", "\\ensuremath{\\delta}"},
    Replacement{"Δ", "\\ensuremath{\\Delta}"},
    Replacement{"ε", "\\ensuremath{\\varepsilon}"},
    Replacement{"θ", "\\ensuremath{\\theta}"},
    Replacement{"λ", "\\ensuremath{\\lambda}"},
    Replacement{"μ", "\\ensuremath{\\mu}"},
    Replacement{"µ", "\\ensuremath{\\mu}"},
    Replacement{"π", "\\ensuremath{\\pi}"},
    Replacement{"ρ", "\\ensuremath{\\rho}"},
    Replacement{"σ", "\\ensuremath{\\sigma}"},
    Replacement{"τ", "\\ensuremath{\\tau}"},
    Replacement{"φ", "\\ensuremath{\\varphi}"},
    Replacement{"χ", "\\ensuremath{\\chi}"},
    Replacement{"ω", "\\ensuremath{\\omega}"},
    Replacement{"⁰", "\\ensuremath{^0}"},
    Replacement{"¹", "\\ensuremath{^1}"},
    Replacement{"²", "\\ensuremath{^2}"},
    Replacement{"³", "\\ensuremath{^3}"},
    Replacement{"⁴", "\\ensuremath{^4}"},
    Replacement{"⁵", "\\ensuremath{^5}"},
    Replacement{"⁶", "\\ensuremath{^6}"},
    Replacement{"⁷", "\\ensuremath{^7}"},
    Replacement{"⁸", "\\ensuremath{^8}"},
    Replacement{"⁹", "\\ensuremath{^9}"},
    Replacement{"⁻", "\\ensuremath{^-}"},
};

const Replacement* replacementAt(std::string_view text) {
    for (const Replacement& entry : kReplacements)
        if (text.starts_with(entry.first)) return &entry;
    return nullptr;
}

/// Bytes of the UTF-8 character at the start of a text.
std::size_t characterBytes(std::string_view text) {
    std::size_t count = 1;
    while (count < text.size() && (static_cast<unsigned char>(text[count]) & 0xC0U) == 0x80U) ++count;
    return count;
}

/// Latin letters are known to every LaTeX; of a token in another script or a stray byte only its place is shown.
bool known(std::string_view character) {
    const auto lead = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return lead >= 0x20 && lead < 0x7F;
    return character.size() == 2 && lead >= 0xC3 && lead <= 0xC5;
}

/// Unmatched tags would leave a brace open: they are text then.
bool tagsMatch(std::string_view text, std::string_view open, std::string_view close) {
    int depth = 0;
    for (std::size_t n = 0; n < text.size(); ++n) {
        if (text.substr(n).starts_with(open)) ++depth;
        if (text.substr(n).starts_with(close) && --depth < 0) return false;
    }
    return depth == 0;
}

}  // namespace

std::string latexText(std::string_view text) {
    const bool tags = tagsMatch(text, "<i>", "</i>") && tagsMatch(text, "<sub>", "</sub>");
    std::string out;
    while (!text.empty()) {
        const Replacement* found = replacementAt(text);
        if (found && found->first.front() == '<' && found->first.size() > 1 && !tags) {
            out += "\\ensuremath{<}";
            text.remove_prefix(1);
        } else if (found) {
            out += found->second;
            text.remove_prefix(found->first.size());
        } else {
            const std::string_view character = text.substr(0, characterBytes(text));
            out += known(character) ? character : std::string_view("?");
            text.remove_prefix(character.size());
        }
    }
    return out;
}

std::string latexNumber(std::string_view text) {
    std::string out(text);
    const auto replace = [&out](std::string_view from, std::string_view to) {
        if (const std::size_t at = out.find(from); at != std::string::npos) out.replace(at, from.size(), to);
    };
    if (out.find_first_of("0123456789") == std::string::npos) return latexText(text);
    replace(" %", "\\,\\%");
    const std::size_t power = out.find('e');
    if (power != std::string::npos) {
        const std::size_t end = out.find_first_not_of("-+0123456789", power + 1);
        const std::string digits = out.substr(power + 1, end == std::string::npos ? end : end - power - 1);
        out.replace(power, 1 + digits.size(), "\\times10^{" + digits + "}");
    }
    return power != std::string::npos || out.front() == '-' ? "\\ensuremath{" + out + "}" : out;
}

std::string latexComment(std::string_view text) {
    std::string out = "% ";
    for (const char c : text) {
        const bool newLine = c == '\n' || c == '\r';
        out += newLine ? std::string("\n% ") : std::string(1, c);
    }
    return out + "\n";
}

}  // namespace dimscope::io
