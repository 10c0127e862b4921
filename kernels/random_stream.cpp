// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/random_stream.h"

#include <cmath>
#include <limits>
#include <numbers>

// Random123 carries its own casts.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include <Random123/philox.h>
#pragma GCC diagnostic pop

namespace dimscope::kernels {

RandomStream::RandomStream(std::uint64_t seed, RandomPurpose purpose, int layer, int head)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, static_cast<std::uint32_t>(purpose), static_cast<std::uint32_t>(layer),
               static_cast<std::uint32_t>(head)} {}

void RandomStream::refill() {
    const r123::Philox4x32::ctr_type counter = {{counter_[0], counter_[1], counter_[2], counter_[3]}};
    const r123::Philox4x32::key_type key = {{key_[0], key_[1]}};
    const r123::Philox4x32::ctr_type out = r123::Philox4x32{}(counter, key);
    block_ = {(std::uint64_t{out[0]} << 32) | out[1], (std::uint64_t{out[2]} << 32) | out[3]};
    ++counter_[0];
    left_ = 2;
}

std::uint64_t RandomStream::next64() {
    if (left_ == 0) refill();
    return block_[static_cast<std::size_t>(2 - left_--)];
}

double RandomStream::uniform() { return static_cast<double>(next64() >> 11) * 0x1.0p-53; }

double RandomStream::normal() {
    if (hasSpare_) {
        hasSpare_ = false;
        return spareNormal_;
    }
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));  // 1 - u lies in (0, 1]
    const double angle = 2.0 * std::numbers::pi * uniform();
    spareNormal_ = radius * std::sin(angle);
    hasSpare_ = true;
    return radius * std::cos(angle);
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
    const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / bound * bound;
    std::uint64_t draw = next64();
    while (draw >= limit) draw = next64();
    return draw % bound;
}

}  // namespace dimscope::kernels
