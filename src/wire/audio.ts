import { standardBase64 } from './base64.ts'

/** Audio in base64, with its format. */
export interface AudioPieces {
  readonly data: string
  readonly mime: string
}

/** This many bytes are enough to recognise the format. */
const headBytes = 16

/** The first bytes of each format with a header, one character for each byte. */
const beginnings: readonly (readonly [RegExp, string])[] = [
  [/^RIFF[\s\S]{4}WAVE/, 'audio/wav'],
  [/^ID3/, 'audio/mpeg'],
  // An MPEG layer III frame. Raw samples can look like its sync word, so the bit rate must be valid too.
  [/^\xff[\xe2\xe3\xf2\xf3\xfa\xfb][\x20-\xef]/, 'audio/mpeg'],
  [/^OggS/, 'audio/ogg'],
  [/^fLaC/, 'audio/flac'],
  [/^\xff[\xf0\xf1\xf8\xf9][\x40-\x7f]/, 'audio/aac'],
]

/** Raw 16-bit samples: the only format without a header. */
const rawSamples = 'audio/pcm'

/**
 * Joins the pieces of one audio output. The first bytes determine the format, because a reply in chat-completions does
 * not name the format. Text that is not base64 is kept unchanged.
 */
export function joinAudio(pieces: readonly string[]): AudioPieces {
  const parts = decodeAll(pieces)
  if (!parts) return { data: pieces.join(''), mime: rawSamples }
  const joined = concat(parts)
  const mime = formatOf(joined)
  const [only] = pieces
  if (pieces.length === 1 && only !== undefined) return { data: only, mime }
  const whole = mime === 'audio/wav' ? joinWave(parts) : joined
  return { data: whole.toBase64(), mime }
}

/**
 * Most vendors encode each piece separately. A piece whose length is not a multiple of four is part of one long text.
 */
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
 * Players stop at the end of the first file's samples, so consecutive files become one file. A piece without a header
 * continues the previous one, and the header is already right.
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

/** The samples of a WAVE file and their start: after the name and the size of the `data` chunk. */
function samplesIn(file: Uint8Array): { start: number; samples: Uint8Array } | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  let at = 12
  while (at + 8 <= file.length) {
    const start = at + 8
    const size = view.getUint32(at + 4, true)
    if (String.fromCharCode(...file.subarray(at, at + 4)) === 'data') {
      // The size is 0 or the largest number if the length was unknown when the file was written.
      return { start, samples: file.subarray(start, size === 0 ? undefined : start + size) }
    }
    // Chunks start at even offsets.
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
