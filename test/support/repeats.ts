/** The factor by which `npm run test:long` repeats random tests more often. */
const factor = Math.max(1, Number(process.env['TEST_REPEATS'] ?? 1))

/** The number of runs of a random test: fixed in `npm test`, multiplied in `npm run test:long`. */
export function repeats(count: number): number {
  return Math.ceil(count * factor)
}
