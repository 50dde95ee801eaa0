/** Below the ports that systems lend to connections, so that none of them takes it in between. */
const first = 20_000
const count = 10_000

let last = first + (process.pid % count)

/**
 * A port for the next gateway of this process: the same one as long as it is free, so that the browser finds the
 * console's files, read and compiled, where it has found them before.
 */
export function ownPort(): number {
  for (let tries = 0; tries < count; tries += 1) {
    if (isFree(last)) return last
    last = first + ((last + 1 - first) % count)
  }
  throw new Error('no port is free')
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => undefined } }).stop(true)
    return true
  } catch {
    return false
  }
}
