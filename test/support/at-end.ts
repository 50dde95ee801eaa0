const works: (() => void)[] = []

/** When the process has run its last test. `bun test` does not tell the listeners of `exit`; other programs do. */
export function atEnd(work: () => void): void {
  if (works.length === 0) process.once('exit', endAll)
  works.push(work)
}

export function endAll(): void {
  for (const work of works.splice(0)) work()
}
