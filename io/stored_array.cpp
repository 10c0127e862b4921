// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/stored_array.h"

namespace dimscope::io {

void StoredArray::readConverted(const ArrayBox&, std::span<double>) const {
    place().refuse("has type " + layout().type.text() + ", which this kind of file does not convert",
                   "write float16, float32, float64 or bf16");
}

}  // namespace dimscope::io
