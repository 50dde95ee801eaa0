import { seededRandom } from '../../support/seeded-random.ts'

/** Printed with the counts: the same seed cuts every stream at the same positions. */
export const seed = 20261115

const random = seededRandom(seed)

export function randomBelow(limit: number): number {
  return Math.floor(random() * limit)
}

/** Pieces of 1 to `lengthMax` bytes. */
export function cutRandomly(bytes: Uint8Array, lengthMax: number): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + randomBelow(lengthMax)
    pieces.push(bytes.subarray(at, at + length))
    at += length
  }
  return pieces
}
