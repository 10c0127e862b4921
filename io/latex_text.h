// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace dimscope::io {

/// Any text as LaTeX source that prints it: specials escaped, line breaks as spaces, Greek and mathematical signs as
/// commands, so that pdflatex with standard packages takes it. <i>, </i>, <sub> and </sub> are understood (figure.h).
std::string latexText(std::string_view text);

/// A number as displayText writes it ("-1.77e6", "14.9 %"), with a true minus sign, power of ten and percent sign.
std::string latexNumber(std::string_view text);

/// "% " before each line, so that nothing in `text` is read as LaTeX.
std::string latexComment(std::string_view text);

}  // namespace dimscope::io
