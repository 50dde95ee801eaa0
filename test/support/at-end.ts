type Work = () => void | Promise<void>

const works: Work[] = []

/**
 * When the process has run its last test. `bun test` does not tell the listeners of `exit`; other programs do, which
 * do not wait for what takes time.
 */
export function atEnd(work: Work): void {
  if (works.length === 0) process.once('exit', () => void endAll())
  works.push(work)
}

export async function endAll(): Promise<void> {
  const ends = works.splice(0).map(async (work) => {
    await work()
  })
  await Promise.all(ends)
}
