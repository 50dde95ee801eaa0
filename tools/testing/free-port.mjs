import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the range of ephemeral ports, so that no outgoing connection takes the port before its user listens. */
const first = 10_000
const count = 10_000
const attemptsMax = 50

/** @returns {Promise<number>} a loopback port that was free a moment ago */
export async function freePort() {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const port = first + randomInt(count)
    if (await isFree(port)) return port
  }
  throw new Error(
    `${attemptsMax} ports from ${first} to ${first + count - 1} were tried; none is free`,
  )
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
