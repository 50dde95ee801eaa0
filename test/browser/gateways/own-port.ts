/** Below the range of ephemeral ports, so that no outgoing connection takes the port in between. */
const first = 20_000
const count = 10_000
/** The ports between those of two processes that start one after the other, so that they do not try the same one. */
const apart = 37

let last = first + ((process.pid * apart) % count)

/**
 * A port for the next gateway of this process. It stays the same while it is free, so that the browser reuses the
 * cached and compiled files of the console.
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
