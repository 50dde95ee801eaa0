import { standardBase64 } from './base64.ts'

/** A sound in base64, with its format. */
export interface Sound {
  readonly data: string
  readonly mime: string
}

/** As much of a sound as tells its format. */
const headBytes = 16

/** How each format with a header begins, one character for each byte. */
const beginnings: readonly (readonly [RegExp, string])[] = [
  [/^RIFF[\s\S]{4}WAVE/, 'audio/wav'],
  [/^ID3/, 'audio/mpeg'],
  // A frame of layer III. Raw samples can look like its sync word, so the bit rate must be valid too.
  [/^\xff[\xe2\xe3\xf2\xf3\xfa\xfb][\x20-\xef]/, 'audio/mpeg'],
  [/^OggS/, 'audio/ogg'],
  [/^fLaC/, 'audio/flac'],
  [/^\xff[\xf0\xf1\xf8\xf9][\x40-\x7f]/, 'audio/aac'],
]

/** Raw samples, 16 bits each: the one format without a header. */
const rawSamples = 'audio/pcm'

/**
 * Pieces of a sound as one sound. Its first bytes tell its format, because a reply in chat-completions does not name
 * it. Text that is no base64 is kept as it is.
 */
export function joinSound(pieces: readonly string[]): Sound {
  const parts = decodeAll(pieces)
  if (!parts) return { data: pieces.join(''), mime: rawSamples }
  const joined = concat(parts)
  const mime = formatOf(joined)
  const [only] = pieces
  if (pieces.length === 1 && only !== undefined) return { data: only, mime }
  const whole = mime === 'audio/wav' ? joinWave(parts) : joined
  return { data: whole.toBase64(), mime }
}

/** Most vendors encode each piece by itself. A piece that ends within four characters is a part of one long text. */
function decodeAll(pieces: readonly string[]): readonly Uint8Array[] | undefined {
  const isCut = pieces.slice(0, -1).some((piece) => piece.trim().length % 4 !== 0)
  try {
    const texts = isCut ? [pieces.join('')] : pieces
    return texts.map((piece) => Uint8Array.fromBase64(standardBase64(piece)))
  } catch {
    return undefined
  }
}

function formatOf(bytes: Uint8Array): string {
  const head = String.fromCharCode(...bytes.subarray(0, headBytes))
  return beginnings.find(([beginning]) => beginning.test(head))?.[1] ?? rawSamples
}

/**
 * Players stop at the end of the first file's samples, so files that follow one another become one file. A piece
 * without a header goes on where the last one ended, and the header is right already.
 */
function joinWave(parts: readonly Uint8Array[]): Uint8Array {
  const [first, ...others] = parts
  const start = first && samplesIn(first)?.start
  const areFiles = others.every((part) => formatOf(part) === 'audio/wav')
  if (!first || !areFiles || start === undefined) return concat(parts)
  const samples = parts.flatMap((part) => samplesIn(part)?.samples ?? [])
  const joined = concat([first.subarray(0, start), ...samples])
  const view = new DataView(joined.buffer)
  view.setUint32(4, joined.length - 8, true)
  view.setUint32(start - 4, joined.length - start, true)
  return joined
}

/** The samples of a WAVE file, and where they begin: behind the name and the size of its chunk `data`. */
function samplesIn(file: Uint8Array): { start: number; samples: Uint8Array } | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  let at = 12
  while (at + 8 <= file.length) {
    const start = at + 8
    const size = view.getUint32(at + 4, true)
    if (String.fromCharCode(...file.subarray(at, at + 4)) === 'data') {
      // A file that was written while its length was not known has 0 or the largest number there.
      return { start, samples: file.subarray(start, size === 0 ? undefined : start + size) }
    }
    // Chunks begin at even places.
    at = start + size + (size % 2)
  }
  return undefined
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
