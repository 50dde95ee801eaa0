/** The factor by which `npm run test:long` repeats random tests more often. */
const factor = Math.max(1, Number(process.env['TEST_REPEATS'] ?? 1))

/**
 * The number of runs of a random test: fixed in `npm test`, multiplied in `npm run test:long`. There `longCount` is
 * multiplied, for tests of which `npm test` runs a smaller share than of others.
 */
export function repeats(count: number, longCount = count): number {
  return factor === 1 ? count : Math.ceil(longCount * factor)
}
