// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cpu/operator/lane_body.h"

// exp, powers of two, log, sine and cosine of whole vectors; see lane_body.h for why everything here is internal.

namespace dimscope::kernels::cpu {
namespace {

constexpr int kWideWidth = kWidth / 2;
using Wide = double __attribute__((vector_size(kWidth * sizeof(float))));
using WideBits = std::uint64_t __attribute__((vector_size(kWidth * sizeof(float))));
using UnalignedWide = double __attribute__((vector_size(kWidth * sizeof(float)), aligned(8), may_alias));

inline Wide loadWide(const double* p) { return *reinterpret_cast<const UnalignedWide*>(p); }
inline void storeWide(double* p, Wide v) { *reinterpret_cast<UnalignedWide*>(p) = v; }
inline Wide spreadWide(double x) { return x - Wide{}; }

/// Four floats or more as doubles.
using Half = float __attribute__((vector_size(kWidth * sizeof(float) / 2), aligned(4), may_alias));
inline Wide widened(const float* p) { return __builtin_convertvector(*reinterpret_cast<const Half*>(p), Wide); }

/// 2^x for -127 <= x <= 0, 0 at -127, NaN stays NaN. The polynomial 1 + .. on [-1/2, 1/2] whose largest relative error
/// is least (9e-8, 1.7e-7 with rounding); adding 1.5 * 2^23 + 127 rounds and leaves the biased exponent in the low
/// bits.
inline Vector powerOfTwoInRange(Vector x) {
    constexpr float kRound = 12582912.0F + 127.0F;
    const Vector rounded = x + kRound;
    const Vector f = x - (rounded - kRound);
    Vector y = spread(1.3264727e-3F);
    y = y * f + 9.671513e-3F;
    y = y * f + 5.5507336e-2F;
    y = y * f + 2.4022242e-1F;
    y = y * f + 6.93147e-1F;
    y = y * f + 1.0F;
    const Bits exponent = reinterpret_cast<Bits>(rounded) << 23;
    return y * reinterpret_cast<Vector>(exponent);
}

/// 2^x for x <= 0, 0 below -127.
inline Vector powerOfTwo(Vector x) { return powerOfTwoInRange(x < -127.0F ? spread(-127.0F) : x); }

/// e^x for x <= 88 (larger ones count as 88), 0 below -87.7, NaN stays NaN. The nearest multiple of ln 2 is taken off
/// in two parts, the first exact; then the polynomial of Cephes expf: relative error 2e-7.
inline Vector exponential(Vector x) {
    constexpr float kRound = 12582912.0F;  // 1.5 * 2^23 rounds and leaves the integer in the low bits
    x = x < -88.0F ? spread(-88.0F) : x;
    x = x > 88.0F ? spread(88.0F) : x;
    const Vector rounded = x * 1.44269504088896341F + kRound;
    const Vector n = rounded - kRound;
    const Vector f = (x - n * 0.693359375F) + n * 2.12194440e-4F;
    Vector y = spread(1.9875691500e-4F);
    y = y * f + 1.3981999507e-3F;
    y = y * f + 8.3334519073e-3F;
    y = y * f + 4.1665795894e-2F;
    y = y * f + 1.6666665459e-1F;
    y = y * f + 5.0000001201e-1F;
    y = (y * f) * f + f + 1.0F;
    const Bits exponent = (reinterpret_cast<Bits>(rounded) + 127) << 23;
    return y * reinterpret_cast<Vector>(exponent);
}

/// e^x for x <= 0, 0 below -708.7, NaN stays NaN. As above; the remainder of its Taylor series is 6e-15.
inline Wide exponentialWide(Wide x) {
    constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
    x = x < -708.8 ? spreadWide(-708.8) : x;
    const Wide rounded = x * 1.4426950408889634074 + kRound;
    const Wide n = rounded - kRound;
    const Wide f = (x - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6;
    Wide y = spreadWide(1.0 / 39916800);
    y = y * f + 1.0 / 3628800;
    y = y * f + 1.0 / 362880;
    y = y * f + 1.0 / 40320;
    y = y * f + 1.0 / 5040;
    y = y * f + 1.0 / 720;
    y = y * f + 1.0 / 120;
    y = y * f + 1.0 / 24;
    y = y * f + 1.0 / 6;
    y = y * f + 0.5;
    y = y * f + 1.0;
    y = y * f + 1.0;
    const WideBits exponent = (reinterpret_cast<WideBits>(rounded) + 1023) << 52;
    return y * reinterpret_cast<Wide>(exponent);
}

/// ln x of positive normal numbers: x = 2^e m with m within a factor sqrt 2 of 1, ln m = 2 artanh((m - 1) / (m + 1)) by
/// its series; the first term left out is 3e-14 of the sum.
inline Wide logarithmWide(Wide x) {
    constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcdU, kOne = 0x3ff0000000000000U, kTwo52 = 0x4330000000000000U;
    const WideBits biased = (reinterpret_cast<WideBits>(x) - kRootHalf + kOne) >> 52;  // e + 1023
    const Wide e = reinterpret_cast<Wide>(biased | kTwo52) - (4503599627370496.0 + 1023.0);
    const Wide m = reinterpret_cast<Wide>(reinterpret_cast<WideBits>(x) - (biased << 52) + kOne);
    const Wide s = (m - 1.0) / (m + 1.0);
    const Wide z = s * s;
    Wide y = spreadWide(2.0 / 15);
    y = y * z + 2.0 / 13;
    y = y * z + 2.0 / 11;
    y = y * z + 2.0 / 9;
    y = y * z + 2.0 / 7;
    y = y * z + 2.0 / 5;
    y = y * z + 2.0 / 3;
    y = y * z + 2.0;
    return e * 0.69314718055994530942 + s * y;
}

struct SineCosine {
    Wide sine, cosine;
};

/// Angles below 1e6, to 4e-11: the angle less the nearest multiple of pi/2 (in two parts, the first times any integer
/// up to 2^20 exact), then Taylor series up to pi/4.
inline SineCosine sineCosineWide(Wide angle) {
    constexpr double kRound = 6755399441055744.0;
    constexpr double kHalfPiHigh = 0x1.921fb544p+0, kHalfPiLow = 1.57079632679489661923 - kHalfPiHigh;
    const Wide rounded = angle * 0.63661977236758134308 + kRound;
    const Wide n = rounded - kRound;
    const Wide x = (angle - n * kHalfPiHigh) - n * kHalfPiLow;
    const Wide y = x * x;
    const Wide sine =
        x * (1.0 + y * (-1.0 / 6 + y * (1.0 / 120 + y * (-1.0 / 5040 + y * (1.0 / 362880 - y * (1.0 / 39916800))))));
    const Wide cosine =
        1.0 + y * (-1.0 / 2 + y * (1.0 / 24 + y * (-1.0 / 720 +
                                                   y * (1.0 / 40320 + y * (-1.0 / 3628800 + y * (1.0 / 479001600))))));
    const WideBits quarter = reinterpret_cast<WideBits>(rounded);
    const WideBits odd = WideBits{} - (quarter & 1);  // all bits set where sine and cosine change places
    const WideBits s = reinterpret_cast<WideBits>(sine), c = reinterpret_cast<WideBits>(cosine);
    const WideBits swappedSine = (s & ~odd) | (c & odd), swappedCosine = (c & ~odd) | (s & odd);
    return {reinterpret_cast<Wide>(swappedSine ^ ((quarter & 2) << 62)),
            reinterpret_cast<Wide>(swappedCosine ^ (((quarter + 1) & 2) << 62))};
}

}  // namespace
}  // namespace dimscope::kernels::cpu
