"""CTranslate2 with SentencePiece on the weights of a vanilla float32 bundle: the other side of
bench/translate/end_to_end.sh. Needs PyTorch too, to read the bundle.

    ctranslate2_text.py BUNDLE PIECES int8|float32 WORKERS [SHORTLIST]

A worker: it answers each line with a line.
    run INPUT OUTPUT BATCH BEAM LENGTH    translates a file, each line to so many pieces; seconds
    translate INPUT OUTPUT LENGTH         the same, greedily and without choosing markers, as we do
"""
import os
import struct
import sys
import tempfile
import time

import numpy
import sentencepiece

import ctranslate2_decoder
import plain_decoder
import plain_transformer  # Found where plain_decoder found it.


def read_shortlist(path):
    """Target pieces that are always allowed, and those of each source piece; docs/formats.md has
    the format."""
    with open(path, "rb") as file:
        header = struct.unpack("<8s6I128s", file.read(160))
        numbers = numpy.frombuffer(file.read(), dtype="<i4")
    _, _, sources, _, always, _, _, _ = header
    starts = numbers[always:always + sources + 1]
    likely = numbers[always + sources + 1:]
    return numbers[:always], [likely[a:b] for a, b in zip(starts, starts[1:])]


def write_vocabulary_map(path, shortlist, pieces):
    """A shortlist as CTranslate2 reads it: source piece, tab, its target pieces."""
    always, likely = read_shortlist(shortlist)
    with open(path, "w") as file:
        for source, targets in [("", always)] + list(zip(pieces, likely)):
            file.write(source + "\t" + " ".join(pieces[target] for target in targets) + "\n")


def make_translator(bundle, pieces, precision, workers, shortlist):
    if shortlist is None:
        return ctranslate2_decoder.make_translator(bundle, precision, workers, pieces)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "vmap.txt")
        write_vocabulary_map(path, shortlist, pieces)
        return ctranslate2_decoder.make_translator(bundle, precision, workers, pieces, path)


def main():
    if len(sys.argv) not in (5, 6):
        sys.exit("usage: ctranslate2_text.py BUNDLE PIECES int8|float32 WORKERS [SHORTLIST]")
    folder, piece_model, precision, workers = sys.argv[1:5]
    shortlist = sys.argv[5] if len(sys.argv) == 6 else None
    encoder = sentencepiece.SentencePieceProcessor(model_file=piece_model, num_threads=int(workers))
    pieces = [encoder.id_to_piece(piece) for piece in range(encoder.get_piece_size())]
    bundle = plain_decoder.read_bundle(folder)
    translator = make_translator(bundle, pieces, precision, int(workers), shortlist)

    def run(source, target, batch, beam, length, **options):
        start = time.perf_counter()
        with open(source) as file:
            lines = file.read().splitlines()
        results = translator.translate_batch(
            encoder.encode(lines, out_type=str), max_batch_size=int(batch), beam_size=int(beam),
            min_decoding_length=int(length), max_decoding_length=int(length),
            use_vmap=shortlist is not None, **options)
        texts = encoder.decode([result.hypotheses[0] for result in results])
        with open(target, "w") as file:
            file.writelines(text + "\n" for text in texts)
        return "%.9g" % (time.perf_counter() - start)

    def translate(source, target, length):
        markers = [[marker] for marker in ctranslate2_decoder.MARKERS[:3]]
        return run(source, target, 32, 1, length, suppress_sequences=markers)

    plain_transformer.serve({"run": run, "translate": translate})


if __name__ == "__main__":
    main()
