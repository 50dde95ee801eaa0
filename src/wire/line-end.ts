import { carriageReturn, lineFeed } from './char-codes.ts'

/** Most lines of a stream are shorter. A call of the runtime pays off only for a longer line. */
const nearBytes = 256

/** The end of the line that contains `from`; the length of the bytes if the line does not end in them. */
export function findLineEnd(bytes: Uint8Array, from: number): number {
  const near = Math.min(bytes.length, from + nearBytes)
  for (let at = from; at < near; at += 1) {
    const code = bytes[at]
    if (code === lineFeed || code === carriageReturn) return at
  }
  if (near === bytes.length) return near
  const feed = bytes.indexOf(lineFeed, near)
  const end = feed < 0 ? bytes.length : feed
  const back = bytes.subarray(near, end).indexOf(carriageReturn)
  return back < 0 ? end : near + back
}
