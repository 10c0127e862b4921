// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace dimscope::kernels::cuda {

// Sizes and orders shared by the kernels of the quadratic operator. Everything that a matrix instruction reads lies in
// memory in the order of its registers ("fragments" of mma.m16n8k16), so that a thread reads 8 or 16 bytes at a time
// and nothing is transposed on the way. A word is two neighbouring halves; lane = 4 g + c.

inline constexpr int kDim = 64;      ///< head_dim and value_dim, smaller ones padded with zeros
inline constexpr int kColumns = 72;  ///< values, a column of ones for the denominator, zeros up to whole tiles of 8
inline constexpr int kTile = 16;     ///< rows of a matrix instruction, and features or tokens that it sums over
inline constexpr int kBlocks = 16;   ///< blocks of 4 dimensions
inline constexpr int kPairs = kBlocks * (kBlocks + 1) / 2;  ///< pairs of blocks, 16 products each
inline constexpr int kSlices = kDim / kTile;                ///< of the dimensions, 16 each
/// The features in steps of 16: pairs of blocks (R, T), T >= R, R outermost; the dimensions; the constant.
inline constexpr int kSteps = kPairs + kSlices + 1;
inline constexpr int kConstantStep = kSteps - 1;
inline constexpr int kStepWords = kTile * kColumns / 2;  ///< a step of the state, or 16 tokens of values
inline constexpr int kChunk = 128;                       ///< tokens behind one stored state, or a multiple of it
inline constexpr int kRows = 128;                        ///< query rows that a block reads out, one thread each
inline constexpr int kMaxColumns = 8;                    ///< groups, hence squares, of a head

/// Words of 16 tokens of transposed keys: 64 dimensions, a row of ones, a row of zeros, each with 8 pairs of tokens.
inline constexpr int kOnesRow = kDim, kZerosRow = kDim + 1, kKeyRows = kDim + 2;
inline constexpr int kTransposedWords = kKeyRows * 8;
/// Words of 8 keys as the right operand of logits: matrices of 8 keys by 8 dimensions, in the order of stepWord.
inline constexpr int kKeyTileWords = 8 * kDim / 2;

/// Number of the first step of block row R.
constexpr int firstStep(int blockRow) { return blockRow * kBlocks - blockRow * (blockRow - 1) / 2; }

/// Where a word of a state step or of 16 tokens of values lies: matrices of 8 columns by 8 features, a column's 16
/// bytes together, as the matrix instructions of compute capability 9.0 read them from shared memory; there a word's
/// place is the lane that holds it in a register operand.
struct StepWord {
    int tile, lane, which;  ///< column 8 tile + lane / 4, features 2 (lane % 4) + 8 which and the next
};
constexpr StepWord stepWord(int index) { return {index / 64, index % 32, index / 32 % 2}; }

}  // namespace dimscope::kernels::cuda
