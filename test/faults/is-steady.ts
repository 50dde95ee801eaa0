/** True once a figure has been the same in many consecutive checks. */
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
