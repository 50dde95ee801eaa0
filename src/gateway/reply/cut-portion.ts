const none: readonly Uint8Array[] = []

/** Splits the output after `bytesMax` bytes without copying. */
export function cutPortion(
  pieces: readonly Uint8Array[],
  bytesMax: number,
): { readonly now: readonly Uint8Array[]; readonly rest: readonly Uint8Array[] } {
  let bytes = 0
  let end = 0
  for (const piece of pieces) {
    bytes += piece.length
    if (bytes > bytesMax) break
    end += 1
  }
  const cut = pieces[end]
  if (!cut) return { now: pieces, rest: none }
  const room = bytesMax - (bytes - cut.length)
  const now = pieces.slice(0, end)
  if (room > 0) now.push(cut.subarray(0, room))
  return { now, rest: [cut.subarray(room), ...pieces.slice(end + 1)] }
}
