"""CTranslate2 on the weights of a vanilla float32 bundle: another side of bench/translate/speed.sh,
where it is installed. Needs PyTorch too, to read the bundle.

    ctranslate2_decoder.py BUNDLE int8|float32 WORKERS

A worker: it answers each line with a line.
    run BATCH BEAM SENTENCES    translates random pieces, 24 to 24; target pieces, seconds
"""
import random
import sys
import tempfile
import time

import ctranslate2
import torch

import plain_decoder
import plain_transformer  # Found where plain_decoder found it.
from plain_decoder import PIECES

MARKERS = ["<blank>", "<unk>", "<s>", "</s>"]


def fill_linear(spec, weights, *names):
    """Layers of the same input become one."""
    spec.weight = torch.cat([weights[f"{name}.weight"] for name in names]).numpy()
    spec.bias = torch.cat([weights[f"{name}.bias"] for name in names]).numpy()


def fill_norm(spec, weights, name):
    spec.gamma = weights[f"{name}.weight"].numpy()
    spec.beta = weights[f"{name}.bias"].numpy()


def fill_layer(spec, weights, name):
    attention = f"{name}.self_attn"
    fill_norm(spec.self_attention.layer_norm, weights, f"{attention}_layer_norm")
    fill_linear(spec.self_attention.linear[0], weights,
                *(f"{attention}.{part}_proj" for part in "qkv"))
    fill_linear(spec.self_attention.linear[1], weights, f"{attention}.out_proj")
    if name.startswith("decoder"):
        attention = f"{name}.cross_attn"
        fill_norm(spec.attention.layer_norm, weights, f"{attention}_layer_norm")
        fill_linear(spec.attention.linear[0], weights, f"{attention}.q_proj")
        fill_linear(spec.attention.linear[1], weights, f"{attention}.k_proj",
                    f"{attention}.v_proj")
        fill_linear(spec.attention.linear[2], weights, f"{attention}.out_proj")
    fill_norm(spec.ffn.layer_norm, weights, f"{name}.ffn_layer_norm")
    fill_linear(spec.ffn.linear_0, weights, f"{name}.fc1")
    fill_linear(spec.ffn.linear_1, weights, f"{name}.fc2")


def make_spec(weights, heads, pieces):
    dim = weights["shared.weight"].shape[1]
    layers = sum(name.startswith("encoder.") and "fc1.weight" in name for name in weights)
    spec = ctranslate2.specs.TransformerSpec.from_config(layers, heads, pre_norm=True)
    embedding = weights["shared.weight"].numpy()
    positions = plain_transformer.sinusoids(256, dim).numpy()
    spec.encoder.embeddings[0].weight = embedding
    spec.decoder.embeddings.weight = spec.decoder.projection.weight = embedding
    for side, name in ((spec.encoder, "encoder"), (spec.decoder, "decoder")):
        side.position_encodings.encodings = positions
        fill_norm(side.layer_norm, weights, f"{name}.layer_norm")
        for number, layer in enumerate(side.layer):
            fill_layer(layer, weights, f"{name}.layers.{number}")
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    spec.config.decoder_start_token = "<s>"
    spec.config.add_source_eos = True
    return spec


def make_translator(bundle, precision, workers, pieces, vocabulary_map=None):
    """A translator of `workers` threads, of what read_bundle() gives. Pieces are those of the
    model, the markers first."""
    weights, architecture = bundle
    spec = make_spec(weights, architecture["heads"], MARKERS + pieces[len(MARKERS):])
    if vocabulary_map is not None:
        spec.register_vocabulary_mapping(vocabulary_map)
    with tempfile.TemporaryDirectory() as folder:
        spec.validate()
        spec.optimize(quantization=precision)
        spec.save(folder)
        return ctranslate2.Translator(folder, device="cpu", compute_type=precision,
                                      inter_threads=workers, intra_threads=1)


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: ctranslate2_decoder.py BUNDLE int8|float32 WORKERS")
    bundle = plain_decoder.read_bundle(sys.argv[1])
    pieces = [f"piece{i}" for i in range(bundle[1]["source_vocab"])]
    translator = make_translator(bundle, sys.argv[2], int(sys.argv[3]), pieces)
    numbers = random.Random(1)

    def run(batch, beam, sentences):
        sources = [numbers.choices(pieces[len(MARKERS):], k=PIECES) for _ in range(int(sentences))]
        start = time.perf_counter()
        results = translator.translate_batch(
            sources, max_batch_size=int(batch), beam_size=int(beam), min_decoding_length=PIECES,
            max_decoding_length=PIECES)
        seconds = time.perf_counter() - start
        return "%d %.9g" % (sum(len(result.hypotheses[0]) for result in results), seconds)

    plain_transformer.serve({"run": run})


if __name__ == "__main__":
    main()
