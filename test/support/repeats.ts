/** `npm run test:long` repeats random tests so many times more often. */
const factor = Math.max(1, Number(process.env['TEST_REPEATS'] ?? 1))

/** How often a random test draws: a fixed number in `npm test`, many times that in `npm run test:long`. */
export function repeats(count: number): number {
  return Math.ceil(count * factor)
}
