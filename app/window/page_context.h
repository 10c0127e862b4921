// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace dimscope::app {

class Appearance;
class HeadComparison;
class Highlight;
class LayerProfiles;
class WorkspaceModel;

/// What every page stands on; all of it outlives the pages.
struct PageContext {
    const Appearance& appearance;
    WorkspaceModel& model;
    LayerProfiles& profiles;
    HeadComparison& comparison;
    Highlight& highlight;
};

}  // namespace dimscope::app
