# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes an attention dump (format 1) of any Hugging Face causal language model: resources/docs/capture.md."""
