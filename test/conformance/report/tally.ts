const counts = new Map<string, number>()

/** Counts the work of the suite, for the line that it prints at its end. */
export function tally(what: string, by: number = 1): void {
  counts.set(what, (counts.get(what) ?? 0) + by)
}

export function printTally(): void {
  const lines = [...counts]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([what, count]) => `  ${what}: ${count}`)
  process.stdout.write(`conformance:\n${lines.join('\n')}\n`)
}
