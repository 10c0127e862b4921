// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analysis/provenance.h"
#include "io/dump/attribute_scope.h"
#include "io/dump/number_decoding.h"

namespace dimscope::io {

/// How the numbers of an array are written, from its type and what its attributes say about it (formats.md, section 1:
/// encoding, scale_factor). What was assumed becomes a warning. Throws FormatError for types that are no numbers, and
/// for bit patterns and integers about which nothing says what they mean: they are never shown as numbers unasked.
NumberFormat numberFormatOf(const StoredArray& array, const AttributeScope& scope,
                            std::vector<analysis::Warning>& warnings);

}  // namespace dimscope::io
