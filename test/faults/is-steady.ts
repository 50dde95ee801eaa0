/** True once a figure has stayed the same for many looks in a row. */
export function isSteady(read: () => number): () => boolean {
  let last = Number.NaN
  let looks = 0
  return () => {
    const value = read()
    looks = value === last ? looks + 1 : 0
    last = value
    return looks > 60
  }
}
