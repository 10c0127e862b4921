// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include "analysis/figure.h"

namespace dimscope::io {

/// Names of the colours that a figure uses, defined at its top so that a paper can change them in one place.
class PgfplotsColours {
public:
    /// Name of an ink's colour: "inkOutlierQuery", "inkPerformer".
    const std::string& name(const analysis::Ink& ink);
    /// \definecolor lines of every colour named so far.
    std::string definitions() const;

private:
    std::map<std::string, unsigned> used_;  // 0xRRGGBB, print values
};

/// Marker of a kernel, the same as on the screen.
struct KernelMarker {
    analysis::MarkerShape shape = analysis::MarkerShape::Disc;
    bool filled = true;
};
KernelMarker kernelMarker(const std::string& kernel);

/// "mark=square*, mark options={solid, fill=inkPerformer}".
std::string markerOptions(analysis::MarkerShape shape, bool filled, const std::string& colour);

/// pgfplots colormap definition of a heat map's colours, position 0 to 1.
std::string colourMapOptions(analysis::ColourMap map);

}  // namespace dimscope::io
