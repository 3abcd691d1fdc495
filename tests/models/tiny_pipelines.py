"""Random-weight pipelines of a few kilobytes, written by ``save_pretrained`` as real ones are.

Each function writes a pipeline into a folder, which the painters then load as they would
load the real weights. Tokenizers are built from letters. Imports torch when called.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def one_thread() -> None:
    """Let torch use one thread: for models this small, more of them mostly wait."""
    import torch

    torch.set_num_threads(1)


LETTERS = "abcdefghijklmnopqrstuvwxyz ,.-'"


def clip_tokenizer() -> Any:
    from transformers import CLIPTokenizer

    letters = LETTERS.replace(" ", "")
    tokens = [*letters, *(letter + "</w>" for letter in letters)]
    tokens += ["<|startoftext|>", "<|endoftext|>"]
    return CLIPTokenizer(
        vocab={token: place for place, token in enumerate(tokens)}, merges=[], model_max_length=77
    )


def clip_config(tokenizer: Any, **more: Any) -> Any:
    from transformers import CLIPTextConfig

    return CLIPTextConfig(
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=37,
        num_attention_heads=4,
        num_hidden_layers=2,
        max_position_embeddings=77,
        hidden_act="gelu",
        **more,
    )


def qwen_tokenizer() -> Any:
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import Qwen2Tokenizer

    vocab = {letter: place for place, letter in enumerate(sorted(ByteLevel.alphabet()))}
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>"]
    special += ["<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    vocab |= {token: len(vocab) + place for place, token in enumerate(special)}
    tokenizer = Qwen2Tokenizer(vocab=vocab, merges=[])
    tokenizer.add_special_tokens({"additional_special_tokens": special[1:]})
    return tokenizer


def qwen_text_encoder(tokenizer: Any) -> Any:
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

    ids = {
        "image_token_id": tokenizer.convert_tokens_to_ids("<|image_pad|>"),
        "video_token_id": tokenizer.convert_tokens_to_ids("<|video_pad|>"),
        "vision_start_token_id": tokenizer.convert_tokens_to_ids("<|vision_start|>"),
        "vision_end_token_id": tokenizer.convert_tokens_to_ids("<|vision_end|>"),
    }
    return Qwen2_5_VLForConditionalGeneration(
        Qwen2_5_VLConfig(
            text_config={
                "hidden_size": 16,
                "intermediate_size": 16,
                "num_hidden_layers": 2,
                "num_attention_heads": 2,
                "num_key_value_heads": 2,
                "vocab_size": len(tokenizer),
                "rope_parameters": {
                    "mrope_section": [1, 1, 2],
                    "rope_type": "default",
                    "rope_theta": 1e6,
                },
            },
            vision_config={
                "depth": 2,
                "hidden_size": 16,
                "intermediate_size": 16,
                "num_heads": 2,
                "out_hidden_size": 16,
            },
            **ids,
        )
    ).eval()


def qwen_parts() -> dict[str, Any]:
    import torch
    from diffusers import (
        AutoencoderKLQwenImage,
        FlowMatchEulerDiscreteScheduler,
        QwenImageTransformer2DModel,
    )

    torch.manual_seed(0)
    tokenizer = qwen_tokenizer()
    transformer = QwenImageTransformer2DModel(
        patch_size=2,
        in_channels=16,
        out_channels=4,
        num_layers=2,
        attention_head_dim=16,
        num_attention_heads=3,
        joint_attention_dim=16,
        guidance_embeds=False,
        axes_dims_rope=(8, 4, 4),
    )
    vae = AutoencoderKLQwenImage(
        base_dim=24,
        z_dim=4,
        dim_mult=[1, 2, 4],
        num_res_blocks=1,
        temperal_downsample=[False, True],
        latents_mean=[0.0] * 4,
        latents_std=[1.0] * 4,
    )
    return {
        "transformer": transformer,
        "vae": vae,
        "scheduler": FlowMatchEulerDiscreteScheduler(),
        "text_encoder": qwen_text_encoder(tokenizer),
        "tokenizer": tokenizer,
    }


def save_qwen_image(folder: Path) -> None:
    from diffusers import QwenImagePipeline

    QwenImagePipeline(**qwen_parts()).save_pretrained(folder)


def save_qwen_image_edit(folder: Path, plus: bool = False) -> None:
    import json

    import transformers
    from diffusers import QwenImageEditPipeline, QwenImageEditPlusPipeline

    parts = qwen_parts()
    kind = QwenImageEditPlusPipeline if plus else QwenImageEditPipeline
    kind(processor=None, **parts).save_pretrained(folder)
    # The library's processor cannot be made without torchvision; its files can.
    reader = getattr(transformers, "Qwen2VLImageProcessorPil", None)
    reader = reader or transformers.Qwen2VLImageProcessor
    reader(min_pixels=28 * 28, max_pixels=56 * 56).save_pretrained(folder / "processor")
    parts["tokenizer"].save_pretrained(folder / "processor")
    index = json.loads((folder / "model_index.json").read_text())
    index["processor"] = ["transformers", "Qwen2VLProcessor"]
    (folder / "model_index.json").write_text(json.dumps(index))


def save_flux(folder: Path) -> None:
    import torch
    from diffusers import (
        AutoencoderKL,
        FlowMatchEulerDiscreteScheduler,
        FluxPipeline,
        FluxTransformer2DModel,
    )
    from transformers import CLIPTextModel, T5Config, T5EncoderModel, T5Tokenizer

    torch.manual_seed(0)
    tokenizer = clip_tokenizer()
    vocab = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -1.0)]
    t5 = T5Tokenizer(vocab=vocab + [(letter, -2.0) for letter in LETTERS.replace(" ", "")])
    FluxPipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=AutoencoderKL(
            sample_size=32,
            in_channels=3,
            out_channels=3,
            block_out_channels=(4,),
            layers_per_block=1,
            latent_channels=1,
            norm_num_groups=1,
            use_quant_conv=False,
            use_post_quant_conv=False,
            shift_factor=0.0609,
            scaling_factor=1.5035,
        ),
        text_encoder=CLIPTextModel(clip_config(tokenizer, projection_dim=32)).eval(),
        tokenizer=tokenizer,
        text_encoder_2=T5EncoderModel(
            T5Config(vocab_size=len(t5), d_model=32, d_kv=8, d_ff=37, num_layers=2, num_heads=4)
        ).eval(),
        tokenizer_2=t5,
        transformer=FluxTransformer2DModel(
            patch_size=1,
            in_channels=4,
            num_layers=1,
            num_single_layers=1,
            attention_head_dim=16,
            num_attention_heads=2,
            joint_attention_dim=32,
            pooled_projection_dim=32,
            axes_dims_rope=[4, 4, 8],
            guidance_embeds=True,
        ),
    ).save_pretrained(folder)


def small_vae() -> Any:
    from diffusers import AutoencoderKL

    return AutoencoderKL(
        block_out_channels=[32, 64],
        in_channels=3,
        out_channels=3,
        down_block_types=["DownEncoderBlock2D", "DownEncoderBlock2D"],
        up_block_types=["UpDecoderBlock2D", "UpDecoderBlock2D"],
        latent_channels=4,
        sample_size=128,
    )


def save_sdxl(folder: Path, variant: str | None = None) -> None:
    import torch
    from diffusers import EulerDiscreteScheduler, StableDiffusionXLPipeline, UNet2DConditionModel
    from transformers import CLIPTextModel, CLIPTextModelWithProjection

    torch.manual_seed(0)
    tokenizer = clip_tokenizer()
    config = clip_config(tokenizer, projection_dim=32)
    StableDiffusionXLPipeline(
        unet=UNet2DConditionModel(
            block_out_channels=(32, 64),
            layers_per_block=2,
            sample_size=32,
            in_channels=4,
            out_channels=4,
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
            attention_head_dim=(2, 4),
            use_linear_projection=True,
            addition_embed_type="text_time",
            addition_time_embed_dim=8,
            transformer_layers_per_block=(1, 2),
            projection_class_embeddings_input_dim=80,
            cross_attention_dim=64,
        ),
        scheduler=EulerDiscreteScheduler(beta_start=0.00085, beta_end=0.012, steps_offset=1),
        vae=small_vae(),
        text_encoder=CLIPTextModel(config).eval(),
        tokenizer=tokenizer,
        text_encoder_2=CLIPTextModelWithProjection(config).eval(),
        tokenizer_2=clip_tokenizer(),
    ).save_pretrained(folder, variant=variant)


def save_stable_diffusion(folder: Path) -> None:
    import torch
    from diffusers import EulerDiscreteScheduler, StableDiffusionPipeline, UNet2DConditionModel
    from transformers import CLIPTextModel

    torch.manual_seed(0)
    tokenizer = clip_tokenizer()
    StableDiffusionPipeline(
        unet=UNet2DConditionModel(
            block_out_channels=(32, 64),
            layers_per_block=1,
            sample_size=32,
            in_channels=4,
            out_channels=4,
            down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
            up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
            attention_head_dim=8,
            cross_attention_dim=32,
            norm_num_groups=8,
        ),
        scheduler=EulerDiscreteScheduler(beta_start=0.00085, beta_end=0.012, steps_offset=1),
        vae=small_vae(),
        text_encoder=CLIPTextModel(clip_config(tokenizer)).eval(),
        tokenizer=tokenizer,
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    ).save_pretrained(folder)
