type Work = () => void | Promise<void>

const works: Work[] = []

/**
 * Runs work after the last test of the process. `bun test` does not call `exit` listeners, so preload.ts calls
 * `endAll`. Other programs do call them, but do not wait for asynchronous work.
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
