# SPDX-License-Identifier: GPL-3.0-or-later
"""Randomly initialised models of every kind of attention that the writer knows, small enough for a test, and their text.

The weights are drawn wide (standard deviation WIDTH), so that logits are of several units: with the usual 0.02 all
attention would be uniform, and a wrong scale, soft cap or window would not show.
"""
import random
from pathlib import Path

import tokenizers
import torch
import transformers

WORDS = 96
POSITIONS = 64
WIDTH = 0.25

COMMON = {"vocab_size": WORDS + 2, "hidden_size": 48, "num_hidden_layers": 4, "num_attention_heads": 6,
          "intermediate_size": 64, "max_position_embeddings": POSITIONS, "initializer_range": WIDTH,
          "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": None, "tie_word_embeddings": False}


def gpt2():
    """Fused c_attn, no RoPE, scale 1/(sqrt(d) (layer + 1)), biases."""
    return transformers.GPT2Config(vocab_size=WORDS + 2, n_embd=48, n_layer=4, n_head=6, n_positions=POSITIONS,
                                   initializer_range=WIDTH, scale_attn_by_inverse_layer_idx=True, bos_token_id=0, eos_token_id=1)


def llama():
    """Grouped-query heads, RoPE in halves."""
    return transformers.LlamaConfig(**COMMON, num_key_value_heads=2, head_dim=8)


def gemma2():
    """Soft cap, every other layer with a sliding window, a scale of its own."""
    return transformers.Gemma2Config(**COMMON, num_key_value_heads=3, head_dim=16, query_pre_attn_scalar=9,
                                     attn_logit_softcapping=3.0, sliding_window=7,
                                     layer_types=["sliding_attention", "full_attention"] * 2)


def qwen3():
    """Queries and keys normalised before RoPE; heads wider than hidden size over their number."""
    return transformers.Qwen3Config(**COMMON, num_key_value_heads=3, head_dim=16)


def cohere2():
    """RoPE of neighbours in the sliding layers, none in the full ones; attention beside the MLP."""
    return transformers.Cohere2Config(**COMMON, num_key_value_heads=2, sliding_window=7, logit_scale=1.0,
                                      layer_types=["sliding_attention", "full_attention"] * 2)


def gpt_neox():
    """A fused projection, interleaved by head; RoPE on a quarter of the dimensions."""
    return transformers.GPTNeoXConfig(**(COMMON | {"hidden_size": 96}), rotary_pct=0.25)


def gpt_oss():
    """Learned sinks, sliding window, experts."""
    return transformers.GptOssConfig(**COMMON, num_key_value_heads=2, head_dim=8, num_local_experts=2, num_experts_per_tok=1,
                                     sliding_window=7, layer_types=["sliding_attention", "full_attention"] * 2)


def bloom():
    """ALiBi, and no attention interface: cannot be captured."""
    return transformers.BloomConfig(vocab_size=WORDS + 2, hidden_size=48, n_layer=2, n_head=6)


def llama4():
    """Attention in chunks of 8 positions: a mask that format 1 does not have."""
    return transformers.Llama4TextConfig(**COMMON, num_key_value_heads=2, head_dim=8, attention_chunk_size=8, num_local_experts=2,
                                         intermediate_size_mlp=64)


def save(config, folder: Path, with_bos: bool = False):
    """Model and word tokenizer of `config`, seeded, in `folder`; returns it as text."""
    torch.manual_seed(7)
    model = transformers.AutoModelForCausalLM.from_config(config)
    for name, parameter in model.named_parameters():
        if parameter.dim() < 2:  # norms, biases and sinks away from their 1 and 0, where they would hide
            torch.nn.init.normal_(parameter, mean=float("norm" in name or "ln_" in name), std=0.2)
    model.save_pretrained(folder)
    word_tokenizer(with_bos).save_pretrained(folder)
    return str(folder)


def word_tokenizer(with_bos: bool):
    vocabulary = {"<s>": 0, "</s>": 1} | {f"w{word}": word + 2 for word in range(WORDS)}
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="</s>"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    if with_bos:
        words.post_processor = tokenizers.processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=words, bos_token="<s>", eos_token="</s>", unk_token="</s>")


def text(words: int) -> str:
    return " ".join(f"w{random.Random(word).randrange(WORDS)}" for word in range(words))
